"""The labelled messages and pairs of statements, and how they are split."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

CASES = Path(__file__).parent / "cases"
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
TODAY: date = NOW.date()

Split = Literal["tune", "check"]
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


class Judgement(BaseModel):
    """One line of `same_fact.jsonl`: two statements, and whether they are one fact."""

    id: str
    old: str
    new: str
    same: bool


class _Case(Protocol):
    id: str


CaseT = TypeVar("CaseT", bound=_Case)


@dataclass(frozen=True)
class Score:
    """Counts of one comparison, and what follows from them."""

    right: int
    proposed: int
    wanted: int

    @property
    def precision(self) -> float:
        """Share of what was proposed that is right."""
        return self.right / self.proposed if self.proposed else 1.0

    @property
    def recall(self) -> float:
        """Share of what was wanted that was found."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def split_of(case_id: str) -> Split:
    """Say whether a case may be looked at (`tune`) or only counted (`check`)."""
    return "check" if sha256(case_id.encode()).digest()[0] % 3 == 0 else "tune"


def load(name: str, parse: Callable[[str], CaseT]) -> list[CaseT]:
    """Read a file of cases."""
    return [parse(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def only(split: Split, cases: Sequence[CaseT]) -> list[CaseT]:
    """Return the cases of one split."""
    return [case for case in cases if split_of(case.id) == split]
