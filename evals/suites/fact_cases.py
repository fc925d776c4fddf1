"""Labelled messages and pairs of statements, and facts as labels."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from evals.harness.runner import CASES
from memory_graph.keys import canonical, normalise
from memory_graph.records import FactCandidate

MESSAGES = "messages.jsonl"
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
TODAY: date = NOW.date()

Label = tuple[str, str, str, bool]
"""Entity, attribute, value, and whether it is retracted."""

Relation = Literal[
    "correct",
    "refine",
    "add",
    "unrelated",
    "recurring_event",
    "retraction",
    "other_speaker",
    "hypothetical",
]
MUST_CHANGE: frozenset[Relation] = frozenset({"correct", "retraction"})
MAY_CHANGE: frozenset[Relation] = frozenset({"refine"})


class LabelledFact(BaseModel):
    """A fact as written in `messages.jsonl`."""

    entity: str
    attribute: str
    value: str | None
    retracts: bool = False


class Message(BaseModel):
    """One line of `messages.jsonl`."""

    id: str
    text: str
    history: tuple[str, ...] = ()
    gate: Literal["pass", "drop"]
    facts: tuple[LabelledFact, ...]


class Pair(BaseModel):
    """One line of `fact_pairs.jsonl`: something said, and something said later."""

    id: str
    old: str
    new: str
    relation: Relation


class _Case(Protocol):
    id: str


CaseT = TypeVar("CaseT", bound=_Case)


def load(name: str, parse: Callable[[str], CaseT]) -> list[CaseT]:
    """Read a file of cases."""
    return [parse(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def read_messages() -> list[Message]:
    """Return the labelled messages."""
    return load(MESSAGES, Message.model_validate_json)


def labels_of(candidates: Iterable[FactCandidate]) -> set[Label]:
    """Return candidates as they are compared with labels."""
    return {_label(canonical(each)) for each in candidates}


def labelled(message: Message) -> set[Label]:
    """Return the labels of a message."""
    return {_label(fact) for fact in message.facts}


def _label(fact: LabelledFact | FactCandidate) -> Label:
    attribute, value = normalise(fact.attribute or ""), normalise(fact.value or "")
    return normalise(fact.entity), attribute, value, fact.retracts
