"""Does a turn cost more the longer its thread is, or after a huge paste?

`python -m benchmarks.thread_length [--baseline DIR]` talks one thread of 1,000 turns and prints the
processor time of the turns around the 10th, the 100th, the 400th and the last, in memory and on
SQLite; then that of an `ok` in a short thread, before and after a paste of 192,000 characters.
*plain* is the same thread with an agent that has no memory: LangGraph itself saves and reads the
whole list of messages. *own* is what memory adds. `DIR` is a checkout of another version.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

STORES = ("memory", "sqlite")
MARKS = (10, 100, 400, 1000)
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

Figures = dict[str, dict[str, float]]
Invoke = Callable[[str], Any]


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
    """Return the public graph."""
    from memory_graph import build_graph  # noqa: PLC0415 — of the version measured

    return build_graph(store=store, checkpointer=saver)  # type: ignore[arg-type]


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


async def turn(graph: Any, text: str, thread: str) -> float:  # noqa: ANN401
    """Say something and return the milliseconds of processor time of all threads."""
    from langchain_core.messages import HumanMessage  # noqa: PLC0415

    config = {"configurable": {"user_id": f"user-{thread}", "thread_id": thread}}
    started = time.process_time()
    await graph.ainvoke({"messages": [HumanMessage(text)]}, config)
    return (time.process_time() - started) * 1000


async def talk(graph: object, turns: int) -> dict[str, float]:
    """Return the milliseconds of a turn at each mark."""
    took = [await turn(graph, says(number), "long") for number in range(turns)]
    marks = [mark for mark in MARKS if mark <= turns]
    starts = {mark: min(mark, turns - WINDOW) for mark in marks}
    return {str(mark): sum(took[at : at + WINDOW]) / WINDOW for mark, at in starts.items()}


async def paste(graph: object) -> dict[str, float]:
    """Return the milliseconds of an `ok` before and after a paste."""
    line = "2026-03-01 12:00:01 INFO worker 7 took job 4711 from the queue and wrote 12 rows.\n"
    for number in range(4):
        await turn(graph, says(number), "paste")
    before = [await turn(graph, "ok", "paste") for _ in range(8)]
    await turn(graph, (line * (PASTE // len(line) + 1))[:PASTE], "paste")
    after = [await turn(graph, "ok", "paste") for _ in range(8)]
    return {"ok before": median(before), "ok after": median(after)}


async def play(store: str, turns: int) -> dict[str, Figures]:
    """Return the figures of both graphs on one store."""
    found: dict[str, Figures] = {}
    for name, build in (("memory", with_memory), ("plain", without_memory)):
        with tempfile.TemporaryDirectory() as folder:
            async with opened(store, Path(folder)) as (memory, saver):
                graph = build(memory, saver)
                for number in range(16):
                    await turn(graph, says(number), "warm")
                found[name] = {"paste": await paste(graph), "thread": await talk(graph, turns)}
    return found


def measure(directory: Path, store: str, turns: int) -> dict[str, Figures]:
    """Play in a process of its own, with the package that `directory` holds."""
    command = [
        *("env", "-u", "MEMORY_GRAPH_MODEL", "-u", "OPENAI_API_KEY", "-u", "OPENAI_BASE_URL"),
        *(f"PYTHONPATH={directory}", "OPENBLAS_NUM_THREADS=1"),
        *(sys.executable, __file__, "--play", store, "--turns", str(turns)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Figures] = json.loads(done.stdout.splitlines()[-1])
    return figures


def rows(figures: Mapping[str, Figures], kind: str) -> Sequence[str]:
    """Return a line per mark: all of it, the plain agent, memory's own, and its growth."""
    whole, plain = figures["memory"][kind], figures["plain"][kind]
    own = {mark: whole[mark] - plain[mark] for mark in whole}
    first = next(iter(own.values()))
    return [
        f"{mark:>12}{whole[mark]:10.1f}{plain[mark]:10.1f}{added:10.1f}{added / first:9.2f}x"
        for mark, added in own.items()
    ]


def main() -> None:
    """Measure every version on every store and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--turns", type=int, default=MARKS[-1])
    parser.add_argument("--stores", nargs="*", default=STORES)
    parser.add_argument("--play", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        print(json.dumps(asyncio.run(play(options.play, options.turns))))
        return
    versions = {"now": Path(__file__).parents[1]}
    if options.baseline:
        versions["baseline"] = options.baseline.resolve()
    for store in options.stores:
        for name, directory in versions.items():
            figures = measure(directory, store, options.turns)
            print(f"{name}, {store}: ms of CPU a turn\n{'turn':>12}{'all':>10}{'plain':>10}"
                  f"{'own':>10}{'growth':>10}")  # fmt: skip
            print("\n".join([*rows(figures, "thread"), *rows(figures, "paste")]), flush=True)


if __name__ == "__main__":
    main()
