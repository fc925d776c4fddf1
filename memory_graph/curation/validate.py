"""Check one user's memory: every record can be read, and every link leads to a record."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal, TypeVar

from pydantic import ValidationError

from memory_graph.episodes.rendering import find_link_problems
from memory_graph.facts.timeline import is_pending_retraction
from memory_graph.patterns.search import build_graph
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
    """A problem with one record, without its content."""

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
    """Yield the first loop of causes; it may be intended, and paths through it still end."""
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


@dataclass(frozen=True)
class ValidationReport:
    """What was checked, and its problems."""

    totals: dict[MemoryKind, Total]
    links: int  # relations between patterns that were followed
    problems: tuple[Problem, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is no problem; a loop of causes may be intended."""
        return all(problem.reason == "causal_loop" for problem in self.problems)


async def validate_memory(memory: UserMemory) -> ValidationReport:
    """Read everything and follow every link; changes nothing.

    Retractions that wait for their fact are no facts yet.
    """
    problems: list[Problem] = []

    async def read(kind: MemoryKind, record_type: type[R], place: tuple[str, ...]) -> list[R]:
        """Return the items that can be read; why the others cannot, without their values."""
        records = []
        for item in await memory.scope.gateway.scan(place):
            try:
                records.append(record_type.model_validate(item.value))
            except ValidationError as error:
                detail = "; ".join(
                    f"{'.'.join(map(str, each['loc'])) or 'record'}: {each['type']}"
                    for each in error.errors(include_input=False, include_url=False)
                )
                problems.append(Problem(kind, item.key, "unreadable", detail))
        return records

    facts = await read("fact", Fact, memory.facts.namespace)
    facts += await read("fact", Fact, memory.archive.namespace)
    episodes = await read("episode", Episode, memory.episodes.namespace)
    patterns = await read("pattern", Pattern, memory.patterns.namespace)
    turns = await read("turn", TurnRecord, memory.turns.namespace)
    unreadable = Counter(problem.kind for problem in problems)
    valid: dict[MemoryKind, int] = {
        "fact": sum(not is_pending_retraction(each) for each in facts),
        "episode": len(episodes),
        "pattern": len(patterns),
        "turn": len(turns),
    }
    await read("pattern", Observation, memory.patterns.observations)
    known = await memory.patterns.all()
    problems += find_problems(episodes, known, frozenset(fact.id for fact in facts))
    return ValidationReport(
        totals={kind: Total(count + unreadable[kind], count) for kind, count in valid.items()},
        links=sum(len(pattern.relations) for pattern in known),
        problems=tuple(problems),
    )
