"""Events: one typed line per decision, to the log and to the graph's custom stream.

Events carry ids, counts, scores and reasons, never what the user said. In the log an id is a
digest, because ids are made of words (`health:allergy:peanut`); the ledger has the id itself.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, cast

from memory_graph.errors import MemoryGraphError, OffReason, RecordNotFoundError
from memory_graph.keys import logged_id
from memory_graph.records import JudgedBy, MemoryDecision, RecallFound, RecallGrade, Usage
from memory_graph.safety.secrets import one_line

if TYPE_CHECKING:  # they bring the graph, which commands need not
    from langgraph.types import StreamWriter

    from memory_graph.state import DecisionNote, Tax

logger = logging.getLogger("memory_graph")

_FAMILY = {
    "fact": "memory",
    "episode": "episodic",
    "turn": "memory",
    "pattern": "memory",
    "instruction": "memory",
}


class Watched(Protocol):
    """What `Runtime` and `ToolRuntime` have in common for whoever watches the run."""

    @property
    def stream_writer(self) -> "StreamWriter":
        """Writes to the custom stream."""
        ...


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something a node decided or did."""

    always: ClassVar[frozenset[str]] = frozenset()
    """Fields that are named even where nothing is known of them."""

    @property
    def name(self) -> str:
        """What the event is called in the log and on the stream."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class MemoryDecided(Event):
    """A memory was created, changed or left alone: `memory.create`, `episodic.skip`, …."""

    node: str
    kind: str
    action: str
    reason: str
    memory_id: str | None
    scores: dict[str, float] = field(default_factory=dict)
    thresholds: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The family of the memory and the action: `episodic.merge`."""
        return f"{_FAMILY[self.kind]}.{self.action}"

    @classmethod
    def of(cls, node: str, decision: MemoryDecision) -> "MemoryDecided":
        """Describe a decision without the texts it was about."""
        return cls(node=node, **decision.model_dump(exclude={"before", "after"}))


@dataclass(frozen=True, kw_only=True)
class Considered(Event):
    """A statement or an exchange was judged; the next event says what was done."""

    node: str
    kind: str
    verdict: str
    """What is done: `create`, `update`, `merge`, `skip`, …."""

    because: str
    """The reason, as the line after it gives it."""

    scores: dict[str, float] = field(default_factory=dict)
    thresholds: dict[str, float] = field(default_factory=dict)
    milliseconds: float | None = None
    """Since the node began."""

    @property
    def name(self) -> str:
        """`memory.decide` or `episodic.decide`."""
        return f"{_FAMILY[self.kind]}.decide"


@dataclass(frozen=True, kw_only=True)
class FactsCompared(Event):
    """`memory_hotpath` compared a statement with the known facts nearest to it."""

    name = "memory.search"
    node: str
    similarity: float
    thresholds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FactMatched(Event):
    """A statement is about a known fact, by its key or by its meaning."""

    name = "memory.match"
    node: str
    memory_id: str
    because: str
    similarity: float | None = None


@dataclass(frozen=True, kw_only=True)
class MemorySearched(Event):
    """`memory_context` searched for what bears on the message."""

    name = "memory.search"
    intent: RecallGrade
    found: RecallFound
    reason: JudgedBy = "relevance"
    best: float
    threshold: float
    facts: int
    episodes: int
    turns: int = 0
    milliseconds: float


@dataclass(frozen=True, kw_only=True)
class EpisodeGenerated(Event):
    """An episode was written by the model (`stored`) or without it: one line per generation.

    If the model failed or would have cost too much, the offline summary was written;
    `declined`: the model saw no episode; `store_failed`: nothing was written.
    """

    name = "memory.episode"
    always = frozenset({"cost_usd"})
    outcome: Literal[
        "stored", "declined", "timeout", "model_error", "parse_error", "store_failed", "over_budget"
    ]
    duration_ms: float
    """Without the time that other episodes of the user took before it."""

    cost_usd: float | None = None
    memory_id: str | None = None
    """Only of one that is `stored`."""

    reason: str | None = None
    """Only of one that is not."""

    cut_characters: int | None = None
    """How much of the exchange was too long to be shown to the model."""


@dataclass(frozen=True, kw_only=True)
class EpisodeQueued(Event):
    """An exchange is kept; its episode is written after the reply."""

    name = "episodic.queued"
    reason: str


@dataclass(frozen=True, kw_only=True)
class NodeGaveUp(Event):
    """A memory node failed, and the run went on without it."""

    name = "memory.gave_up"
    node: str
    error: str
    reason: str | None = None
    """The text of our own errors; those of others might quote the user."""

    @classmethod
    def because(cls, node: str, error: Exception) -> "NodeGaveUp":
        """Describe a failure without the texts it may be about."""
        is_ours = isinstance(error, MemoryGraphError) and not isinstance(error, RecordNotFoundError)
        reason = str(error) if is_ours else None
        return cls(node=node, error=type(error).__name__, reason=reason)


@dataclass(frozen=True, kw_only=True)
class MemoryOff(Event):
    """Memory is off in this thread; `fix` says how to switch it on. Once per thread."""

    name = "memory.off"
    node: str
    reason: OffReason
    fix: str


