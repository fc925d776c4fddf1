"""What the routes are asked and what they answer."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, StringConstraints, model_validator

from memory_graph.curation.audit import AuditReport, FindingKind, Fix
from memory_graph.curation.forget import BEYOND_REACH, Forgotten
from memory_graph.curation.reports import TurnReport
from memory_graph.curation.undo import Origin, RolledBack, Undone
from memory_graph.memory import Added, Erased
from memory_graph.recall.block import Recollection
from memory_graph.recall.explaining import FATES
from memory_graph.records import (
    Considered,
    Episode,
    Fact,
    FactVersion,
    JudgedBy,
    LedgerEntry,
    MemoryDecision,
    Outcome,
    Pattern,
    PatternStatus,
    Reach,
    RecallFound,
    RecallGrade,
    RecallTrace,
    TurnRecord,
)
from memory_graph.server.operations import Body, Query
from memory_graph.store.collection import Found
from memory_graph.transfer.jsonl import Moved, as_json

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=512)]
Zone = Annotated[str, StringConstraints(max_length=64)]


# — asked —
class Nothing(Query):
    """Nothing but whose memory it is."""


class OfMemory(Query):
    """One memory: its id, or at least eight characters of its beginning."""

    memory_id: Id


class OfName(Body):
    """One pattern, by its name."""

    name: Id


class Paged(Query):
    """A part of a list."""

    limit: int = Field(default=100, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)


class WhichMemories(Paged):
    """Which memories, of which kind; facts as they were at the end of a day."""

    kind: Literal["fact", "episode", "pattern", "turn"] | None = None
    as_of: date | None = None


class WhichEpisodes(Paged):
    """Which episodes: about what, from when, with which outcome."""

    q: Annotated[str, StringConstraints(max_length=2_000)] = ""
    when: Annotated[str, StringConstraints(max_length=200)] = ""
    outcome: Outcome | None = None
    tag: Annotated[str, StringConstraints(max_length=200)] = ""
    project: Annotated[str, StringConstraints(max_length=200)] = ""
    zone: Zone | None = None


class WhichPatterns(Paged):
    """Which patterns: all, or those of one status."""

    status: PatternStatus | None = None


class Searched(Query):
    """What is looked for."""

    q: Words
    limit: int = Field(default=10, ge=1, le=100)


class Replayed(Query):
    """A topic whose episodes are told in order."""

    topic: Words
    limit: int = Field(default=20, ge=1, le=100)


class Confirmation(Query):
    """That really everything is to be forgotten."""

    everything: Literal["true"]


class Message(Body):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: Text
    id: Id | None = None


class Addition(Body):
    """What was said: a text of the user's, or the messages of a conversation."""

    text: Text | None = None
    messages: list[Message] | None = Field(default=None, min_length=1, max_length=100)
    thread_id: Id | None = None

    @model_validator(mode="after")
    def _either(self) -> Self:
        if (self.text is None) == (self.messages is None):
            raise ValueError("give `text` or `messages`, and not both")
        return self


class Correction(Body):
    """What a fact says from now on."""

    memory_id: Id
    statement: Annotated[Text, StringConstraints(max_length=500)]
    value: Annotated[str, StringConstraints(max_length=500)] | None = None


class Pin(Body):
    """Whether a fact or an episode is pinned."""

    memory_id: Id
    pinned: bool = True


class Undoing(Body):
    """A ledger entry, as `why` lists them, or one of its decisions."""

    entry: Id
    number: int | None = Field(default=None, ge=1, le=10_000)


class RollingBack(Body):
    """Where memories came from; all that is given must fit."""

    thread: Id | None = None
    run: Id | None = None
    tool: Id | None = None
    since: datetime | None = None
    until: datetime | None = None
    apply: bool = False

    @property
    def origin(self) -> Origin:
        """Where they came from; a time without a zone is taken as UTC."""
        return Origin(
            thread_id=self.thread,
            run_id=self.run,
            by=self.tool,
            since=_in_utc(self.since),
            until=_in_utc(self.until),
        )


def _in_utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment and not moment.tzinfo else moment


class RecallAsked(Body):
    """A message, as the user would write it."""

    text: Text
    explain: bool = False
    is_first: bool = False
    zone: Zone | None = None


class WhyNotAsked(Body):
    """A message, and a memory that one would expect for it."""

    text: Text
    memory_id: Id


class Mending(Body):
    """Whether what an audit found is mended, or only how is said."""

    apply: bool = False


# — answered —
class FactAnswer(Fact):
    """A fact."""

    kind: Literal["fact"] = "fact"


class EpisodeAnswer(Episode):
    """An episode."""

    kind: Literal["episode"] = "episode"


