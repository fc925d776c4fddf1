"""Which links between memories lead nowhere, or in circles?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Literal

from memory_graph.policy.causal_graph import build_graph
from memory_graph.policy.decision_graph import find_link_problems
from memory_graph.records import Episode, MemoryKind, Pattern

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
