"""Does a search take longer among a million memories than among ten thousand?

`python -m benchmarks.million` fills two databases of one Postgres with users of 1,000 memories each
and asks about random users, in turn, as a worker does that has indexed nobody. It prints the median
and the 95th percentile of a search of episodes and turns.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack

from benchmarks.cold_search import anew
from benchmarks.copied_users import copy_users, fill_template
from benchmarks.fleet import be_patient, opened
from benchmarks.kills import addresses
from memory_graph import clock
from memory_graph.recall.search import search_turns
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

EACH, TEMPLATE = 1000, 2000
ASKED = (
    "What did I say about my sister?",
    "When is the dentist appointment?",
    "Which hotel did we book in Porto?",
    "How did the release go?",
    "What am I allergic to?",
    "Who is my daughter's teacher?",
)


async def took(memory: UserMemory, text: str) -> float:
    """Return the milliseconds of a search by a worker that knows nobody."""
    query = await memory.query(text, clock.utc_now())
    memory = anew(memory)
    started = time.perf_counter()
    await memory.episodes.search(query, 5)
    await search_turns(memory, query, 10)
    return 1000 * (time.perf_counter() - started)


def percentile(times: Sequence[float], share: float) -> float:
    """Return the time that so many do not exceed."""
    return sorted(times)[int(share * (len(times) - 1))]


async def measure(sizes: Sequence[int], questions: int, fresh: Sequence[str]) -> None:
    """Fill a database of each size, ask all of them in turn, and print the times."""
    lots, times = random.Random(5), {size: list[float]() for size in sizes}
    async with AsyncExitStack() as stack:
        stores = {}
        for size, address in zip(sizes, fresh, strict=True):
            backend = await stack.enter_async_context(opened(address))
            stores[size] = backend.store
            await fill_template(backend.store, TEMPLATE, clock.utc_now())
            users = [(f"user-{n}", EACH) for n in range(size // EACH)]
            print(f"{copy_users(address, users, TEMPLATE):>9} memories", flush=True)
        for number in range(questions + len(ASKED)):
            for size, store in stores.items():
                user = Owner(f"user-{lots.randrange(size // EACH)}")
                times[size].append(await took(memory_of(user, store), ASKED[number % len(ASKED)]))
    for size, each in times.items():
        settled = each[len(ASKED) :]
        middle, slow = percentile(settled, 0.5), percentile(settled, 0.95)
        print(f"{size:>9} memories: p50 {middle:6.1f} ms  p95 {slow:6.1f} ms")
    first, last = (percentile(times[size][len(ASKED) :], 0.95) for size in (sizes[0], sizes[-1]))
    print(f"p95, {sizes[-1]} / {sizes[0]}: {last / first:.2f}")


def main() -> None:
    """Read the arguments, fill, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=(10_000, 1_000_000))
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    be_patient()
    with addresses("postgres") as fresh:
        asyncio.run(measure(args.sizes, args.questions, [next(fresh) for _ in args.sizes]))


if __name__ == "__main__":
    main()
