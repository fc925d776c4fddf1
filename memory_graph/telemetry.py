"""Events: one typed line per decision, to the log and to the graph's custom stream.

Events carry ids, counts, scores and reasons. They never carry what the user said.
"""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Literal, Protocol

from langgraph.types import StreamWriter

from memory_graph.errors import MemoryGraphError
from memory_graph.policy.recall import JudgedBy, RecallFound
from memory_graph.policy.recall_intent import RecallGrade
from memory_graph.records import MemoryDecision

logger = logging.getLogger("memory_graph")

_PAST = {
    "create": "created",
    "update": "updated",
    "verify": "verified",
    "retract": "retracted",
    "merge": "merged",
    "evict": "evicted",
    "skip": "skipped",
    "search": "searched",
}
_FAMILY = {"fact": "memory", "episode": "episodic", "turn": "memory", "pattern": "memory"}


class Watched(Protocol):
    """What `Runtime` and `ToolRuntime` have in common for whoever watches the run."""

    @property
    def stream_writer(self) -> StreamWriter:
        """Writes to the custom stream."""
        ...


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something a node decided or did."""

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
        told = decision.model_dump(exclude={"before", "after"})
        return cls(node=node, **told)


@dataclass(frozen=True, kw_only=True)
class MemorySearched(Event):
    """`memory_context` looked for what bears on the turn."""

    intent: RecallGrade
    found: RecallFound
    reason: JudgedBy = "relevance"
    best: float
    threshold: float
    facts: int
    episodes: int
    turns: int = 0
    milliseconds: float

    @property
    def name(self) -> str:
        """Always `memory.search`."""
        return "memory.search"


@dataclass(frozen=True, kw_only=True)
class EpisodeGenerated(Event):
    """An episode was written, or was not: one line per generation."""

    outcome: Literal["stored", "timeout", "model_error", "parse_error", "store_failed"]
    milliseconds: float
    cost_usd: float | None = None
    memory_id: str | None = None
    reason: str | None = None

    @property
    def name(self) -> str:
        """Always `memory.episode`."""
        return "memory.episode"


@dataclass(frozen=True, kw_only=True)
class EpisodeQueued(Event):
    """An exchange is kept; its episode is written after the reply."""

    reason: str

    @property
    def name(self) -> str:
        """Always `episodic.queued`."""
        return "episodic.queued"


@dataclass(frozen=True, kw_only=True)
class NodeGaveUp(Event):
    """A memory node failed, and the run went on without it."""

    node: str
    error: str
    reason: str | None = None
    """What our own errors say; theirs might quote the user."""

    @property
    def name(self) -> str:
        """Always `memory.gave_up`."""
        return "memory.gave_up"

    @classmethod
    def because(cls, node: str, error: Exception) -> "NodeGaveUp":
        """Describe a failure without the texts it may be about."""
        reason = str(error) if isinstance(error, MemoryGraphError) else None
        return cls(node=node, error=type(error).__name__, reason=reason)


_listeners: list[Callable[[Event], None]] = []


def listen(listener: Callable[[Event], None]) -> None:
    """Let `listener` hear every event of this process, as metrics do."""
    _listeners.append(listener)


def record(run: Watched, event: Event) -> None:
    """Log `event`, and stream it to whoever is watching the run."""
    log(event)
    run.stream_writer({"event": event.name, "type": _past_tense(event.name), **_fields(event)})


def _past_tense(name: str) -> str:
    """Return what the stream calls an event's type: `memory.created`, `episodic.skipped`."""
    family, _, action = name.rpartition(".")
    return f"{family}.{_PAST.get(action, action)}"


def log(event: Event) -> None:
    """Log `event` and tell listeners; for what happens when the run is over."""
    fields = _fields(event)
    level = logging.WARNING if isinstance(event, NodeGaveUp) else logging.INFO
    logger.log(level, "%s %s", event.name, fields, extra={"event": event.name, "fields": fields})
    for listener in _listeners:
        listener(event)


def alarm(text: str, *values: object) -> None:
    """Log that somebody has to look into something."""
    logger.error(text, *values)


def _fields(event: Event) -> dict[str, object]:
    return {key: value for key, value in asdict(event).items() if value is not None}
