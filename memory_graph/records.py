"""What is remembered. Plain data: no I/O, no behaviour beyond validation."""

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)

FactCategory = Literal["profile", "preference", "work", "health", "goal", "other"]
Speaker = Literal["user", "other"]
Outcome = Literal["success", "partial", "failure", "ongoing", "unknown"]
EpisodeStatus = Literal["active", "summarized", "archived"]
DecisionType = Literal["design", "implementation", "test", "recovery", "routing"]
EventType = Literal["tool_call", "error", "milestone", "handoff", "commit", "test"]
MemoryKind = Literal["fact", "episode", "turn", "pattern"]
Action = Literal["create", "update", "verify", "retract", "merge", "evict", "skip"]
Importance = Annotated[int, Field(ge=1, le=5)]
Share = Annotated[float, Field(ge=0, le=1)]


class Record(BaseModel):
    """Something stored. Frozen, so a change is always a new write.

    Unknown fields are ignored, so that an older worker reads what a newer one wrote.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")


class Source(Record):
    """Where a memory comes from: the messages somebody said it in."""

    thread_id: str | None = None
    run_id: str | None = None
    message_ids: tuple[str, ...] = ()


# — facts —


class Claim(Record):
    """What is stated, and about whom."""

    statement: str
    """A full sentence in the third person: `The user's cat Luna is 4 years old.`"""

    category: FactCategory = "other"
    entity: str = "user"
    """Whom or what it is about: `user`, or a name such as `Luna`."""

    entity_kind: str | None = None
    """`cat`, `sister`, `company`, ...; empty for the user."""

    attribute: str | None = None
    """`age`, `city`, `employer`, ...; with `value` it makes a deterministic key."""

    value: str | None = None
    importance: Importance = 3
    event_date: date | None = None
    """The day it happened or will happen, for statements about an event."""

    speaker: Speaker = "user"
    """`other` when the statement reports what somebody else said of themselves."""

    confidence: Share = 0.8


class FactCandidate(Claim):
    """One statement proposed for semantic memory, not yet compared with what is known."""

    statement: str = Field(min_length=1, max_length=500)
    kind: Literal["semantic", "episodic"] = "semantic"
    retracts: bool = False
    """The statement ends a fact: `I no longer eat meat`, `forget my address`."""


class FactVersion(Record):
    """One value a fact had, and when it was true."""

    statement: str
    value: str | None = None
    valid_from: AwareDatetime
    valid_to: AwareDatetime | None = None
    source: Source = Source()
    reason: str = "stated"
    repeated_at: AwareDatetime | None = None
    """When it was last said again, with nothing else in between."""


class Retraction(Record):
    """That a fact ended, as somebody said it."""

    at: AwareDatetime
    statement: str
    value: str | None = None
    """The value it ends, and no other; unset, it ends whatever was true."""

    source: Source = Source()


class Fact(Claim):
    """One durable statement about the user or somebody close to them, as it stands now."""

    id: str
    key: str | None = None
    """`profile:pet:luna:age`; the same as `id` for facts that have one."""

    pinned: bool = False
    source: Source = Source()
    created_at: AwareDatetime
    updated_at: AwareDatetime
    last_verified_at: AwareDatetime
    valid_from: AwareDatetime
    valid_to: AwareDatetime | None = None
    """Set when the fact was retracted; a current fact has none."""

    retraction: Source | None = None
    """Who ended it, when `valid_to` is set."""

    retractions: tuple[Retraction, ...] = ()
    """Every one heard, oldest first: what ended nothing may end what is heard of later."""

    repeated_at: AwareDatetime | None = None
    """When the value was last said again before it ended."""

    history: tuple[FactVersion, ...] = ()
    """Superseded values, oldest first; their intervals and this one leave no gap."""

    extractor: str = "rules/1"
    """Which prompt or rule set proposed it."""


# — episodes —


class Decision(Record):
    """One choice made during an episode (`d001`)."""

    id: str
    timestamp: AwareDatetime | None = None
    type: DecisionType = "design"
    context: str = ""
    options: tuple[str, ...] = ()
    chosen: str
    rationale: str = ""
    outcome: Outcome = "unknown"
    effects: tuple[str, ...] = ()


class Event(Record):
    """One thing that happened during an episode (`e001`)."""

    id: str
    timestamp: AwareDatetime | None = None
    type: EventType = "milestone"
    content: str
    caused_by: tuple[str, ...] = ()
    leads_to: tuple[str, ...] = ()


class EpisodeMetadata(Record):
    """Best-effort structure around an episode; empty where nothing was found."""

    participants: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    key_decisions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class FactLink(Record):
    """A fact that came out of an episode."""

    fact_id: str
    position: int = 0
    confidence: Share = 1.0


class EpisodeDraft(Record):
    """What the summariser writes about one exchange."""

    summary: str = Field(min_length=1, max_length=600)
    """One or two sentences: what was discussed, decided or done."""

    topic: str = Field(min_length=1, max_length=120)
    approach: str = Field(default="", max_length=200)
    outcome: Outcome = "unknown"
    decisions: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Episode(Record):
    """One noteworthy stretch of conversation, as it will be recalled later."""

    id: str
    title: str
    summary: str
    human_line: str
    """`On 2026-11-16 (W47, 2026) we discussed {topic}. Approach: {approach}.`"""

    content: str = ""
    started_at: AwareDatetime
    ended_at: AwareDatetime
    created_at: AwareDatetime
    updated_at: AwareDatetime
    date_iso: str
    week: int = Field(ge=1, le=53)
    year: int
    """The ISO year of `week`: 2027-01-01 is week 53 of 2026."""

    time_zone: str = "UTC"
    status: EpisodeStatus = "summarized"
    parent_episode_id: str | None = None
    project: str | None = None
    outcome: Outcome = "unknown"
    decisions: tuple[Decision, ...] = ()
    events: tuple[Event, ...] = ()
    lessons: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    metrics: dict[str, float] = Field(default_factory=dict)
    metadata: EpisodeMetadata = EpisodeMetadata()
    importance: Importance = 3
    novelty: Share = 1.0
    merged_from: tuple[str, ...] = ()
    """Ids of the exchanges or episodes this one absorbed."""

    facts: tuple[FactLink, ...] = ()
    source: Source = Source()
    summariser: str = "extractive/1"


# — turns: what was said, word for word —


class TurnRecord(Record):
    """What one participant said in one turn, as they said it: evidence, never an episode."""

    id: str
    text: str
    role: Literal["user", "assistant"] = "user"
    speaker: str
    """The name a message came with; without one, the role."""

    session: str
    """The thread it was said in."""

    position: int
    """Rises with time within a session, so that neighbours are known."""

    said_at: AwareDatetime
    echoes: bool = False
    """A question about the past, or memory's answer to one: tells nothing that is not older."""

    source: Source = Source()


