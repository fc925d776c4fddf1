"""Checks of one user's memory: every record readable, every link leading to a record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Generic, Literal, TypeVar

from langgraph.store.base import Item
from pydantic import ValidationError

from memory_graph.episodes.rendering import find_link_problems
from memory_graph.facts.timeline import is_pending_retraction
from memory_graph.patterns.causes import build_graph
from memory_graph.records import Episode, Fact, MemoryKind, Observation, Pattern, Record, TurnRecord
from memory_graph.store.scope import UserMemory

ProblemReason = Literal[
    "unreadable",
    "broken_relation",
    "broken_link",
    "missing_evidence",
    "missing_fact",
    "orphan_parent",
    "parent_cycle",
    "causal_loop",
]


@dataclass(frozen=True)
class Problem:
    """Something wrong with one record; never what the record says."""

    kind: MemoryKind
    record_id: str
    reason: ProblemReason
    detail: str


def find_problems(
    episodes: Sequence[Episode], patterns: Sequence[Pattern], fact_ids: frozenset[str]
) -> list[Problem]:
    """Return every link that leads nowhere or in circles, by record."""
    return [
        *_episode_links(episodes, fact_ids),
        *_parent_cycles({each.id: each.parent_episode_id for each in episodes}),
        *_pattern_links(patterns, frozenset(each.id for each in episodes)),
        *_causal_loops(patterns),
    ]


def _episode_links(episodes: Iterable[Episode], fact_ids: frozenset[str]) -> Iterator[Problem]:
    known = {each.id: each for each in episodes}
    for episode in known.values():
        parent = episode.parent_episode_id
        if parent is not None and parent not in known:
            yield Problem("episode", episode.id, "orphan_parent", f"parent {parent}")
        for link in find_link_problems(episode):
            detail = f"{link.source} {link.field} {link.target}"
            yield Problem("episode", episode.id, "broken_link", detail)
        for linked in episode.facts:
            if linked.fact_id not in fact_ids:
                yield Problem("episode", episode.id, "missing_fact", f"fact {linked.fact_id}")


def _parent_cycles(parents: Mapping[str, str | None]) -> Iterator[Problem]:
    seen: set[str] = set()
    for start in parents:
        trail: list[str] = []
        node: str | None = start
        while node is not None and node in parents and node not in seen:
            seen.add(node)
            trail.append(node)
            node = parents[node]
        if node in trail:
            cycle = trail[trail.index(node) :]
            yield Problem("episode", cycle[0], "parent_cycle", " → ".join([*cycle, cycle[0]]))


def _pattern_links(patterns: Iterable[Pattern], episode_ids: frozenset[str]) -> Iterator[Problem]:
    known = {each.name: each for each in patterns}
    for pattern in known.values():
        for relation in pattern.relations:
            if relation.target not in known:
                detail = f"{relation.type} {relation.target}"
                yield Problem("pattern", pattern.name, "broken_relation", detail)
        for seen in pattern.evidence:
            if seen.episode_id is not None and seen.episode_id not in episode_ids:
                detail = f"episode {seen.episode_id}"
                yield Problem("pattern", pattern.name, "missing_evidence", detail)


def _causal_loops(patterns: Iterable[Pattern]) -> Iterator[Problem]:
    """Yield the first loop of causes; it may be meant, and a path through it still ends."""
    hops = build_graph(patterns).hops
    try:
        TopologicalSorter({name: onward.keys() for name, onward in hops.items()}).prepare()
    except CycleError as error:
        loop: list[str] = error.args[1][::-1]
        yield Problem("pattern", loop[0], "causal_loop", " → ".join(loop))


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
    count = sum(is_pending_retraction(fact) for fact in archived)
    return Total(count, count)


def _places(error: ValidationError) -> str:
    """Return which fields are wrong and how, without their values."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'record'}: {each['type']}"
        for each in error.errors(include_input=False, include_url=False)
    )
