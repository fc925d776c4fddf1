"""What goes into a namespace's index, what is asked of it, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Required, TypedDict

from memory_graph.policy.ranking import RankingWeights, Signal
from memory_graph.policy.wording import Voices

if TYPE_CHECKING:
    from memory_graph.storage.vectors import Vector


class Document(NamedTuple):
    """One item to be found: a fact, an episode or a verbatim turn.

    A tuple, because thousands are made when a namespace is read.
    """

    key: str
    text: str
    said_at: float
    """Seconds since the epoch."""

    vector: "Vector | Sequence[float] | None" = None
    """The embedding of the text, of unit length."""

    speaker: str | None = None
    group: str | None = None
    """The session or thread it belongs to; a fact has none."""

    position: int = 0
    """Its place within the group, which no other item holds."""

    importance: int = 3
    pinned: bool = False


class Fields(TypedDict, total=False):
    """What a kind of record says about a document, as `Document` explains it."""

    said_at: Required[float]
    speaker: str
    group: str
    position: int
    importance: int
    pinned: bool


@dataclass(frozen=True, kw_only=True)
class Window:
    """A stretch of time a query asks about, in seconds since the epoch; `end` is not in it."""

    start: float
    end: float
    mode: Literal["soft", "hard"] = "soft"
    """`hard` leaves out whatever was said at another time."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is looked for."""

    text: str
    now: float
    vector: Sequence[float] | None = field(default=None, repr=False)
    """The embedding of `without_names(text, voices.participants)`."""

    cosines: Mapping[str, float] | None = field(default=None, repr=False)
    """Cosines by key, where a store has computed them; they take the place of `vector`."""

    topic: str = ""
    """The words an item must have to be relevant; the others only help to rank it."""

    voices: Voices = field(default_factory=Voices)
    window: Window | None = None
    weights: RankingWeights = field(default_factory=RankingWeights)


@dataclass(frozen=True)
class Hit:
    """One item found, and what each signal added to its score."""

    key: str
    score: float
    parts: dict[Signal, float]
    relevance: float = 0.0
    """How well it fits the topic, 0–1, in words and meaning alone."""
