"""Does a store that searches itself find as much as this process, and what does that cost?

`python -m benchmarks.cold_search --locomo FILE` keeps the turns of conversations of LoCoMo in a
Postgres and asks its questions twice: of the store (`store`), and of an index in this process
(`process`). It prints recall of evidence turns at 10, and the time of the first search and of
the others: of an index, the first reads everything.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from statistics import fmean, median

from benchmarks.kills import addresses
from benchmarks.locomo import Conversation, load
from memory_graph.embedding import load_embedder
from memory_graph.policies import RecallPolicy
from memory_graph.recall.search import search_turns
from memory_graph.records import Source, TurnRecord
from memory_graph.settings import Settings
from memory_graph.store import collection
from memory_graph.store.collection import IndexCache
from memory_graph.store.configured import open_configured_store
from memory_graph.store.scope import Owner, UserMemory, memory_of
from memory_graph.turns.store import TURNS, Turns

_BATCH = 50
CUT = 10


def anew(memory: UserMemory) -> UserMemory:
    """Return a memory as a process sees it that has indexed nothing."""
    scope = replace(memory.scope, indexes=IndexCache(1_000_000))
    return replace(memory, scope=scope, turns=Turns(scope, TURNS))


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


async def found(memory: UserMemory, question: str, now: datetime) -> tuple[list[str], float]:
    """Return the turns found for a question, best first, and how long that took."""
    query = await memory.query(question, now, RecallPolicy().weights)
    started = time.perf_counter()
    hits = await search_turns(memory, query, CUT)
    return [hit.record.id for hit in hits], 1000 * (time.perf_counter() - started)


async def measure(memory: UserMemory, conversation: Conversation, *, by_store: bool) -> list[float]:
    """Return the recall of every question, by the store or in this process; print the times."""
    collection.SMALL = 0 if by_store else 10**9
    now = max(turn.said_at for turn in conversation.turns)
    memory = anew(memory)
    recalls, times = [], []
    for question in conversation.questions:
        ids, took = await found(memory, question.text, now)
        recalls.append(len(question.evidence & {*ids}) / len(question.evidence))
        times.append(took)
    name = "store" if by_store else "process"
    print(
        f"{conversation.name:10}{name:>8}{len(conversation.turns):6} turns  "
        f"turns@{CUT} {100 * fmean(recalls):5.1f}  first {times[0]:7.1f} ms  "
        f"median {median(times):6.1f} ms",
        flush=True,
    )
    return recalls


async def main() -> None:
    """Ask everything both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path, required=True)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--questions", type=int, default=1000)
    args = parser.parse_args()
    collection._COMES_BACK_S = (1e9, 1e9)  # noqa: SLF001 — nobody comes back
    both: dict[bool, list[float]] = {True: [], False: []}
    with addresses("postgres") as fresh:
        settings = Settings(store=next(fresh), store_write_timeout_s=60, store_read_timeout_s=60)
        async with open_configured_store(settings, load_embedder("use")) as opened:
            for each in list(load(args.locomo))[: args.conversations]:
                conversation = replace(each, questions=each.questions[: args.questions])
                memory = memory_of(Owner(conversation.name), opened.store)
                now = max(turn.said_at for turn in conversation.turns)
                await fill(memory, spoken(conversation), now)
                for by_store in both:
                    both[by_store] += await measure(memory, conversation, by_store=by_store)
    store, process = 100 * fmean(both[True]), 100 * fmean(both[False])
    print(
        f"all: store {store:.1f}, process {process:.1f}, difference {store - process:+.1f} points"
    )


if __name__ == "__main__":
    asyncio.run(main())
