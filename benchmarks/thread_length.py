"""Does a turn cost more the longer its thread is, or after a huge paste?

`python -m benchmarks.thread_length [--baseline DIR]` talks one thread of 1,000 turns and prints the
processor time of the turns around the 100th, the 400th and the last, in memory and on SQLite; then
that of an `ok` in a short thread, before and after a paste of 192,000 characters. *own* is what the
memory nodes take, *at 10* the same of turns 10 to 33 of a new user and thread, measured turn by
turn at the same time, so that other work on the machine counts alike. *all* is the whole turn and
*plain* that of the same thread with an agent that has no memory: LangGraph itself saves and reads
the whole list of messages, here between the steps (`durability="sync"`), not beside them. Episodes
have neither quota nor cooldown: a new user would write others than one whose quota is used up.
Garbage collections are not counted: the messages that LangGraph reads set them off, and the heap of
all these graphs is one (*gc*: milliseconds a turn with memory). `DIR` is another checkout.
"""

import argparse
import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

STORES = ("memory", "sqlite")
UNBOUNDED = tuple(
    f"EPISODIC_{name}" for name in ("MAX_PER_DAY=100000", "COOLDOWN_TURNS=0", "COOLDOWN_MINUTES=0")
)
MARKS = (100, 400, 1000)
EARLY = 10
FRESH = 80_000
"""What is said in a new thread differs from all that was: nothing of it is known already."""

NODES = ("memory_hotpath", "memory_context", "episodic_capture")

WINDOW = 24
"""Turns that are measured at each mark: three times every kind of message."""

PASTE = 192_000
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
FIRST = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hal", "Ida", "Jon", "Kim", "Lea")
LAST = ("Abel", "Bond", "Cole", "Dorn", "Egan", "Ford", "Gray", "Holt", "Irving", "Jones", "Kern")

Cost = tuple[float, float, float]
"""Milliseconds of a turn, of collections apart, and of the memory nodes."""

Figures = dict[str, dict[str, list[Cost]]]
"""By mark and graph, what every turn cost."""


def says(number: int) -> str:
    """Return what the user says in a turn; kinds come in turn, names and numbers change."""
    name = f"{FIRST[number % len(FIRST)]} {LAST[number % len(LAST)]}"
    return SAID[number % len(SAID)].format(name=name, n=number)


@asynccontextmanager
async def opened(store: str, folder: Path) -> AsyncIterator[tuple[Any, Any]]:
    """Yield an empty store and a checkpointer."""
    if store == "memory":
        from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415
        from langgraph.store.memory import InMemoryStore  # noqa: PLC0415

        yield InMemoryStore(), InMemorySaver()
        return
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # noqa: PLC0415
    from langgraph.store.sqlite.aio import AsyncSqliteStore  # noqa: PLC0415

    async with (
        AsyncSqliteStore.from_conn_string(str(folder / "store.sqlite")) as memory,
        AsyncSqliteSaver.from_conn_string(str(folder / "threads.sqlite")) as saver,
    ):
        await memory.setup()
        yield memory, saver


def with_memory(store: object, saver: object) -> object:
    """Return the public graph; what its memory nodes take is counted."""
    from memory_graph import build_graph  # noqa: PLC0415 — of the version measured

    graph: Any = build_graph(store=store, checkpointer=saver)  # type: ignore[arg-type]
    for name in NODES:
        count_time(graph.builder.nodes[name].runnable)
    return graph


def count_time(node: Any) -> None:  # noqa: ANN401
    """Add the processor time of every run of a node to `SPENT`."""
    run = node.ainvoke

    async def timed(*args: object, **kwargs: object) -> object:
        started, collected = time.process_time(), COLLECTIONS.seconds
        try:
            return await run(*args, **kwargs)
        finally:
            collected = COLLECTIONS.seconds - collected
            SPENT.append(time.process_time() - started - collected)

    node.ainvoke = timed


def without_memory(_: object, saver: object) -> object:
    """Return an agent that has none, but tools as ours has."""
    from langchain_core.messages import AIMessage  # noqa: PLC0415
    from langgraph.graph import END, START, MessagesState, StateGraph  # noqa: PLC0415

    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda _: {"messages": [AIMessage("I see.")]})
    builder.add_node("tools", lambda _: {})
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", lambda state: END if state["messages"] else "tools")
    return builder.compile(checkpointer=saver)  # type: ignore[arg-type]


@dataclass
class Collections:
    """The seconds that garbage collections have taken."""

    seconds: float = 0.0
    started: float = 0.0

    def __call__(self, phase: str, _: object) -> None:
        """Hear of a collection."""
        now = time.process_time()
        if phase == "start":
            self.started = now
        else:
            self.seconds += now - self.started


COLLECTIONS = Collections()
SPENT: list[float] = []
"""The seconds of every run of a memory node."""