# — what was decided, and how often something was used —


class MemoryDecision(Record):
    """Why something was remembered, changed or left alone."""

    kind: MemoryKind
    action: Action
    reason: str
    memory_id: str | None = None
    scores: dict[str, float] = Field(default_factory=dict)
    thresholds: dict[str, float] = Field(default_factory=dict)
    before: dict[str, JsonValue] | None = None
    """The record as it was, so that the change can be undone."""

    after: dict[str, JsonValue] | None = None


class LedgerEntry(Record):
    """Everything one node decided in one turn; also the receipt that it ran."""

    id: str
    at: AwareDatetime
    node: str
    source: Source = Source()
    decisions: tuple[MemoryDecision, ...] = ()


class AccessCount(Record):
    """How often a record was recalled. Kept apart, so that reading never re-embeds."""

    record_id: str
    count: int = Field(default=0, ge=0)
    last_accessed_at: AwareDatetime


# — patterns: what tends to follow from what —

PatternKind = Literal["pattern", "antipattern"]
PatternStatus = Literal["confirmed", "proposed", "rejected"]
RelationType = Literal["causes", "enables", "prevents", "correlates"]


class Relation(Record):
    """What a pattern does to another one, which need not be known yet."""

    type: RelationType
    target: str = Field(min_length=1)
    """The other pattern's name, in kebab-case."""


class Observation(Record):
    """One time a pattern was tried, and whether it worked."""

    id: str
    """The same for a retried call, so that nothing is counted twice."""

    success: bool
    at: AwareDatetime
    episode_id: str | None = None
    """The episode it was seen in; deleting that takes the observation back."""


def in_order(evidence: Iterable[Observation]) -> tuple[Observation, ...]:
    """Return observations as they were made, so that equal patterns compare equal."""
    return tuple(sorted(evidence, key=lambda each: (each.at, each.id)))


class PatternDraft(Record):
    """A pattern as somebody states it, before it is compared with what is known."""

    name: str
    trigger: str = ""
    action: str = ""
    description: str = ""
    kind: PatternKind | None = None
    """Unset: as it is known, or a pattern if it is new."""

    relations: tuple[Relation, ...] = ()


class Pattern(Record):
    """What to do, or not to do, when something happens, and how often that worked."""

    name: str = Field(min_length=1)
    """In kebab-case; also its id."""

    kind: PatternKind = "pattern"
    trigger: str
    action: str
    description: str = ""
    successes: int = Field(default=0, ge=0)
    occurrences: int = Field(default=0, ge=0)
    """Times it was tried: those in `evidence`, and older or imported ones."""

    evidence: Annotated[tuple[Observation, ...], AfterValidator(in_order)] = ()
    relations: tuple[Relation, ...] = ()
    last_validated_at: AwareDatetime | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    status: PatternStatus = "confirmed"
    """A `proposed` one waits for somebody to confirm it; a `rejected` one is not proposed again."""

    source: Source = Source()

    @property
    def id(self) -> str:
        """What it is kept under, as for every other memory."""
        return self.name

    @model_validator(mode="after")
    def _counts_agree(self) -> "Pattern":
        if self.successes > self.occurrences:
            raise ValueError(f"{self.successes} successes of {self.occurrences} occurrences")
        worked = sum(each.success for each in self.evidence)
        failed = len(self.evidence) - worked
        if worked > self.successes or failed > self.occurrences - self.successes:
            raise ValueError("the evidence holds more than the counts")
        if len({each.id for each in self.evidence}) < len(self.evidence):
            raise ValueError("the evidence holds something twice")
        return self
