"""Everything that is stored, as plain data: no I/O, no behaviour beyond validation."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal, get_args

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)


def storable_id(given: str) -> str:
    """Return an id as every store and checkpointer takes it; different ids stay different.

    One with lone surrogates, which are no text, is written as its bytes in hexadecimal.
    """
    if not _SURROGATE.search(given) and not given.startswith(_ENCODED):
        return given
    return f"{_ENCODED}{given.encode('utf-8', 'surrogatepass').hex()}"


_ENCODED = "bytes:"
_SURROGATE = re.compile("[\ud800-\udfff]")


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True)
class Usage:
    """What model calls cost; tokens are unknown (`None`) where the endpoint does not say."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return both together; an unknown part makes the sum unknown."""
        return Usage(
            self.calls + other.calls,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
        )


RecallGrade = Literal["none", "implicit", "explicit"]
Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, kw_only=True)
class Said:
    """One message, stripped of everything a policy has no business with.

    Memory that was injected into the prompt never becomes a `Said`.
    """

    role: Role
    text: str = ""
    message_id: str = ""
    tool_calls: tuple[str, ...] = ()
    """For the assistant: names of the tools it called in this message."""

    tool: str | None = None
    """For a tool result: the tool's name."""

    name: str | None = None
    """Who spoke, where a message says so: several people may share a conversation."""

    is_error: bool = False
    """For a tool result: the tool failed."""

    is_from_memory: bool = False
    """For the assistant: memory itself said it, without a model."""


Signal = Literal[
    "lexical",
    "vector",
    "speaker",
    "time",
    "asks",
    "importance",
    "recency",
    "pinned",
]

SIGNALS: tuple[Signal, ...] = get_args(Signal)
SecretKind = Literal["card", "password", "token", "private_key", "identity", "bank_account"]
SECRET_KINDS: tuple[SecretKind, ...] = get_args(SecretKind)
ToolSet = Literal["assistant", "facts", "episodes", "recording", "patterns", "all"]
"""The sets of memory tools, by purpose."""

RecallFound = Literal["found", "weak", "none"]

Reach = Literal["asked", "around", "anytime"]
"""How far from the time asked about one had to look: in it, near it, or anywhere."""

JudgedBy = Literal["relevance", "time"]
"""`time`: whatever was said then was asked for, so only that it was said then counts."""

FactCategory = Literal["profile", "preference", "work", "health", "goal", "other"]
FACT_CATEGORIES: tuple[FactCategory, ...] = get_args(FactCategory)
Speaker = Literal["user", "other"]
Outcome = Literal["success", "partial", "failure", "ongoing", "unknown"]
EpisodeStatus = Literal["active", "summarized", "archived"]
DecisionType = Literal["design", "implementation", "test", "recovery", "routing"]
EventType = Literal["tool_call", "error", "milestone", "handoff", "commit", "test"]
MemoryKind = Literal["fact", "episode", "turn", "pattern", "instruction"]
Action = Literal["create", "update", "verify", "retract", "merge", "evict", "skip"]
Importance = Annotated[int, Field(ge=1, le=5)]
Share = Annotated[float, Field(ge=0, le=1)]


class Record(BaseModel):
    """Something stored. Frozen, so a change is always a new write.

    Unknown fields are ignored, so that an older worker reads what a newer one wrote.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Source(Record):
    """Where a memory comes from: the messages somebody said it in."""

    thread_id: str | None = None
    run_id: str | None = None
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change that somebody makes outside a conversation: who, when, and where they said so."""

    id: str
    """The same for a retry, so that it changes nothing twice."""

    by: str
    at: datetime
    source: Source = Source()  # noqa: RUF009 — frozen


# — facts —
Precision = Literal["day", "month", "year"]


class Claim(Record):
    """What is stated, and about whom."""

    statement: str
    """A full sentence in the third person: `The user's cat Luna is 4 years old.`"""

    category: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")] = "other"
    """A `FactCategory`, or one of the developer's own."""

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

    own_words: bool = False
    """The statement is a sentence as the user said it, not one that was read out of it."""

    profile: bool = False
    """It belongs on the half page that is always shown: who they are, home, work, family."""

    precision: Precision = "day"
    """How exact the days of it are."""


class Named(Record):
    """A known record as a reader was shown it; it may have changed since."""

    id: str
    revision: AwareDatetime
    """When it was last changed, as it was shown."""


