"""How long does a causal path take on 2,000 patterns and 10,000 relations?

Prints the time of a path (one read of all patterns, then a search in memory) and of the bare
search. Where `rustworkx` is installed, its search and its import are timed beside ours.

    python -m benchmarks.causal_path
"""

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from importlib.util import find_spec

from langgraph.store.memory import InMemoryStore

from memory_graph.patterns.search import CausalGraph, build_graph, find_causal_path, shortest_path
from memory_graph.records import Pattern, Relation, RelationType
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.store.values import to_jsonable

PATTERNS, RELATIONS, DEPTH, PAIRS = 2_000, 10_000, 10, 40
REACH = 40
"""Relations lead to one of the next few patterns, so that paths are long."""

TYPES: tuple[RelationType, ...] = ("causes", "enables", "prevents", "correlates")
NOW = datetime(2026, 11, 16, tzinfo=UTC)
Pair = tuple[str, str]


def make_patterns(rng: random.Random) -> list[Pattern]:
    """Return a graph whose patterns cause others a little further on."""
    relations: dict[int, set[Relation]] = {}
    while sum(map(len, relations.values())) < RELATIONS:
        source = rng.randrange(PATTERNS - 1)
        target = min(PATTERNS - 1, source + 1 + rng.randrange(REACH))
        made = Relation(type=rng.choice(TYPES), target=f"pattern-{target:04d}")
        relations.setdefault(source, set()).add(made)
    return [
        Pattern(
            name=f"pattern-{number:04d}",
            trigger="it happens",
            action="do it",
            created_at=NOW,
            updated_at=NOW,
            relations=tuple(sorted(relations.get(number, ()), key=str)),
        )
        for number in range(PATTERNS)
    ]


async def fill(memory: UserMemory, patterns: Iterable[Pattern]) -> None:
    """Save patterns without embedding them, which a path does not need."""
    for pattern in patterns:
        value = to_jsonable(pattern.model_dump(mode="json"))
        assert isinstance(value, dict)
        await memory.scope.gateway.store.aput(
            memory.patterns.namespace, pattern.name, value, index=False
        )


async def median_ms(run: Callable[[Pair], Awaitable[object]], pairs: list[Pair]) -> float:
    """Return the median time of one answer."""
    times = []
    for pair in pairs:
        started = time.perf_counter()
        await run(pair)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def compare_libraries(graph: CausalGraph, pairs: list[Pair]) -> None:
    """Print the bare search of both, and what importing the library costs."""
    started = time.perf_counter()
    for source, target in pairs:
        shortest_path(graph, source, target, DEPTH)
    ours = (time.perf_counter() - started) * 1000 / len(pairs)
    print(f"bare search, dictionaries    {ours:9.3f} ms")
    if find_spec("rustworkx") is None:
        return
    import rustworkx  # noqa: PLC0415 — only compared where somebody has it

    theirs = rustworkx.PyDiGraph(multigraph=False)
    names = sorted(graph.names)
    numbers = dict(zip(names, theirs.add_nodes_from(names), strict=True))
    edges = [(numbers[a], numbers[b], 1) for a, onward in graph.hops.items() for b in onward]
    theirs.add_edges_from(edges)
    started = time.perf_counter()
    for source, target in pairs:
        rustworkx.dijkstra_shortest_paths(theirs, numbers[source], numbers[target])
    rust = (time.perf_counter() - started) * 1000 / len(pairs)
    print(f"bare search, rustworkx       {rust:9.3f} ms  (import {import_ms('rustworkx'):.0f} ms)")


def import_ms(module: str) -> float:
    """Return how long a fresh interpreter takes to import a module."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return float(answer.stdout) * 1000


async def main() -> None:
    """Print the comparison."""
    rng = random.Random(7)
    memory = memory_of(Owner("benchmark"), InMemoryStore())
    await fill(memory, make_patterns(rng))
    starts = [rng.randrange(PATTERNS - 400) for _ in range(PAIRS)]
    pairs = [(f"pattern-{n:04d}", f"pattern-{n + rng.randint(100, 350):04d}") for n in starts]

    whole = await median_ms(lambda pair: find_causal_path(memory, *pair, DEPTH), pairs)
    print(f"path, depth {DEPTH}               {whole:9.3f} ms")
    compare_libraries(build_graph(await memory.patterns.links()), pairs)


if __name__ == "__main__":
    asyncio.run(main())