@dataclass(frozen=True, kw_only=True)
class UsersMaintained(Event):
    """Maintenance of all users ran, up to the limit of one run."""

    name = "memory.maintained"
    users: int
    failed: int
    remaining: int
    changes: dict[str, int]


traced: ContextVar[Mapping[str, str]] = ContextVar("traced", default=MappingProxyType({}))
"""What the traces of internal model calls say about the turn: its node and its user's label."""

_subject: ContextVar[Mapping[str, str]] = ContextVar("subject", default=MappingProxyType({}))
"""Whom and what the events of a run are about: the label of the user's namespace, the thread, and
the message that the turn answers. Ids, never what was said.
"""

_started: ContextVar[float | None] = ContextVar("started", default=None)
"""When the node or tool began."""

_listeners: list[Callable[[Event], None]] = []


def begin(user_id: str, thread_id: str | None) -> None:
    """Say whom the events from here on are about; each node and tool runs in a context of its own.

    The clock of `memory.decide` starts with it.
    """
    before, now = _subject.get(), {"user_id": user_id}
    if thread_id:
        now["thread_id"] = thread_id
    if "turn_id" in before and before.get("thread_id") in (None, thread_id):
        now["turn_id"] = before["turn_id"]
    _subject.set(now)
    _started.set(time.perf_counter())


def begin_turn(turn_id: str) -> None:
    """Say which turn the events from here on are about."""
    _subject.set({**_subject.get(), "turn_id": turn_id})


def listen(listener: Callable[[Event], None]) -> None:
    """Let `listener` hear every event of this process, as metrics do."""
    _listeners.append(listener)


def record(run: Watched | None, event: Event) -> None:
    """Log `event` and tell listeners; stream it to whoever is watching, unless the run is over."""
    told = {k: value for k, value in vars(event).items() if value is not None or k in event.always}
    fields = {**_subject.get(), **told}
    name, is_off = event.name, isinstance(event, MemoryOff) and event.reason != "switched_off"
    level = logging.WARNING if is_off or isinstance(event, NodeGaveUp) else logging.INFO
    logged = {key: _logged(key, value, fields) for key, value in fields.items()}
    logger.log(level, "%s %s", name, logged, extra={"event": name, "fields": logged})
    for listener in _listeners:
        listener(event)
    if run is not None:
        run.stream_writer({"event": name, **fields})


_LONGEST = 200


def _logged(key: str, value: object, fields: Mapping[str, object]) -> object:
    """Return a field as the log has it: an id of a memory as its digest, a text on one line."""
    if key == "memory_id":
        return logged_id(str(fields.get("user_id", "")), str(value))
    return one_line(value, _LONGEST) if isinstance(value, str) else value


def alarm(text: str, *values: object) -> None:
    """Log that somebody has to look into something."""
    logger.error(text, *values)


def report(run: Watched | None, node: str, decisions: Sequence[MemoryDecision]) -> None:
    """Record each decision: what was compared, matched and decided, and then what was done."""
    started = _started.get()
    spent = None if started is None else round((time.perf_counter() - started) * 1000, 1)
    for decision in decisions:
        scores, thresholds = decision.scores, decision.thresholds
        considered = Considered(
            node=node,
            kind=decision.kind,
            verdict=decision.action,
            because=decision.reason,
            scores=scores,
            thresholds=thresholds,
            milliseconds=spent,
        )
        record(run, considered)
        if decision.kind == "fact":
            _report_match(run, node, decision)
        record(run, MemoryDecided.of(node, decision))


def _report_match(run: Watched | None, node: str, decision: MemoryDecision) -> None:
    near, found = decision.scores.get("similarity"), decision.memory_id
    if near is not None:
        record(run, FactsCompared(node=node, similarity=near, thresholds=decision.thresholds))
    if found and decision.action in _MATCHES:
        why = decision.reason
        record(run, FactMatched(node=node, memory_id=found, because=why, similarity=near))


_MATCHES = frozenset({"update", "verify", "retract"})


def notes(decisions: Sequence[MemoryDecision]) -> "list[DecisionNote]":
    """Return decisions as they are kept in the graph's state: without any text."""
    return [
        cast("DecisionNote", each.model_dump(exclude={"before", "after"})) for each in decisions
    ]


def stated(decisions: Sequence[MemoryDecision]) -> list[str]:
    """Return the statements that were kept or ended by decisions, for the reply.

    One that came too late to hold is not among them.
    """
    told = []
    for each in decisions:
        after = each.after or {}
        statement = str(after.get("statement", ""))
        if after and each.action == "retract":
            told.append(f"No longer true: {statement}")
        elif after.get("valid_to") is None and after and each.action in {"create", "update"}:
            told.append(statement)
    return told


def tax(started: float, *usages: Usage, before: "Tax | None" = None) -> "Tax":
    """Return the calls, tokens and milliseconds since `started`, on top of `before`.

    What an endpoint did not say stays unknown.
    """
    earlier: Tax = before or {}
    spent_before = Usage(
        earlier.get("calls", 0), earlier.get("input_tokens", 0), earlier.get("output_tokens", 0)
    )
    total = sum(usages, spent_before)
    spent = (time.perf_counter() - started) * 1000
    return {
        "calls": total.calls,
        "input_tokens": total.input_tokens,
        "output_tokens": total.output_tokens,
        "milliseconds": round(earlier.get("milliseconds", 0.0) + spent, 1),
    }
