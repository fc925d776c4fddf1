"""Find the patterns for a situation, and paths from one pattern to another."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memory_graph.patterns import causes, evidence
from memory_graph.policies import CausalityPolicy
from memory_graph.records import Pattern
from memory_graph.store.scope import UserMemory

RELEVANT = 0.27
"""A pattern that fits less is not about a situation.
Tuned by `python -m evals tune --what relevance`: `evals/tuning/records/relevance.md`.
"""

_POOL = 500  # patterns looked at before those below a bound are left out


@dataclass(frozen=True, kw_only=True)
class PatternQuery:
    """What is asked for; with the default bounds, nothing is left out."""

    situation: str = ""  # compared with triggers; empty for patterns about anything
    min_success_rate: float = 0.0
    min_occurrences: int = 0
    limit: int = 20
    project: str = ""  # patterns of this project and of none; empty for all
    min_relevance: float = RELEVANT


class Matched(NamedTuple):
    """A pattern, and how well its trigger fits the situation asked about."""

    pattern: Pattern
    relevance: float = 1.0


@dataclass(frozen=True)
class CausalPath:
    """How one pattern leads to another, or why no path is known."""

    source: evidence.Resolution
    target: evidence.Resolution
    graph: causes.CausalGraph
    hops: tuple[causes.Hop, ...] | None = None

    @property
    def polarity(self) -> causes.Polarity:
        """What the whole path does to its target."""
        return causes.path_polarity(self.hops or ())


async def find_patterns(memory: UserMemory, query: PatternQuery, now: datetime) -> list[Matched]:
    """Return confirmed patterns, best fit first; without a situation, most trusted first."""
    if query.situation.strip():
        found = await memory.patterns.search(await memory.query(query.situation, now), _POOL)
        matched = [
            Matched(e.record, e.relevance) for e in found if e.relevance >= query.min_relevance
        ]
    else:
        matched = [Matched(each) for each in await memory.patterns.confirmed()]
    return [
        each
        for each in matched
        if each.pattern.status == "confirmed"
        and each.pattern.occurrences >= query.min_occurrences
        and (evidence.success_rate(each.pattern) or 0.0) >= query.min_success_rate
        and is_of(each.pattern, query.project)
    ][: query.limit]


async def find_antipatterns(
    memory: UserMemory, policy: CausalityPolicy, project: str = ""
) -> list[Pattern]:
    """Return what was tried and seldom worked, the worst first."""
    patterns = [each for each in await memory.patterns.confirmed() if is_of(each, project)]
    warned = evidence.WARNINGS
    failing = [p for p in patterns if evidence.judge_antipattern(p, policy) in warned]
    return sorted(failing, key=lambda p: (evidence.success_rate(p) or 0.0, -p.occurrences, p.name))


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
        graph = causes.build_graph(each for each in links if is_of(each, project))
    start, end = (evidence.resolve_name(each, graph.names) for each in (source, target))
    hops = None
    if start.name and end.name:
        hops = causes.shortest_path(graph, start.name, end.name, max_depth)
    return CausalPath(start, end, graph, hops)
