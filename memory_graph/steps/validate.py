"""Is everything in a user's memory readable, and does every link lead somewhere?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from langgraph.store.base import Item
from pydantic import ValidationError

from memory_graph.policy.timeline import never_held
from memory_graph.policy.validation import Problem, find_problems
from memory_graph.records import (
    Episode,
    Fact,
    MemoryKind,
    Observation,
    Pattern,
    Record,
    TurnRecord,
)
from memory_graph.storage.scope import UserMemory

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Total:
    """How many records of a kind there are, and how many of them can be read."""

    total: int
    valid: int

    def __add__(self, other: "Total") -> "Total":
        """Return both together."""
        return Total(self.total + other.total, self.valid + other.valid)

    def __sub__(self, other: "Total") -> "Total":
        """Return this one without the other."""
        return Total(self.total - other.total, self.valid - other.valid)


@dataclass(frozen=True)
class ValidationReport:
    """What was looked at, and what is wrong with it."""

    totals: dict[MemoryKind, Total]
    links: int
    """Relations between patterns that were followed."""

    problems: tuple[Problem, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong; a loop of causes may be meant."""
        return all(problem.reason == "causal_loop" for problem in self.problems)


async def validate_memory(memory: UserMemory) -> ValidationReport:
    """Read everything and follow every link; changes nothing."""
    gateway, seen = memory.scope.gateway, memory.patterns.observations
    facts = _read("fact", Fact, await gateway.scan(memory.facts.namespace))
    archived = _read("fact", Fact, await gateway.scan(memory.archive.namespace))
    episodes = _read("episode", Episode, await gateway.scan(memory.episodes.namespace))
    patterns = _read("pattern", Pattern, await gateway.scan(memory.patterns.namespace))
    observations = _read("pattern", Observation, await gateway.scan(seen.namespace))
    turns = _read("turn", TurnRecord, await gateway.scan(memory.turns.namespace))
    known = await memory.patterns.all()
    fact_ids = frozenset(fact.id for fact in (*facts.records, *archived.records))
    every = (facts, archived, episodes, patterns, observations, turns)
    return ValidationReport(
        totals={
            "fact": facts.total + archived.total - _waiting(archived.records),
            "episode": episodes.total,
            "pattern": patterns.total,
            "turn": turns.total,
        },
        links=sum(len(pattern.relations) for pattern in known),
        problems=(
            *(problem for each in every for problem in each.problems),
            *find_problems(episodes.records, known, fact_ids),
        ),
    )


@dataclass(frozen=True)
class _Read(Generic[R]):
    records: list[R]
    total: Total
    problems: list[Problem]


def _read(kind: MemoryKind, record_type: type[R], items: Sequence[Item]) -> _Read[R]:
    """Return what can be read of some items, and why the rest cannot."""
    records: list[R] = []
    problems: list[Problem] = []
    for item in items:
        try:
            records.append(record_type.model_validate(item.value))
        except ValidationError as error:
            problems.append(Problem(kind, item.key, "unreadable", _places(error)))
    return _Read(records, Total(len(items), len(records)), problems)


def _waiting(archived: Sequence[Fact]) -> Total:
    """Return how many are no facts, but retractions that wait for one."""
    count = sum(never_held(fact) for fact in archived)
    return Total(count, count)


def _places(error: ValidationError) -> str:
    """Return which fields are wrong and how, without their values."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'record'}: {each['type']}"
        for each in error.errors(include_input=False, include_url=False)
    )
