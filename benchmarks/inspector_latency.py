"""How long does the inspector take for its pages, with 5,000 memories?

Run `python -m benchmarks.inspector_latency`. Pages are asked for over HTTP of a real process, as
a browser would; items get random vectors, since only time matters.
"""

import argparse
import asyncio
import random
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from statistics import median

import httpx
import uvicorn
from langgraph.store.base import BaseStore

from benchmarks.retrieval_latency import new_embedder, open_store
from memory_graph.records import FACT_CATEGORIES, Episode, Fact, FactVersion, TurnRecord
from memory_graph.server.inspector.app import local_app
from memory_graph.server.inspector.guard import LocalDoor
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

NOW = datetime(2026, 11, 16, tzinfo=UTC)
STORES = ("sqlite", "postgres")
PAGES = (
    "/",
    "/?q=lilac",
    "/facts/profile:note-7:colour",
    "/recall?q=lilac",
    "/turns",
    "/episodes",
    "/health",
)
TIMES = 9
FACTS, EPISODES, TURNS = 3500, 500, 1000
_BATCH = 250
_COLOURS = ("green", "blue", "amber", "lilac", "white")


def a_fact(number: int) -> Fact:
    """Return one of many facts; every third has changed once."""
    at = NOW - timedelta(hours=number)
    value = random.Random(number).choice(_COLOURS)
    key = f"profile:note-{number}:colour"
    past = FactVersion(
        statement=f"Note {number} is grey.",
        value="grey",
        valid_from=at - timedelta(days=9),
        valid_to=at,
    )
    return Fact(
        id=key,
        key=key,
        statement=f"The user's note {number} is {value}.",
        category=FACT_CATEGORIES[number % len(FACT_CATEGORIES)],
        entity=f"note {number}",
        attribute="colour",
        value=value,
        created_at=at,
        updated_at=at,
        last_verified_at=at,
        valid_from=at,
        history=(past,) if number % 3 == 0 else (),
    )


def an_episode(number: int) -> Episode:
    """Return one of many episodes."""
    at = NOW - timedelta(hours=5 * number)
    return Episode(
        id=f"ep-{number}",
        title=f"Painting note {number}",
        summary=f"We painted note {number} and decided to let it dry.",
        human_line=f"On {at:%Y-%m-%d} we painted note {number}.",
        started_at=at,
        ended_at=at,
        created_at=at,
        updated_at=at,
        date_iso=f"{at:%Y-%m-%d}",
        week=at.isocalendar().week,
        year=at.isocalendar().year,
        outcome="success",
    )


def a_turn(number: int) -> TurnRecord:
    """Return one of many turns."""
    return TurnRecord(
        id=f"turn-{number}",
        text=f"I painted note {number} today.",
        speaker="user",
        session=f"thread-{number % 50}",
        position=number,
        said_at=NOW - timedelta(hours=number),
    )


async def fill(memory: UserMemory) -> None:
    """Store 5,000 memories."""
    puts = await memory.facts.puts([a_fact(n) for n in range(FACTS)], NOW)
    puts += await memory.episodes.puts([an_episode(n) for n in range(EPISODES)], NOW)
    puts += await memory.turns.puts([a_turn(n) for n in range(TURNS)], NOW)
    for start in range(0, len(puts), _BATCH):
        await memory.commit(puts[start : start + _BATCH])


@asynccontextmanager
async def serving(store: BaseStore) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the inspector on a free port, to one client that is let in."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    door = LocalDoor(Owner("ana"))
    server = uvicorn.Server(uvicorn.Config(local_app(store, door), log_level="warning"))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    async with httpx.AsyncClient(base_url=base, timeout=120) as client:
        await client.get(f"/enter?token={door.token}")
        yield client
    server.should_exit = True
    await running


async def measure(name: str, pages: Sequence[str]) -> None:
    """Print how long each page takes on one store."""
    embedder = new_embedder()
    async with open_store(name, embedder) as store:
        memory = memory_of(Owner("ana"), store)
        object.__setattr__(memory.scope, "embedder", embedder)
        await fill(memory)
        async with serving(store) as client:
            for page in pages:
                print(await _row(name, page, client), flush=True)


async def _row(name: str, page: str, client: httpx.AsyncClient) -> str:
    times, busy = [], []
    for _ in range(TIMES + 1):
        started, cpu = time.perf_counter(), time.process_time()
        answer = await client.get(page)
        answer.raise_for_status()
        times.append((time.perf_counter() - started) * 1000)
        busy.append((time.process_time() - cpu) * 1000)
    first, warm, spent = times[0], median(times[1:]), median(busy[1:])
    return f"| {name} | `{page}` | {first:.0f} | {warm:.0f} | {spent:.0f} |"


def main() -> None:
    """Measure the stores that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="*", default=STORES)
    parser.add_argument("--page", action="append", help="only this page; may be repeated")
    args = parser.parse_args()
    print("| store | page | first, ms | warm, ms | of it CPU, ms |\n|---|---|---|---|---|")
    for name in args.stores:
        asyncio.run(measure(name, args.page or PAGES))


if __name__ == "__main__":
    main()
