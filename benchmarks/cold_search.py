"""Does a store that searches itself find as much as this process, and what does that cost?

`python -m benchmarks.cold_search --locomo FILE --longmemeval FILE` keeps what was said in LoCoMo
and LongMemEval in a Postgres and asks their questions twice: of the store (`store`), and of an
index in this process (`process`). It prints recall of evidence turns at 10, and the time of the
first search and of the others: of an index, the first reads everything.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from statistics import fmean, median

from langgraph.store.base import BaseStore

from benchmarks import longmemeval as longmemeval_data
from benchmarks import longmemeval_retrieval
from benchmarks.fleet import be_patient
from benchmarks.kills import addresses
from benchmarks.locomo import Conversation, load
from memory_graph.embedding import load_embedder
from memory_graph.episodes.store import EPISODES, Episodes
from memory_graph.policies import RecallPolicy
from memory_graph.recall.search import search_turns
from memory_graph.records import Source, TurnRecord
from memory_graph.settings import Settings
from memory_graph.store import collection, index_cache
from memory_graph.store.configured import open_configured_store
from memory_graph.store.index_cache import IndexCache
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.turns.store import TURNS, Turns

_BATCH = 50
CUT = 10


def anew(memory: UserMemory) -> UserMemory:
    """Return a memory as a process sees it that has indexed nothing."""
    scope = replace(memory.scope, indexes=IndexCache(1_000_000))
    return replace(
        memory, scope=scope, turns=Turns(scope, TURNS), episodes=Episodes(scope, EPISODES)
    )


async def fill(memory: UserMemory, turns: Sequence[TurnRecord], now: datetime) -> None:
    """Keep turns, some at a time."""
    for start in range(0, len(turns), _BATCH):
        await memory.commit(await memory.turns.puts(turns[start : start + _BATCH], now))


def spoken(conversation: Conversation) -> list[TurnRecord]:
    """Return what was said in a conversation as it is kept."""
    return [
        TurnRecord(
            id=turn.turn_id,
            text=turn.text,
            role="user",
            speaker=turn.speaker,
            session=turn.session,
            position=turn.position,
            said_at=turn.said_at,
            source=Source(message_ids=(turn.turn_id,)),
        )
        for turn in conversation.turns
    ]


@dataclass(frozen=True)
class Asked:
    """A question, when it was asked, and the records that answer it."""

    text: str
    now: datetime
    evidence: frozenset[str]


@dataclass(frozen=True)
class Talk:
    """What somebody said, kept, and what is asked about it."""

    name: str
    memory: UserMemory
    asked: Sequence[Asked]


async def locomo(store: BaseStore, file: Path, limit: int) -> AsyncIterator[Talk]:
    """Yield the conversations of LoCoMo."""
    for each in list(load(file))[:limit]:
        memory = memory_of(Owner(each.name), store)
        now = max(turn.said_at for turn in each.turns)
        await fill(memory, spoken(each), now)
        yield Talk(each.name, memory, [Asked(q.text, now, q.evidence) for q in each.questions])


async def longmemeval(store: BaseStore, file: Path, limit: int) -> AsyncIterator[Talk]:
    """Yield what was said before each question of LongMemEval."""
    for each in [q for q in longmemeval_data.load(file) if q.is_answerable][:limit]:
        memory = await longmemeval_retrieval.fill(each, store)
        sources = {turn.turn_id for turn in each.turns if turn.is_evidence}
        kept = [
            (turn, longmemeval_retrieval.turn_of(each, turn)) for turn in await memory.turns.all()
        ]
        evidence = frozenset(record.id for record, turn in kept if turn.turn_id in sources)
        if evidence:
            yield Talk(each.name, memory, [Asked(each.text, each.asked_at, evidence)])


async def found(memory: UserMemory, asked: Asked) -> tuple[list[str], float]:
    """Return the turns found for a question, best first, and how long that took."""
    query = await memory.query(asked.text, asked.now, RecallPolicy().weights)
    started = time.perf_counter()
    hits = await search_turns(memory, query, CUT)
    return [hit.record.id for hit in hits], 1000 * (time.perf_counter() - started)


async def measure(talk: Talk, *, by_store: bool) -> list[float]:
    """Return the recall of every question, by the store or in this process; print the times."""
    collection._SMALL = 0 if by_store else 10**9  # noqa: SLF001
    memory = anew(talk.memory)
    recalls, times = [], []
    for asked in talk.asked:
        ids, took = await found(memory, asked)
        recalls.append(len(asked.evidence & {*ids}) / len(asked.evidence))
        times.append(took)
    name = "store" if by_store else "process"
    print(
        f"{talk.name:20}{name:>8}  turns@{CUT} {100 * fmean(recalls):5.1f}  "
        f"first {times[0]:7.1f} ms  median {median(times):6.1f} ms",
        flush=True,
    )
    return recalls


async def main() -> None:
    """Ask everything both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--longmemeval", type=Path)
    parser.add_argument("--limit", type=int, default=1000, help="conversations of each")
    args = parser.parse_args()
    index_cache._COMES_BACK_S = (1e9, 1e9)  # noqa: SLF001 — nobody comes back
    be_patient()
    with addresses("postgres") as fresh:
        for read, file in ((locomo, args.locomo), (longmemeval, args.longmemeval)):
            if file is None:
                continue
            settings = Settings(store=next(fresh))
            async with open_configured_store(settings, load_embedder("use")) as opened:
                await compare(read(opened.store, file, args.limit), file.stem)


async def compare(talks: AsyncIterator[Talk], name: str) -> None:
    """Ask about every talk both ways, and print the difference."""
    both: dict[bool, list[float]] = {True: [], False: []}
    async for talk in talks:
        for by_store in both:
            both[by_store] += await measure(talk, by_store=by_store)
    store, process = 100 * fmean(both[True]), 100 * fmean(both[False])
    print(
        f"{name}, {len(both[True])} questions: store {store:.1f}, process {process:.1f}, "
        f"difference {store - process:+.1f} points"
    )


if __name__ == "__main__":
    asyncio.run(main())