class TurnAnswer(TurnRecord):
    """What was said, word for word."""

    kind: Literal["turn"] = "turn"


MemoryAnswer = FactAnswer | EpisodeAnswer | TurnAnswer | Pattern
_KINDS: dict[type[Moved], type[FactAnswer] | type[EpisodeAnswer] | type[TurnAnswer]] = {
    Fact: FactAnswer,
    Episode: EpisodeAnswer,
    TurnRecord: TurnAnswer,
}


def told(record: Moved) -> MemoryAnswer:
    """Return a memory as the routes tell it: with its kind."""
    model = _KINDS.get(type(record))
    return model.model_validate(as_json(record)) if model else Pattern.model_validate(record)


def kind_of(record: Moved) -> str:
    """Return which list a memory belongs to; an antipattern is a pattern."""
    return "pattern" if isinstance(record, Pattern) else str(as_json(record)["kind"])


class OneMemory(BaseModel):
    """One memory."""

    memory: MemoryAnswer


class Page(BaseModel):
    """Where in a list an answer ends."""

    total: int
    next_offset: int | None
    """Where the next part begins; nothing if this is the last."""


class Memories(Page):
    """Memories, in the order of an export."""

    memories: list[MemoryAnswer]


class FoundFact(FactAnswer):
    """A fact that was found, with the parts of its score."""

    score: float
    parts: dict[str, float]


class FoundEpisode(EpisodeAnswer):
    """An episode that was found, with the parts of its score."""

    score: float
    parts: dict[str, float]


class FoundMemories(BaseModel):
    """What was found, best first."""

    memories: list[FoundFact | FoundEpisode]

    @classmethod
    def of(cls, found: Sequence[Found[Fact] | Found[Episode]]) -> "FoundMemories":
        """Return what a search found."""
        return cls(memories=[_found(each) for each in found])


def _found(found: Found[Fact] | Found[Episode]) -> FoundFact | FoundEpisode:
    values = {**as_json(found.record), "score": found.score, "parts": found.parts}
    if isinstance(found.record, Fact):
        return FoundFact.model_validate(values)
    return FoundEpisode.model_validate(values)


class HistoryAnswer(FactAnswer):
    """A fact, and every value it had."""

    versions: list[FactVersion]
    """Oldest first, up to the one it has now."""


class Decisions(BaseModel):
    """Every decision about a memory, oldest first."""

    memory_id: str
    entries: list[LedgerEntry]


class AddedAnswer(BaseModel):
    """What memory made of something that was said."""

    thread_id: str
    decisions: list[MemoryDecision]
    facts: list[FactAnswer]
    episode_ids: list[str]

    @classmethod
    def of(cls, added: Added) -> "AddedAnswer":
        """Return what was made of it."""
        return cls(
            thread_id=added.thread_id,
            decisions=list(added.decisions),
            facts=[FactAnswer.model_validate(as_json(fact)) for fact in added.facts],
            episode_ids=added.episode_ids,
        )


class PinAnswer(BaseModel):
    """Whether a pin changed anything."""

    memory_id: str
    pinned: bool
    changed: bool


class ForgottenAnswer(BaseModel):
    """What was forgotten, and where it may still be told."""

    forgotten: str
    ledger_entries: int
    turns: int
    told_in: list[str]
    beyond_reach: list[str]

    @classmethod
    def of(cls, forgotten: Forgotten) -> "ForgottenAnswer":
        """Return what was forgotten."""
        return cls(
            forgotten=forgotten.record.id,
            ledger_entries=forgotten.ledger_entries,
            turns=forgotten.turns,
            told_in=list(forgotten.told_in),
            beyond_reach=list(BEYOND_REACH),
        )


class ErasedAnswer(BaseModel):
    """How much was forgotten, and what a second look still found."""

    forgotten: dict[str, int]
    left: dict[str, int]
    beyond_reach: list[str]

    @classmethod
    def of(cls, erased: Erased) -> "ErasedAnswer":
        """Return the proof."""
        return cls(
            forgotten=dict(erased.forgotten),
            left=dict(erased.left),
            beyond_reach=list(erased.beyond_reach),
        )


class UndoneMemory(BaseModel):
    """One memory, before and after a decision about it was taken back."""

    was: MemoryAnswer | None
    restored: MemoryAnswer | None


class UndoneAnswer(BaseModel):
    """What was restored."""

    undone: list[UndoneMemory]

    @classmethod
    def of(cls, undone: Sequence[Undone]) -> "UndoneAnswer":
        """Return what was restored."""
        return cls(
            undone=[
                UndoneMemory(
                    was=told(each.was) if each.was else None,
                    restored=told(each.restored) if each.restored else None,
                )
                for each in undone
            ]
        )


