"""Processes of their own that talk to the graph, and may be killed at a chosen moment.

They are forked from one process that has loaded everything: loading takes longer than what they do.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import forkserver, get_context
from pathlib import Path
from threading import Barrier

from langchain_core.messages import HumanMessage
from langgraph.store.sqlite.aio import AsyncSqliteStore

from memory_graph import background
from memory_graph.context import Context
from memory_graph.embedding import load_embedder
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store

EMBEDDER = "wordllama"
"""Its weights load fastest, which matters when many processes start."""

SUBJECTS = (
    "the boiler repair by the plumber",
    "our hiking week in Japan",
    "Priya's offer as data engineer",
    "a new bass guitar for the band",
    "the mortgage of the lake house",
)
CATS = ("Luna", "Milo", "Nala", "Simba", "Cleo")
DOG = "Rex"
SUFFIXES = ("bert", "dora", "fina", "gunn", "hild", "jack")
"""One for each process of a crowd, so that no two speak of the same cat."""


def die(*_: object) -> None:
    """End as a power cut would: no `finally`, no flush."""
    os.kill(os.getpid(), signal.SIGKILL)


def arm(moment: str) -> None:
    """Make the process die at a moment of its turn."""
    if moment == "before the facts":
        sys.modules["memory_graph.nodes._reading"]._commit = die
    capturing = sys.modules["memory_graph.nodes._capturing"]
    if moment == "after the reply":
        capturing.Job.look = die
    if moment == "before the write":
        capturing.Job._commit = die
    if moment == "during the write":
        write = AsyncSqliteStore._batch_put_ops

        async def torn(self, *args):
            await write(self, *args)
            if any(op.namespace[-1] == "episodes" for _, op in args[0]):
                die()

        AsyncSqliteStore._batch_put_ops = torn


async def say(graph: MemoryGraph, user: str, thread: str, text: str | None) -> None:
    given = {"messages": [HumanMessage(text)]} if text else None
    config = {"configurable": {"thread_id": thread}}
    result = await graph.ainvoke(given, config, context=Context(user_id=user))
    assert result["messages"][-1].text, "every turn has its reply"


def own_user(number: int) -> str:
    """Return the user that only one process of a crowd speaks for."""
    return f"user-{number}"


def cats_of(number: int) -> list[str]:
    """Return the cats of which one process of a crowd speaks."""
    return [f"{name}{SUFFIXES[number]}" for name in CATS]


async def crowd(graph: MemoryGraph, user: str, number: int) -> None:
    """Hold several conversations at once: each states a fact, then asks to be remembered."""
    conversations = [
        (user, f"{number}-{place}", f"My cat {cat} is 3.", subject)
        for place, (cat, subject) in enumerate(zip(cats_of(number), SUBJECTS, strict=True))
    ]
    conversations.append((own_user(number), f"{number}-own", f"My dog {DOG} is 5.", SUBJECTS[0]))

    async def hold(who: str, thread: str, fact: str, subject: str) -> None:
        await say(graph, who, thread, fact)
        decided = f"Please remember this conversation: we decided on {subject}."
        await say(graph, who, thread, decided)

    await asyncio.gather(*(hold(*each) for each in conversations))


TOWNS = ("Abo", "Bari", "Cork", "Dover", "Essen", "Faro", "Gent", "Hull", "Ivry", "Jena", "Kiel")


def towns_of(number: int) -> list[str]:
    """Return where the user says to live, one after the other, in one process of several."""
    return [f"{town}{SUFFIXES[number]}".capitalize() for town in TOWNS[:6]]


async def move(graph: MemoryGraph, user: str, number: int) -> None:
    """State one and the same fact again and again, each time with another value."""
    for town in towns_of(number):
        await say(graph, user, f"{number}", f"I live in {town}.")


async def main(what: str, store: str, user: str, thread: str, *rest: str) -> None:
    os.environ["MEMORY_GRAPH_EMBEDDER"] = EMBEDDER
    if len(rest) > 1:
        arm(rest[1])
    async with open_configured_store(Settings(store=store), load_embedder(EMBEDDER)) as backend:
        graph = build_graph(store=backend.store, checkpointer=backend.checkpointer)
        if what == "crowd":
            await crowd(graph, user, int(thread))
        elif what == "move":
            await move(graph, user, int(thread))
        else:
            await say(graph, user, thread, rest[0] if what == "say" else None)
        await background.drain()


def begin(together: Barrier, arguments: Sequence[str]) -> None:
    """Be one of several processes that begin at the same moment."""
    together.wait(60)
    asyncio.run(main(*arguments))


class Workers:
    """Starts processes that have everything loaded."""

    def __init__(self) -> None:
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(["tests.loaded"])

    async def __call__(self, *each: Sequence[str]) -> list[int]:
        """Run one process for each of some arguments of `main`, and return how each ended."""
        together = self._context.Barrier(len(each))
        processes = [
            self._context.Process(target=begin, args=(together, arguments)) for arguments in each
        ]
        for process in processes:
            process.start()
        for process in processes:
            await asyncio.to_thread(process.join)
        return [process.exitcode for process in processes]


@contextmanager
def started_workers() -> Iterator[Workers]:
    """Start the process that loads everything, and end it."""
    path = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), path])
    workers = Workers()
    try:
        forkserver.ensure_running()
    finally:
        os.environ["PYTHONPATH"] = path
    yield workers
    forkserver._forkserver._stop()
