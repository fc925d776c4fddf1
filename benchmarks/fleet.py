"""What does a fleet cost users who are new to a worker, and does it lose anything?

`python -m benchmarks.fleet` fills a Postgres with users of 50 to 5,000 memories each (Zipf), then
lets four worker processes serve turns of random users, each turn on a random worker. On the way a
worker is killed and replaced, and every connection to the database is cut, as by its restart. It
prints the median and the 95th percentile of turns that were cold (the user was new to the worker)
and warm, the bytes that they read, the memory of the workers, and what the store has lost or
doubled of what was told. `--users 2000 --turns 5000` is the full size.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median
from typing import Any

from benchmarks.kills import EMBEDDER, addresses, prepare
from benchmarks.soak import resident_mb
from benchmarks.throughput import count_statements
from memory_graph import clock

WORKERS = 4
SMALLEST, LARGEST, SKEW = 50, 5000, 0.75
WORDS = "dog house river bakery violin thunder sister garden train hotel doctor book soup bicycle"
ASKED = "What did I say about the {a} and the {b}?"
TOLD = "My neighbour number {n} is called {name}."


def sizes(users: int, largest: int) -> list[int]:
    """Return how many memories each user has: few have many."""
    return [max(SMALLEST, round(largest / (rank**SKEW))) for rank in range(1, users + 1)]


async def fill(address: str, each: Sequence[int]) -> None:
    """Keep everybody's memories: four of five are turns, the others facts."""
    from memory_graph.records import Fact, TurnRecord  # noqa: PLC0415
    from memory_graph.store.scope import Owner, memory_of  # noqa: PLC0415

    lots, now = random.Random(1), clock.utc_now()
    words = WORDS.split()
    async with opened(address) as backend:
        for user, size in enumerate(each):
            memory = memory_of(Owner(f"user-{user}"), backend.store)
            said = [f"The {lots.choice(words)} by the {lots.choice(words)}." for _ in range(size)]
            turns = [
                TurnRecord(
                    id=f"turn-{n}", text=text, role="user", speaker="user", session=f"s{n // 20}",
                    position=n, said_at=now - timedelta(minutes=size - n),
                )
                for n, text in enumerate(said[: size * 4 // 5])
            ]  # fmt: skip
            facts = [
                Fact(
                    id=f"fact-{n}", statement=text, created_at=now, updated_at=now,
                    last_verified_at=now, valid_from=now,
                )
                for n, text in enumerate(said[size * 4 // 5 :])
            ]  # fmt: skip
            puts = [*await memory.turns.puts(turns, now), *await memory.facts.puts(facts, now)]
            for start in range(0, len(puts), 100):
                await memory.commit(puts[start : start + 100])


def opened(address: str) -> Any:  # noqa: ANN401 — a context manager
    """Open the store, patiently: the machine may be busy."""
    from memory_graph.embedding import load_embedder  # noqa: PLC0415
    from memory_graph.settings import Settings  # noqa: PLC0415
    from memory_graph.store.configured import open_configured_store  # noqa: PLC0415

    return open_configured_store(Settings(store=address), load_embedder(EMBEDDER))


async def serve(address: str) -> None:
    """Serve turns that come in as lines, and answer each with what it took."""
    from langchain_core.messages import HumanMessage  # noqa: PLC0415

    from memory_graph import build_graph  # noqa: PLC0415

    counted = count_statements()
    async with opened(address) as backend:
        graph = build_graph(store=backend.store, checkpointer=backend.checkpointer)
        while line := await asyncio.to_thread(sys.stdin.readline):
            turn = json.loads(line)
            counted.clear()
            started = time.perf_counter()
            config = {"configurable": {"user_id": turn["user"], "thread_id": turn["thread"]}}
            error = ""
            try:
                message = HumanMessage(turn["says"], id=turn["id"])
                await graph.ainvoke({"messages": [message]}, config)
            except Exception as failure:  # noqa: BLE001 — told, and tried again
                error = type(failure).__name__
            took = time.perf_counter() - started
            told = {**turn, "s": took, "mb": resident_mb(), "error": error, **counted}
            print(json.dumps(told), flush=True)


@dataclass
class Worker:
    """One process of the fleet."""

    address: str
    process: Any = None
    seen: set[str] = field(default_factory=set)

    def start(self) -> None:
        """Begin, or begin again with nothing in memory."""
        self.seen = set()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fleet", "--serve", self.address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def play(self, turn: dict[str, Any]) -> dict[str, Any]:
        """Have a turn served; what dies on the way is tried again by a new worker."""
        is_cold = turn["user"] not in self.seen
        while True:
            try:
                self.process.stdin.write(json.dumps(turn) + "\n")
                self.process.stdin.flush()
                answer = self.process.stdout.readline()
            except BrokenPipeError:
                answer = ""
            if answer and not json.loads(answer)["error"]:
                self.seen.add(turn["user"])
                return {**json.loads(answer), "cold": is_cold}
            if not answer:
                self.process.wait()
                self.start()


def turns_of(users: int, number: int, lots: random.Random) -> list[dict[str, Any]]:
    """Return what is said: one of five turns tells a fact that nobody else tells."""
    words = WORDS.split()
    turns = []
    for n in range(number):
        user = f"user-{lots.randrange(users)}"
        says = ASKED.format(a=lots.choice(words), b=lots.choice(words))
        if n % 5 == 0:
            says = TOLD.format(n=n, name=f"{lots.choice('BDFGLM')}a{lots.choice('lmnr')}o{n}")
        thread = f"{user}-{lots.randrange(10**6)}"
        turns.append({"user": user, "says": says, "thread": thread, "id": f"m{n}"})
    return turns


async def missing(address: str, turns: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Return how many turns the store has lost, and how many it keeps twice."""
    from memory_graph.store.scope import Owner, memory_of  # noqa: PLC0415

    lost = doubled = 0
    async with opened(address) as backend:
        for turn in turns:
            memory = memory_of(Owner(turn["user"]), backend.store)
            kept = [t for t in await memory.turns.said_in([turn["id"]]) if t.role == "user"]
            lost += not kept
            doubled += len(kept) > 1
            if turn["says"].startswith("My neighbour"):
                name = turn["says"].split()[-1].strip(".")
                facts = [each for each in await memory.facts.all() if name in each.statement]
                lost += not facts
                doubled += len(facts) > 1
    return lost, doubled


def restart(address: str) -> None:
    """Restart the database, as an upgrade does: every connection is lost."""
    import psycopg  # noqa: PLC0415

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        )


def shown(name: str, served: Sequence[dict[str, Any]]) -> str:
    """Return the times and bytes of some turns in a row."""
    seconds = sorted(each["s"] for each in served)
    read = sorted(each.get("bytes", 0) / 1000 for each in served)
    at = int(0.95 * (len(seconds) - 1))
    return (
        f"{name:6}{len(served):6} turns  p50 {1000 * median(seconds):7.0f} ms  p95 "
        f"{1000 * seconds[at]:7.0f} ms  read p50 {median(read):6.0f} kB  p95 {read[at]:6.0f} kB  "
        f"statements {median(each.get('statements', 0) for each in served):.0f}"
    )


def run(address: str, turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Have every turn served by a random worker, with a death and a restart on the way."""
    lots = random.Random(7)
    workers = [Worker(address) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    served = []
    for n, turn in enumerate(turns):
        if n == len(turns) // 3:
            workers[0].process.kill()
        if n == len(turns) // 2:
            restart(address)
        served.append(lots.choice(workers).play(turn))
    for worker in workers:
        worker.process.stdin.close()
        worker.process.wait()
    return served


def report(served: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines that tell what cold and warm turns took, and what workers hold."""
    settled = served[WORKERS * 4 :]  # a worker loads its weights with its first turns
    cold, warm = ([e for e in settled if e["cold"] is is_cold] for is_cold in (True, False))
    lines = [shown(name, each) for name, each in (("cold", cold), ("warm", warm)) if each]
    if cold and warm:
        ratio = median(e["s"] for e in cold) / median(e["s"] for e in warm)
        lines.append(f"cold / warm, p50: {ratio:.2f}")
    third = len(served) // 3
    first, last = (max(e["mb"] for e in part) for part in (served[third:-third], served[-third:]))
    return [*lines, f"memory of a worker: {first:.0f} MB, at the end {last:.0f} MB"]


def main() -> None:
    """Run the fleet and print what it did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--largest", type=int, default=LARGEST)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        asyncio.run(serve(args.serve))
        return
    prepare()
    turns = turns_of(args.users, args.turns, random.Random(7))
    with addresses("postgres") as fresh:
        address = next(fresh)
        asyncio.run(fill(address, sizes(args.users, args.largest)))
        served = run(address, turns)
        lost, doubled = asyncio.run(missing(address, turns))
    print("\n".join(report(served)))
    print(f"{len(turns)} turns: lost {lost}, doubled {doubled}")


if __name__ == "__main__":
    main()