class RolledBackAnswer(BaseModel):
    """What a rollback takes back, and what it cannot."""

    applied: bool
    removed: list[str]
    restored: list[str]
    words: int
    """Messages whose verbatim words are deleted."""

    left: list[str]
    """Memories that others have a part in: they stay as they are."""

    @classmethod
    def of(cls, back: RolledBack, *, applied: bool) -> "RolledBackAnswer":
        """Return what goes and what stays."""
        return cls(
            applied=applied,
            removed=[each.was.id for each in back.undone if each.was and not each.restored],
            restored=[each.restored.id for each in back.undone if each.restored],
            words=back.words,
            left=list(back.left),
        )


class Episodes(Page):
    """Episodes: the latest first, or the best."""

    episodes: list[EpisodeAnswer]


class Chain(BaseModel):
    """Episodes in the order they happened."""

    episodes: list[EpisodeAnswer]


class Patterns(Page):
    """Patterns, by name."""

    patterns: list[Pattern]


class PatternAnswer(BaseModel):
    """One pattern, as it stands now."""

    pattern: Pattern


class RecallAnswer(BaseModel):
    """What a model would be told for a message, and why that."""

    block: str
    """The very text that a run would give to the model."""

    tokens: int
    found: RecallFound
    best: float
    threshold: float
    reason: JudgedBy
    intent: RecallGrade
    language: str
    time_phrase: str | None
    reach: Reach | None
    answers: list[str]
    considered: list[Considered]
    """What was looked at: what is shown first, in its order; then the rest, by fit."""

    @classmethod
    def of(cls, recollection: Recollection) -> "RecallAnswer":
        """Return what is told."""
        recalled = recollection.recalled
        asked, verdict = recalled.asked, recalled.verdict
        return cls(
            block=recollection.block,
            tokens=recollection.tokens,
            found=verdict.found,
            best=verdict.best,
            threshold=verdict.threshold,
            reason=verdict.reason,
            intent=asked.grade,
            language=asked.language,
            time_phrase=asked.phrase.phrase if asked.phrase else None,
            reach=recalled.reach,
            answers=recalled.answers,
            considered=list(recollection.considered),
        )


class FateAnswer(Considered):
    """What becomes of a memory when a message is recalled for."""

    why: str
    """What that means, in words."""

    @classmethod
    def of(cls, fate: Considered) -> "FateAnswer":
        """Return what becomes of it, in words."""
        return cls(**fate.model_dump(), why=FATES[fate.fate])


class TurnReportAnswer(BaseModel):
    """One turn, and what memory did in it."""

    at: str
    thread_id: str | None
    said: TurnAnswer | None
    replied: TurnAnswer | None
    entries: list[LedgerEntry]
    recall: RecallTrace | None

    @classmethod
    def of(cls, report: TurnReport) -> "TurnReportAnswer":
        """Return what memory did in a turn."""
        said, replied = report.said, report.replied
        return cls(
            at=report.at.isoformat(),
            thread_id=report.source.thread_id,
            said=TurnAnswer.model_validate(as_json(said)) if said else None,
            replied=TurnAnswer.model_validate(as_json(replied)) if replied else None,
            entries=list(report.entries),
            recall=report.recall,
        )


class Turns(BaseModel):
    """The last turns, newest first."""

    turns: list[TurnReportAnswer]
    next_offset: int | None


class FindingAnswer(BaseModel):
    """Something about one memory that a person should know."""

    kind: FindingKind
    memory_ids: list[str]
    text: str
    detail: str


class AuditAnswer(BaseModel):
    """What is of no use in a memory."""

    total: int
    junk: int
    junk_share: float
    counts: dict[FindingKind, int]
    refused: dict[str, int]
    findings: list[FindingAnswer]

    @classmethod
    def of(cls, report: AuditReport) -> "AuditAnswer":
        """Return what was found."""
        return cls.model_validate(report.as_json())


class FixChange(BaseModel):
    """One change that mends something."""

    id: str | None
    action: str
    reason: str


class FixAnswer(BaseModel):
    """What mending changes, and the ledger entry that undoes it."""

    applied: bool
    entry: str | None
    changes: list[FixChange]

    @classmethod
    def of(cls, mended: Fix) -> "FixAnswer":
        """Return what was mended."""
        return cls.model_validate(mended.as_json())


class Stats(BaseModel):
    """Counts; nothing in them says what is remembered."""

    facts: int
    retracted_facts: int
    episodes: int
    patterns: int
    decisions: dict[str, int]