class FactCandidate(Claim):
    """One statement proposed for semantic memory, not yet compared with what is known."""

    statement: str = Field(min_length=1, max_length=500)
    retracts: bool = False
    """The statement ends a fact: `I no longer eat meat`, `forget my address`."""

    since: AwareDatetime | None = None
    """When it became true, if that was said: `Luna turned 4 yesterday`."""

    starts: AwareDatetime | None = None
    """The day to come from which it holds; what it replaces is true until then."""

    until: AwareDatetime | None = None
    """When it ceases to be true, if that was said: `till Christmas`."""

    replaces: tuple[Named, ...] = ()
    """The known facts that it makes untrue or says better, as a model that was shown them says."""

    was_wrong: bool = False
    """What it replaces was never so: it is a correction, and no change."""

    key: str | None = None
    """The key of an attribute that a developer named; else it follows from the attribute."""


@dataclass(frozen=True)
class FactRead:
    """A candidate that rules read, and the words it was read from."""

    candidate: FactCandidate
    sentence: str
    """The sentence or clause as it was written."""

    words: str = ""
    """Those of its words that say the fact, where it is known which."""


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

    said_at: AwareDatetime | None = None
    """When it was said, if that is not when it became true."""

    until: AwareDatetime | None = None
    """When it ceases to be true, as was said or as a plan makes it."""

    heir: str = ""
    """The id of the fact that takes its place then, where a plan does."""

    was_wrong: bool = False
    """It was never so: nobody is told that it was true."""


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
    """When it ceased, or ceases, to be true; a day to come where a plan will replace it."""

    until: AwareDatetime | None = None
    """When it ceases to be true, as was said or as a plan makes it."""

    heir: str = ""
    """The id of the fact that takes its place then, where a plan does."""

    was_wrong: bool = False
    """It ended because it was never so: nobody is told that it was true."""

    by_hand: bool = False
    """A person corrected it: only a newer statement that names it changes it."""

    said_at: AwareDatetime | None = None
    """When the statement was said, if that is not when it became true (`valid_from`)."""

    retraction: Source | None = None
    """Who ended it, when `valid_to` is set."""

    retractions: tuple[Retraction, ...] = ()
    """Every one heard, oldest first: what ended nothing may end what is heard of later."""

    repeated_at: AwareDatetime | None = None
    """When the value was last said again before it ended."""

    history: tuple[FactVersion, ...] = ()
    """Superseded values, oldest first; their intervals and this one leave no gap."""

    extractor: str = "rules/2"
    """Which prompt or rule set proposed it."""