async def turn(graph: Any, text: str, thread: str) -> Cost:  # noqa: ANN401
    """Say something and return what that cost all threads of the process."""
    from langchain_core.messages import HumanMessage  # noqa: PLC0415

    config = {"configurable": {"user_id": f"user-{thread}", "thread_id": thread}}
    SPENT.clear()
    started, collected = time.process_time(), COLLECTIONS.seconds
    await graph.ainvoke({"messages": [HumanMessage(text)]}, config, durability="sync")
    collected = COLLECTIONS.seconds - collected
    took = time.process_time() - started - collected
    return took * 1000, collected * 1000, sum(SPENT) * 1000


async def talk(graphs: Mapping[str, object], turns: int) -> Figures:
    """Return the milliseconds of a turn by mark and graph, in the long thread and in a new one."""
    starts = {min(mark, turns - WINDOW): str(mark) for mark in MARKS if mark <= turns}
    figures: Figures = {}
    for number in range(turns):
        start = next((at for at in starts if at <= number < at + WINDOW), None)
        if start is None:
            await everywhere(graphs, number, "long")
            continue
        mark = starts[start]
        if number == start:
            figures[mark] = defaultdict(list)
            for early in range(EARLY):
                await everywhere(graphs, FRESH * (1 + start) + early, mark)
        took = await everywhere(graphs, number, "long")
        early_took = await everywhere(graphs, FRESH * (1 + start) + EARLY + number - start, mark)
        for name in graphs:
            figures[mark][name].append(took[name])
            figures[mark][f"{name} at {EARLY}"].append(early_took[name])
    return figures


async def everywhere(graphs: Mapping[str, object], number: int, thread: str) -> dict[str, Cost]:
    """Say the same to every graph."""
    return {name: await turn(graph, says(number), thread) for name, graph in graphs.items()}


async def paste(graphs: Mapping[str, object]) -> Figures:
    """Return the milliseconds of an `ok` before and after a paste."""
    line = "2026-03-01 12:00:01 INFO worker 7 took job 4711 from the queue and wrote 12 rows.\n"
    figures: Figures = {"ok before": {}, "ok after": {}}
    for name, graph in graphs.items():
        for number in range(4):
            await turn(graph, says(number), "paste")
        figures["ok before"][name] = [await turn(graph, "ok", "paste") for _ in range(8)]
        await turn(graph, (line * (PASTE // len(line) + 1))[:PASTE], "paste")
        figures["ok after"][name] = [await turn(graph, "ok", "paste") for _ in range(8)]
    return figures


async def play(store: str, turns: int) -> dict[str, Figures]:
    """Return the figures of all graphs on one kind of store."""
    builders = {"memory": with_memory, "plain": without_memory}
    async with AsyncExitStack() as stack:
        graphs = {}
        for name, build in builders.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            graphs[name] = build(*await stack.enter_async_context(opened(store, folder)))
        for number in range(16):
            await everywhere(graphs, number, "warm")
        return {"paste": await paste(graphs), "thread": await talk(graphs, turns)}


def measure(directory: Path, store: str, turns: int) -> dict[str, Figures]:
    """Play in a process of its own, with the package that `directory` holds."""
    command = [
        *("env", "-u", "MEMORY_GRAPH_MODEL", "-u", "OPENAI_API_KEY", "-u", "OPENAI_BASE_URL"),
        *(f"PYTHONPATH={directory}", "OPENBLAS_NUM_THREADS=1", *UNBOUNDED),
        *(sys.executable, __file__, "--play", store, "--turns", str(turns)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Figures] = json.loads(done.stdout.splitlines()[-1])
    return figures


def thread_rows(figures: Figures) -> list[str]:
    """Return a line per mark: all of it, without memory, memory's own, the same at 10, growth."""
    lines = []
    for mark, took in figures.items():
        early = mean(each[2] for each in took[f"memory at {EARLY}"])
        whole, collected, own = (mean(each[n] for each in took["memory"]) for n in range(3))
        plain = mean(each[0] for each in took["plain"])
        shown = (whole, plain, collected, own, early)
        lines.append(f"{mark:>12}" + "".join(f"{e:10.1f}" for e in shown) + f"{own / early:9.2f}x")
    return lines


def paste_rows(figures: Figures) -> list[str]:
    """Return what memory adds to an `ok`, before and after a paste."""
    own = {when: median(each[2] for each in took["memory"]) for when, took in figures.items()}
    return [f"{w:>12}{each:40.1f}{each / own['ok before']:19.2f}x" for w, each in own.items()]


def main() -> None:
    """Measure every version on every store and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--turns", type=int, default=MARKS[-1])
    parser.add_argument("--stores", nargs="*", default=STORES)
    parser.add_argument("--play", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        gc.callbacks.append(COLLECTIONS)
        print(json.dumps(asyncio.run(play(options.play, options.turns))))
        return
    versions = {"now": Path(__file__).parents[1]}
    if options.baseline:
        versions["baseline"] = options.baseline.resolve()
    for store in options.stores:
        for name, directory in versions.items():
            figures = measure(directory, store, options.turns)
            columns = ("turn", "all", "plain", "gc", "own", "at 10", "growth")
            heads = f"{columns[0]:>12}" + "".join(f"{column:>10}" for column in columns[1:])
            print(f"{name}, {store}: ms of CPU a turn\n{heads}")
            lines = [*thread_rows(figures["thread"]), *paste_rows(figures["paste"])]
            print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
