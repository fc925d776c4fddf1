"""Is everything in a user's memory readable, and does every link lead somewhere?"""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import ValidationError

from memory_graph.policy.validation import Problem, find_problems
from memory_graph.records import MemoryKind, Record
from memory_graph.storage.collection import Collection
from memory_graph.storage.scope import UserMemory

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Total:
    """How many records of a kind there are, and how many of them can be read."""

    total: int
    valid: int


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
    facts, fact_total, bad_facts = await _read("fact", memory.facts)
    episodes, episode_total, bad_episodes = await _read("episode", memory.episodes)
    patterns, pattern_total, bad_patterns = await _read("pattern", memory.patterns)
    _, turn_total, bad_turns = await _read("turn", memory.turns)
    linked = find_problems(episodes, patterns, frozenset(fact.id for fact in facts))
    return ValidationReport(
        totals={
            "fact": fact_total,
            "episode": episode_total,
            "pattern": pattern_total,
            "turn": turn_total,
        },
        links=sum(len(pattern.relations) for pattern in patterns),
        problems=(*bad_facts, *bad_episodes, *bad_patterns, *bad_turns, *linked),
    )


async def _read(
    kind: MemoryKind, collection: Collection[R]
) -> tuple[list[R], Total, list[Problem]]:
    """Return what can be read of one kind, and why the rest cannot."""
    items = await collection.scope.gateway.scan(collection.namespace)
    records: list[R] = []
    problems: list[Problem] = []
    for item in items:
        try:
            records.append(collection.kind.record.model_validate(item.value))
        except ValidationError as error:
            problems.append(Problem(kind, item.key, "unreadable", _places(error)))
    return records, Total(len(items), len(records)), problems


def _places(error: ValidationError) -> str:
    """Return which fields are wrong and how, without their values."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'record'}: {each['type']}"
        for each in error.errors(include_input=False, include_url=False)
    )