# — episodes —
class Decision(Record):
    """One choice made during an episode (`d001`)."""

    id: str
    title: str = ""
    """What it was about, where that is not what was chosen."""

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
    """Best-effort structure around an episode; empty where nothing was found.

    Whatever else somebody names (`source`, `ticket`, …) is kept as they gave it.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    participants: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    key_decisions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    session_id: str | None = None
    """The session it tells of, as its host numbers it: `2026-01-21-session-42`."""

    @property
    def free(self) -> dict[str, JsonValue]:
        """What somebody named besides the known fields."""
        return dict(self.model_extra or {})


class FactLink(Record):
    """A fact that came out of an episode."""

    fact_id: str
    position: int = 0
    confidence: Share = 1.0


_LONGEST_TOPIC = 120


Quality = Literal["high", "medium", "low"]


class EpisodeDraft(Record):
    """What is written about one exchange, or that nothing came of it."""

    worth: bool = True
    """Whether it is an episode at all."""

    continues: int | None = None
    """Number of the shown event that it goes on with; 0: none of them; not said: `None`."""

    summary: str = Field(default="", max_length=600)
    """One or two sentences: what was discussed, decided or done."""

    topic: str = Field(default="", max_length=_LONGEST_TOPIC)
    goal: str = Field(default="", max_length=200)
    approach: str = Field(default="", max_length=200)
    outcome: Outcome = "unknown"
    quality: Quality = "medium"
    """How much can be learnt from it."""

    decisions: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _titled(cls, given: object) -> object:
        """Use the first line of the summary as the title if none is given; of none, nothing."""
        if not isinstance(given, dict):
            return given
        if given.get("worth") is False:
            return {"worth": False}
        if str(given.get("topic") or "").strip():
            return given
        lines = str(given.get("summary") or "").strip().splitlines()
        return {**given, "topic": lines[0][:_LONGEST_TOPIC]} if lines else given

    @model_validator(mode="after")
    def _says_something(self) -> "EpisodeDraft":
        if self.worth and not self.summary.strip():
            raise ValueError("an episode needs a summary")
        return self


_AskedLine = Annotated[str, Field(min_length=1, max_length=160)]
_AskedLines = Annotated[list[_AskedLine], Field(max_length=4)]
_AskedNames = Annotated[list[_AskedLine], Field(max_length=6)]


class EpisodeAsked(BaseModel):
    """The fields of `EpisodeDraft` that a model is asked for; the others are known without it."""

    worth: bool
    continues: int
    summary: Annotated[str, Field(max_length=600)]
    topic: Annotated[str, Field(max_length=_LONGEST_TOPIC)]
    goal: Annotated[str, Field(max_length=200)]
    approach: Annotated[str, Field(max_length=200)]
    outcome: Outcome
    quality: Quality
    decisions: _AskedLines
    lessons: _AskedLines
    next_steps: _AskedLines
    participants: _AskedNames
    entities: _AskedNames
    tags: Annotated[list[_AskedLine], Field(max_length=5)]


class Episode(Record):
    """One noteworthy stretch of conversation, as it will be recalled later."""

    id: str
    title: str
    summary: str
    human_line: str
    """`On 2026-11-16 (W47, 2026) we discussed {topic}. Approach: {approach}.`"""

    goal: str = ""
    """What the user wanted."""

    quality: Quality = "medium"
    """How much can be learnt from it."""

    content: str = ""
    pinned: bool = False
    """Kept at any age: upkeep and retention leave it alone."""

    started_at: AwareDatetime
    ended_at: AwareDatetime
    created_at: AwareDatetime
    updated_at: AwareDatetime
    date_iso: str
    """The day it ended; see `days`."""

    days: tuple[str, ...] = ()
    """All days it tells of, where they are several: merged over days, it is found by each."""

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
    note: dict[str, str] = Field(default_factory=dict)
    """What people wrote into its note that no other field holds, by heading."""

    note_title: str | None = None
    """What its note is called, once it has one."""


# — instructions: how the user wants the agent to work —
class Instruction(Record):
    """One wish of the user's on how the agent works from now on."""

    id: str
    wish: str = Field(min_length=1, max_length=300)
    """One imperative sentence, in the user's language: `Answer in British English.`"""

    when: str = "always"
    """The occasion it is for, such as `code` or `mails`; else `always`."""

    until: date | None = None
    """The last day it holds, where one was said."""

    source: Source = Source()
    read_by: str = ""
    created_at: AwareDatetime
    updated_at: AwareDatetime
    ended_at: AwareDatetime | None = None
    history: tuple[str, ...] = ()
    """Earlier wishes that this one replaced, oldest first."""

    @property
    def is_global(self) -> bool:
        """Whether it holds on every occasion."""
        return self.when == "always"


# — turns: what was said, word for word —
HandlingState = Literal["open", "put_off", "done"]


class Handling(Record):
    """What one node made of a turn: by whom, and with what outcome."""

    state: HandlingState = "done"
    reason: str = ""
    by: str = ""
    """Who did it: `rules`, or a prompt's version and the model's name."""

    at: AwareDatetime | None = None
    action: str = ""
    """What capture decided: `create`, `merge` or `skip`."""

    memory_id: str | None = None
    """The episode that holds the turn."""


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
    about_from: AwareDatetime | None = None
    """The beginning of the one day it speaks of: `yesterday`, `on the 24th`."""

    about_until: AwareDatetime | None = None
    """The instant after that time."""

    notable: Share = 0.5
    """How likely it tells something worth knowing later."""

    echoes: bool = False
    """It is never found: a question, memory's answer to one, or what the user asked to forget."""

    source: Source = Source()
    digest: str = ""
    """Differs if the message was edited under the same id."""

    read: Handling = Handling()
    """What the reading of facts made of it; `open` until somebody has read it."""

    captured: Handling = Handling()
    """What capture made of it; `put_off` where a cooldown or quota left it for later."""

    has_episode: bool | None = None
    """Whether something may have come of it, as whoever read it says."""

    withdrawn: bool = False
    """The thread went back behind it: nothing that came of it holds."""

    outdated_at: AwareDatetime | None = None
    """When something newer was said that makes it outdated."""

    outdated_by: str = ""
    """The id of the turn that did."""


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


