"""Patterns found for a situation, and the ways from one to another."""

from dataclasses import dataclass
from datetime import datetime

from memory_graph.patterns.causes import (
    CausalGraph,
    Hop,
    Polarity,
    build_graph,
    path_polarity,
    shortest_path,
)
from memory_graph.patterns.evidence import Resolution, judge_antipattern, resolve_name, success_rate
from memory_graph.policies import CausalityPolicy
from memory_graph.records import Pattern
from memory_graph.store.scope import UserMemory

RELEVANT = 0.27
"""A pattern that fits less is not about a situation.
Kept by `memory-graph tune --what relevance`: `evals/tuning/relevance.md`.
"""

_POOL = 500
"""Patterns looked at before those below a bound are left out."""


@dataclass(frozen=True, kw_only=True)
class PatternQuery:
    """What is asked for; bounds left as they are leave nothing out."""

    situation: str = ""
    """Compared with triggers; empty for patterns about anything."""

    min_success_rate: float = 0.0
    min_occurrences: int = 0
    limit: int = 20
    project: str = ""
    """Patterns of this project and of none; empty for all."""

    min_relevance: float = RELEVANT


@dataclass(frozen=True)
class Matched:
    """A pattern, and how well its trigger fits the situation asked about."""

    pattern: Pattern
    relevance: float
    parts: dict[str, float]


@dataclass(frozen=True)
class CausalPath:
    """How one pattern leads to another, or why that cannot be said."""

    source: Resolution
    target: Resolution
    graph: CausalGraph
    hops: tuple[Hop, ...] | None = None

    @property
    def polarity(self) -> Polarity:
        """What the whole path does to its target."""
        return path_polarity(self.hops or ())


async def find_patterns(memory: UserMemory, query: PatternQuery, now: datetime) -> list[Matched]:
    """Return confirmed patterns: those that fit best first, else the most trusted first."""
    matched = await (_fitting(memory, query, now) if query.situation.strip() else _every(memory))
    kept = [each for each in matched if _within(each.pattern, query)]
    return kept[: query.limit]


async def find_antipatterns(
    memory: UserMemory, policy: CausalityPolicy, project: str = ""
) -> list[Pattern]:
    """Return what was tried and seldom worked, the worst first."""
    patterns = [each for each in await memory.patterns.confirmed() if is_of(each, project)]
    failing = [each for each in patterns if judge_antipattern(each, policy).is_antipattern]
    return sorted(failing, key=lambda p: (success_rate(p) or 0.0, -p.occurrences, p.name))


def is_of(pattern: Pattern, project: str) -> bool:
    """Return whether a pattern counts in a project; one that names none counts in all."""
    named = {each.casefold() for each in pattern.projects}
    return not project or not named or project.casefold() in named


async def find_causal_path(
    memory: UserMemory, source: str, target: str, max_depth: int, project: str = ""
) -> CausalPath:
    """Return the shortest way from one pattern to another, each named in full or in part."""
    graph = await memory.patterns.graph()
    if project:
        links = await memory.patterns.links()
        graph = build_graph(each for each in links if is_of(each, project))
    start, end = resolve_name(source, graph.kinds), resolve_name(target, graph.kinds)
    hops = None
    if start.name and end.name:
        hops = shortest_path(graph, start.name, end.name, max_depth)
    return CausalPath(start, end, graph, hops)


async def _every(memory: UserMemory) -> list[Matched]:
    return [Matched(pattern, 1.0, {}) for pattern in await memory.patterns.confirmed()]


async def _fitting(memory: UserMemory, query: PatternQuery, now: datetime) -> list[Matched]:
    asked = await memory.query(query.situation, now)
    found = await memory.patterns.search(asked, _POOL)
    matched = [Matched(e.record, e.relevance, e.parts) for e in found]
    fitting = [each for each in matched if each.relevance >= query.min_relevance]
    return [each for each in fitting if each.pattern.status == "confirmed"]


def _within(pattern: Pattern, query: PatternQuery) -> bool:
    enough = pattern.occurrences >= query.min_occurrences and is_of(pattern, query.project)
    return enough and (success_rate(pattern) or 0.0) >= query.min_success_rate
