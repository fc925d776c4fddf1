"""Let four workers serve thirty users on one Postgres for a while, and watch for what leaks.

`python -m benchmarks.soak --minutes 10` prints turns, replies that failed, what memory gave up,
the slowest turns, the memory of the workers over time, and the connections that are left at the
end. A store has 1.5 s for a read: on a machine that others use, a timeout may be their doing, so
the load before the run is printed, too.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
from langchain_core.messages import HumanMessage

from benchmarks.kills import CITIES, EMBEDDER, addresses, prepare
from memory_graph import background
from memory_graph.context import Context
from memory_graph.embedding import load_embedder
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

WORKERS, USERS, AT_ONCE = 4, 30, 4
_SAMPLE_S = 5.0
_THREAD_TURNS = 30
_PAGE = 4096
_IDS = re.compile(r"'(?:user|thread|turn)_id': '[^']*', ")
_FLAT = 1.15
"""How much more memory the last third may take than the second."""

SAID = (
    "My cat {name} is {number}.",
    "I live in {city}.",
    "We decided to move the {name} archive to Postgres, because SQLite locked.",
    "How old is {name}?",
    "What did we decide last week?",
    "Thanks!",
    "I am allergic to {name}.",
    "Please remember that the {name} meeting is on Friday.",
)


@dataclass
class Served:
    """What one worker did."""

    turns: int = 0
    failed: list[str] = field(default_factory=list)
    """Replies that did not come."""

    warned: list[str] = field(default_factory=list)
    """What memory logged as a warning: whatever it gave up is among it."""

    seconds: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)


class _Warnings(logging.Handler):
    def __init__(self, served: Served) -> None:
        super().__init__(logging.WARNING)
        self._served = served

    def emit(self, record: logging.LogRecord) -> None:
        self._served.warned.append(_IDS.sub("", record.getMessage())[:200])


def resident_mb() -> float:
    """Return how much memory this process holds."""
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * _PAGE / 2**20


async def _serve(address: str, number: int, minutes: float) -> Served:
    served = Served()
    logging.getLogger("memory_graph").addHandler(_Warnings(served))
    until = time.monotonic() + 60 * minutes
    async with open_configured_store(Settings(store=address), load_embedder(EMBEDDER)) as backend:
        graph = build_graph(store=backend.store, checkpointer=backend.checkpointer)
        async with asyncio.TaskGroup() as group:
            group.create_task(_watch(served, until))
            for place in range(AT_ONCE):
                group.create_task(_talk(graph, served, random.Random(10 * number + place), until))
        await background.drain()
    return served


async def _watch(served: Served, until: float) -> None:
    while time.monotonic() < until:
        served.memory_mb.append(resident_mb())
        await asyncio.sleep(_SAMPLE_S)


async def _talk(graph: MemoryGraph, served: Served, lots: random.Random, until: float) -> None:
    while time.monotonic() < until:
        user, thread = f"user-{lots.randrange(USERS)}", f"thread-{lots.random()}"
        for _ in range(lots.randrange(1, _THREAD_TURNS)):
            if time.monotonic() > until:
                return
            name = (
                lots.choice("BDFGLMNRTV") + lots.choice("aeiou") + lots.choice(("la", "ro", "ni"))
            )
            said = lots.choice(SAID).format(
                name=name, number=lots.randrange(1, 20), city=lots.choice(CITIES)
            )
            await _say(graph, served, user, thread, said)


async def _say(graph: MemoryGraph, served: Served, user: str, thread: str, said: str) -> None:
    started = time.perf_counter()
    try:
        result = await graph.ainvoke(
            {"messages": [HumanMessage(said)]},
            {"configurable": {"thread_id": thread}},
            context=Context(user_id=user),
        )
        if not result["messages"][-1].text:
            served.failed.append("no reply")
    except Exception as error:  # noqa: BLE001 — counted
        served.failed.append(f"{type(error).__name__}: {error}"[:200])
    served.turns += 1
    served.seconds.append(time.perf_counter() - started)


def _worker(address: str, number: int, minutes: float, pipe: Connection) -> None:
    pipe.send(asyncio.run(_serve(address, number, minutes)))


def _connections(address: str) -> int:
    with psycopg.connect(address) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
    return int(found[0]) if found else 0


def growth(samples: Sequence[float]) -> float:
    """Return how much more memory the last third of a run took than the one before it."""
    third = max(len(samples) // 3, 1)
    before, last = samples[-2 * third : -third] or samples[:1], samples[-third:]
    return statistics.median(last) / statistics.median(before)


def main() -> int:
    """Run the workers and print what they did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    args = parser.parse_args()
    load_before = os.getloadavg()[0]
    prepare()
    with addresses("postgres") as fresh:
        address = next(fresh)
        asyncio.run(_open_once(address))
        pipes = []
        for number in range(WORKERS):
            ours, theirs = get_context("fork").Pipe()
            get_context("fork").Process(
                target=_worker, args=(address, number, args.minutes, theirs), daemon=True
            ).start()
            pipes.append(ours)
        served: list[Served] = [pipe.recv() for pipe in pipes]
        time.sleep(2)
        left = _connections(address)
    seconds = sorted(second for each in served for second in each.seconds)
    grown = [round(growth(each.memory_mb), 2) for each in served]
    report = {
        "minutes": args.minutes,
        "workers": WORKERS,
        "users": USERS,
        "turns": sum(each.turns for each in served),
        "load_before": round(load_before, 1),
        "failed_replies": sum(len(each.failed) for each in served),
        "warnings": sum(len(each.warned) for each in served),
        "told": Counter(t for each in served for t in (*each.failed, *each.warned)).most_common(10),
        "median_s": round(statistics.median(seconds), 3),
        "p95_s": round(seconds[int(0.95 * len(seconds))], 3),
        "slowest_s": round(seconds[-1], 3),
        "memory_mb": [
            [round(mb) for mb in each.memory_mb[:: max(len(each.memory_mb) // 8, 1)]]
            for each in served
        ],
        "memory_growth": grown,
        "connections_left": left,
    }
    print(json.dumps(report, indent=2))
    errors = report["failed_replies"] or report["warnings"]
    if errors and load_before > 1:
        print("Others used the machine: what timed out may be their doing. Run it on an idle one.")
    return 0 if not errors and not left and max(grown) < _FLAT else 1


async def _open_once(address: str) -> None:
    async with open_configured_store(Settings(store=address), load_embedder(EMBEDDER)) as backend:
        await memory_of(Owner("user-0"), backend.store).facts.all()


if __name__ == "__main__":
    sys.exit(main())
