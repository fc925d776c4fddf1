"""Find the patterns for a situation and paths between patterns, and tell them as text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from memory_graph.patterns import evidence
from memory_graph.policies import CausalityPolicy
from memory_graph.records import Pattern, RelationType
from memory_graph.safety.secrets import escape_for_prompt
from memory_graph.store.scope import UserMemory

RELEVANT = 0.27
"""A pattern that fits less is not about a situation.
Tuned by `python -m evals tune --what relevance`: `evals/tuning/records/relevance.md`.
"""

_POOL = 500  # patterns looked at before those below a bound are left out

_POLARITY = {
    "promotes": "makes {target} more likely",
    "prevents": "makes {target} less likely",
    "unknown": "may or may not lead to {target}: a step only correlates or contradicts itself",
}
_MOST_LISTED = 8
Polarity = Literal["promotes", "prevents", "unknown"]


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
class Hop:
    """One step of a path; two patterns may be related in more than one way."""

    source: str
    types: tuple[RelationType, ...]
    target: str

    @property
    def polarity(self) -> Polarity:
        """What this step does to its target."""
        if set(self.types) <= {"causes", "enables"}:
            return "promotes"
        return "prevents" if set(self.types) == {"prevents"} else "unknown"


@dataclass(frozen=True)
class CausalGraph:
    """Patterns and how they act on each other."""

    names: frozenset[str]
    hops: Mapping[str, Mapping[str, Hop]]  # steps by source and target, to patterns that exist
    broken: tuple[Hop, ...]  # relations to patterns that do not exist, or not any more


def build_graph(patterns: Iterable[Pattern]) -> CausalGraph:
    """Return the graph of confirmed patterns; the order they come in does not matter."""
    confirmed = {each.name: each for each in patterns if each.status == "confirmed"}
    hops: dict[str, dict[str, Hop]] = {}
    broken: list[Hop] = []
    for name in sorted(confirmed):
        for relation in confirmed[name].relations:
            target = relation.target
            if target in confirmed:
                known = hops.setdefault(name, {}).get(target)
                types = (*known.types, relation.type) if known else (relation.type,)
                hops[name][target] = Hop(name, types, target)
            else:
                broken.append(Hop(name, (relation.type,), target))
    return CausalGraph(frozenset(confirmed), hops, tuple(broken))


def shortest_path(
    graph: CausalGraph, source: str, target: str, max_depth: int
) -> tuple[Hop, ...] | None:
    """Return the fewest steps from one pattern to another, or nothing within `max_depth`."""
    paths: dict[str, tuple[Hop, ...]] = {source: ()}
    frontier = [source]
    for _ in range(max_depth):
        reached = []
        for name in frontier:
            for onward, hop in graph.hops.get(name, {}).items():
                if onward not in paths:
                    paths[onward] = (*paths[name], hop)
                    reached.append(onward)
        if target in paths:
            break
        frontier = reached
    return paths.get(target)


def path_polarity(path: Iterable[Hop]) -> Polarity:
    """Return what a whole path does: preventing what prevents it promotes a pattern.

    A correlation, or relations that contradict each other, leave the direction unknown.
    """
    steps = [hop.polarity for hop in path]
    if "unknown" in steps:
        return "unknown"
    return "prevents" if steps.count("prevents") % 2 else "promotes"


@dataclass(frozen=True)
class CausalPath:
    """How one pattern leads to another, or why no path is known."""

    source: evidence.Resolution
    target: evidence.Resolution
    graph: CausalGraph
    hops: tuple[Hop, ...] | None = None


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
    links = await memory.patterns.links()
    graph = build_graph(each for each in links if is_of(each, project))
    start, end = (evidence.resolve_name(each, graph.names) for each in (source, target))
    hops = None
    if start.name and end.name:
        hops = shortest_path(graph, start.name, end.name, max_depth)
    return CausalPath(start, end, graph, hops)


def pattern_title(pattern: Pattern) -> str:
    """Return what the note of a pattern is called: `PATTERN-retry-on-timeout`."""
    return f"{pattern.kind.upper()}-{pattern.name}"


def render_pattern(pattern: Pattern) -> str:
    """Return when a pattern applies, what to do then, and how well that worked."""
    advice = "do not" if pattern.kind == "antipattern" else "do"
    trigger = escape_for_prompt(pattern.trigger).rstrip(".")
    action = escape_for_prompt(pattern.action).rstrip(".")
    status = "" if pattern.status == "confirmed" else f"{pattern.status} "
    line = f"- {pattern.name} ({status}{pattern.kind}, {render_record(pattern)}): when {trigger}"
    related = ", ".join(f"{each.type} {each.target}" for each in pattern.relations)
    where = ", ".join(map(escape_for_prompt, pattern.projects))
    line += f", {advice}: {action}." if action else "."
    line += f" It {related}." if related else ""
    return f"{line} Only in: {where}." if where else line


def render_in_full(pattern: Pattern) -> str:
    """Return a pattern with why it holds, where it was seen, and when it was tried last."""
    seen = dict.fromkeys(each.episode_id for each in pattern.evidence if each.episode_id)
    tried = pattern.last_validated_at
    more = {
        "Why": escape_for_prompt(pattern.description),
        "Seen in": ", ".join(seen),
        "Last tried": f"{tried:%Y-%m-%d}" if tried else "",
    }
    return "\n".join([render_pattern(pattern), *(f"  {n}: {t}" for n, t in more.items() if t)])


def render_record(pattern: Pattern) -> str:
    """Return how often a pattern worked: `9 of 10 worked, trust 0.60`."""
    if not pattern.occurrences:
        return "never tried"
    worked = f"{round(pattern.successes, 3):g}"
    return f"{worked} of {pattern.occurrences} worked, trust {evidence.trust(pattern):.2f}"


async def warn_of_unknown_targets(memory: UserMemory, pattern: Pattern) -> str:
    """Return a warning of relations that lead to no known pattern; nothing where all do."""
    targets = dict.fromkeys(each.target for each in pattern.relations)
    known = await memory.patterns.find(targets)
    missing = ", ".join(each for each in targets if each not in known)
    return f"No pattern is called {missing} yet: add it, and paths lead there." if missing else ""


def render_path(path: CausalPath, source: str, target: str, max_depth: int) -> str:
    """Return the path between two patterns as they were asked for, or why there is none."""
    for asked, (name, choices) in ((source, path.source), (target, path.target)):
        if name is None and not choices:
            return f"No pattern is called {asked!r}. Look for its name first."
        if name is None:
            listed, more = ", ".join(choices[:_MOST_LISTED]), len(choices) - _MOST_LISTED
            return (
                f"{asked!r} could be {listed}{f' or {more} more' if more > 0 else ''}. Ask for one."
            )
    start, end = path.source.name, path.target.name
    if path.hops is None:
        answer = f"{start} does not lead to {end} within {max_depth} step(s)."
        broken = _steps(path.graph.broken[:_MOST_LISTED], ", ")
        return f"{answer} Broken relations: {broken}." if broken else answer
    if not path.hops:
        return f"{start} and {end} are the same pattern."
    effect = _POLARITY[path_polarity(path.hops)].format(target=end)
    return f"{_steps(path.hops, '; ')}. In {len(path.hops)} step(s), {start} {effect}."


def _steps(hops: Sequence[Hop], between: str) -> str:
    return between.join(f"{hop.source} {' and '.join(hop.types)} {hop.target}" for hop in hops)