RecallFate = Literal[
    "shown",
    "over_budget",
    "over_limit",
    "below_floor",
    "told_already",
    "superseded",
    "another_time",
    "outranked",
    "not_searched",
    "echoes",
    "archived",
]
"""Whether recall showed a memory (`shown`), or why it was left out (all others)."""


class Considered(Record):
    """One memory that recall looked at, and its fate, without its text."""

    memory_id: str
    kind: MemoryKind
    fate: RecallFate
    fit: float = 0.0
    """How well it fits the message, by which memories of all kinds are ordered."""

    relevance: float = 0.0
    words: float = 0.0
    """The share of the question's words, by rarity, that it has itself."""

    meaning: float = 0.0
    """How alike it is in meaning, 0–1."""

    parts: dict[str, float] = Field(default_factory=dict)
    """What each signal added to its score among its kind."""

    place: int | None = None
    """Its rank among its kind, if it was too far down to be looked at."""


class RecallTrace(Record):
    """What was recalled for one turn and what was left out, with the reasons."""

    intent: RecallGrade = "none"
    found: RecallFound = "none"
    best: float = 0.0
    threshold: float = 0.0
    reason: JudgedBy = "relevance"
    reach: Reach | None = None
    since: AwareDatetime | None = None
    """The beginning of the time asked about."""

    until: AwareDatetime | None = None
    tokens: int = 0
    considered: tuple[Considered, ...] = ()
    milliseconds: float | None = None
    """What all of memory added to the turn, as far as it is known."""

    calls: int = 0
    """Model calls of memory in the turn."""


@dataclass(frozen=True)
class Receipt:
    """The proof that a turn or change was handled: the id a retry would use, and its source."""

    id: str
    source: Source = Source()  # noqa: RUF009 — frozen
    digest: str = ""
    recall: RecallTrace | None = None


class LedgerEntry(Record):
    """Everything one node decided in one turn; also the receipt that it ran."""

    id: str
    at: AwareDatetime
    node: str
    source: Source = Source()
    decisions: tuple[MemoryDecision, ...] = ()
    digest: str = ""
    """A hash that tells a message from an edited one; too short to reveal its text."""

    recall: RecallTrace | None = None
    """What was recalled before the reply, where the entry closes a turn."""


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

    rate: Share | None = None
    """How far it worked, where that was neither all nor nothing."""

    @property
    def worked(self) -> float:
        """What the observation adds to the successes."""
        return self.success if self.rate is None else self.rate


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
    project: str | None = None
    """The project it was seen in; unset, it is one for every project."""


_ROUNDING = 1e-6


class Pattern(Record):
    """What to do, or not to do, when something happens, and how often that worked."""

    name: str = Field(min_length=1)
    """In kebab-case; also its id."""

    kind: PatternKind = "pattern"
    trigger: str
    action: str
    description: str = ""
    successes: int | float = Field(default=0, ge=0)
    """Tries that worked; a part where one worked in part."""

    occurrences: int = Field(default=0, ge=0)
    """Times it was tried: those in `evidence`, and older or imported ones."""

    evidence: Annotated[tuple[Observation, ...], AfterValidator(in_order)] = ()
    relations: tuple[Relation, ...] = ()
    last_validated_at: AwareDatetime | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    status: PatternStatus = "confirmed"
    """A `proposed` one waits for somebody to confirm it; a `rejected` one is not proposed again."""

    projects: tuple[str, ...] = ()
    """The projects it was seen in; none: it is one for every project."""

    source: Source = Source()
    note: dict[str, str] = Field(default_factory=dict)
    """What people wrote into its note that no other field holds, by heading."""

    @property
    def id(self) -> str:
        """What it is kept under, as for every other memory."""
        return self.name

    @model_validator(mode="after")
    def _counts_agree(self) -> "Pattern":
        if self.successes > self.occurrences:
            raise ValueError(f"{self.successes} successes of {self.occurrences} occurrences")
        worked = sum(each.worked for each in self.evidence)
        failed = len(self.evidence) - worked
        few = self.successes - worked, self.occurrences - self.successes - failed
        if min(few) < -_ROUNDING:
            raise ValueError("the evidence holds more observations than are counted")
        if len({each.id for each in self.evidence}) < len(self.evidence):
            raise ValueError("the evidence holds an observation twice")
        return self
