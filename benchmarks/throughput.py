"""How many turns a second does one worker serve on Postgres, and what does a turn ask of the store?

`python -m benchmarks.throughput [--baseline DIR]` lets ten users talk at once and prints turns per
second of wall time and milliseconds of the worker's processor time per turn; then, in a second
run, the statements, rows and bytes that a turn asks of the store (checkpoints not counted). `DIR`
is a checkout of another version, which is measured in turn with this one; what it needs and this
one does not goes into `DIR` by `pip install --no-deps --target DIR`. Beside them stand what bounds
them: the same process with garbage collected as Python does by default, the same graph whose
checkpoints LangGraph saves only at the end of a run (`durability="exit"`), the same graph without
checkpoints, and an agent without memory.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

USERS, TURNS, ROUNDS = 10, 16, 2
BOUNDS = ("collected", "saved at exit", "no checkpoints", "no memory")
SAID = (
    "I met {name} at the station today, and we talked for an hour.",
    "ok",
    "My cousin {name} works at a bakery in street {n}.",
    "What does {name} do?",
    "We decided to move the release {n} to Friday, because the tests failed.",
    "Thanks!",
    "Can you remind me how a binary search works?",
    "{name} has a dog called Rex{n}, and it is afraid of thunder.",
)
NAMES = ("Ana Cole", "Ben Holt", "Cleo Gray", "Dan Kern", "Eva Ford", "Finn Bond", "Gia Dorn")


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Any]:
    """Open a Postgres as the version that is measured does it."""
    from memory_graph.settings import Settings  # noqa: PLC0415 — of the version measured

    settings = Settings(store=address)
    try:
        from memory_graph.embedding import load_embedder  # noqa: PLC0415
        from memory_graph.store.configured import open_configured_store  # noqa: PLC0415
    except ImportError:
        from memory_graph.embeddings import (  # type: ignore[import-not-found,no-redef]  # noqa: PLC0415
            load_embedder,
        )
        from memory_graph.storage.backend import (  # type: ignore[import-not-found]  # noqa: PLC0415
            open_backend as open_configured_store,
        )
    async with open_configured_store(settings, load_embedder("use")) as backend:
        yield backend


def count_statements() -> Counter[str]:
    """Count from now on what is asked of the store's tables."""
    from psycopg import AsyncCursor  # noqa: PLC0415

    counted: Counter[str] = Counter()
    ours: set[int] = set()
    execute, fetchall = AsyncCursor.execute, AsyncCursor.fetchall

    async def counting(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        text = query if isinstance(query, str) else bytes(query).decode()
        is_ours = "store" in text and "checkpoint" not in text
        (ours.add if is_ours else ours.discard)(id(self))
        counted["statements"] += is_ours
        return await execute(self, query, *args, **kwargs)

    async def fetching(self: Any) -> Any:  # noqa: ANN401
        rows = await fetchall(self)
        if id(self) in ours and (result := self.pgresult):
            counted["rows"] += result.ntuples
            cells = ((r, c) for r in range(result.ntuples) for c in range(result.nfields))
            counted["bytes"] += sum(len(result.get_value(*cell) or b"") for cell in cells)
        return rows

    AsyncCursor.execute, AsyncCursor.fetchall = counting, fetching  # type: ignore[method-assign]
    return counted


def serve_as_server() -> None:
    """Prepare this process as the version that is measured prepares a server's."""
    try:
        from memory_graph.server.app import spare_collector  # noqa: PLC0415
    except ImportError:
        return
    spare_collector()


def graph_of(bound: str, backend: Any) -> Any:  # noqa: ANN401
    """Return the public graph, or what bounds it."""
    from memory_graph import build_graph  # noqa: PLC0415

    if bound == "no memory":
        from benchmarks.thread_length import without_memory  # noqa: PLC0415

        return without_memory(None, backend.checkpointer)
    saver = None if bound == "no checkpoints" else backend.checkpointer
    return build_graph(store=backend.store, checkpointer=saver)


async def play(address: str, *, counts: bool, bound: str = "") -> dict[str, float]:
    """Let everybody talk, first a little to warm up, and return the figures."""
    from langchain_core.messages import HumanMessage  # noqa: PLC0415

    saved = {"durability": "exit"} if bound == "saved at exit" else {}
    async with opened(address) as backend:
        graph = graph_of(bound, backend)

        async def talk(user: int, first: int, turns: int) -> None:
            for number in range(first, first + turns):
                said = SAID[number % len(SAID)]
                text = said.format(name=NAMES[(user + number) % len(NAMES)], n=number)
                config = {"configurable": {"user_id": f"user-{user}", "thread_id": f"t-{user}"}}
                await graph.ainvoke({"messages": [HumanMessage(text)]}, config, **saved)

        async def everybody(first: int, turns: int) -> None:
            await asyncio.gather(*(talk(user, first, turns) for user in range(USERS)))

        await everybody(0, len(SAID))
        if bound != "collected":
            serve_as_server()
        counted = count_statements() if counts else Counter[str]()
        wall, processor = time.perf_counter(), time.process_time()
        await everybody(len(SAID), TURNS)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    turns = USERS * TURNS
    return {
        "turns/s": turns / wall,
        "cpu ms": 1000 * processor / turns,
        **{name: number / turns for name, number in counted.items()},
    }


def measure(directory: Path, address: str, *, counts: bool, bound: str = "") -> dict[str, float]:
    """Play in a process of its own, with the package that `directory` holds."""
    command = [
        *("env", "-u", "MEMORY_GRAPH_MODEL", "-u", "OPENAI_API_KEY", "-u", "OPENAI_BASE_URL"),
        *(f"PYTHONPATH={directory}", "OPENBLAS_NUM_THREADS=1", "MEMORY_GRAPH_EMBEDDER=use"),
        *(sys.executable, __file__, "--play", address, "--bound", bound),
        *(["--counts"] if counts else []),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def line(name: str, figures: Mapping[str, float]) -> str:
    """Return the figures of a version in a row."""
    return f"{name:15}" + "".join(f"{key:>14} {value:9.1f}" for key, value in figures.items())


def main() -> None:
    """Measure every version on databases of its own and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--play", help=argparse.SUPPRESS)
    parser.add_argument("--counts", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--bound", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        played = play(options.play, counts=options.counts, bound=options.bound)
        print(json.dumps(asyncio.run(played)))
        return
    from benchmarks.kills import addresses  # noqa: PLC0415 — brings the package

    versions = {"now": Path(__file__).parents[1]}
    if options.baseline:
        versions["baseline"] = options.baseline.resolve()
    with addresses("postgres") as fresh:
        rounds = [
            {name: measure(each, next(fresh), counts=False) for name, each in versions.items()}
            for _ in range(options.rounds)
        ]
        counts = {name: measure(each, next(fresh), counts=True) for name, each in versions.items()}
        bounds = {
            bound: measure(versions["now"], next(fresh), counts=False, bound=bound)
            for bound in BOUNDS
        }
    best = {name: max(each[name]["turns/s"] for each in rounds) for name in versions}
    for name in versions:
        asked = {key: each for key, each in counts[name].items() if key not in rounds[0][name]}
        cpu = median(each[name]["cpu ms"] for each in rounds)
        print(line(name, {"turns/s": best[name], "cpu ms": cpu, **asked}))
    for bound, figures in bounds.items():
        print(line(bound, figures))
    if "baseline" in best:
        print(f"now / baseline: {best['now'] / best['baseline']:.2f}")


if __name__ == "__main__":
    main()
