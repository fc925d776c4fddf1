"""Where the inspector stands in the tests, and the agent that writes the memory it shows."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypeVar
from uuid import uuid4

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph_sdk import get_client
from playwright.sync_api import Browser, BrowserContext, Page
from pydantic import SecretStr

from memory_graph.context import Context
from memory_graph.embedding import configured_embedder
from memory_graph.graph import build_graph
from memory_graph.memory import Memory
from memory_graph.patterns.writing import record_pattern, save_patterns
from memory_graph.records import Change, Pattern, PatternDraft
from memory_graph.server.sdk_store import SdkStore
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

T = TypeVar("T")
SCREEN = {"width": 1280, "height": 900}


@dataclass(frozen=True)
class Reply:
    """What the agent said, and what memory had told it."""

    text: str
    block: str | None
    """None where a server streams no recalled text."""


@dataclass(frozen=True)
class Opened:
    """A browser in which one person looks at their memory."""

    context: BrowserContext
    page: Page
    address: str
    """Of the inspector, without a page."""

    def go(self, path: str) -> Page:
        """Open a page; it must be there."""
        answer = self.page.goto(f"{self.address}{path}")
        assert answer is not None
        assert answer.status == 200, self.page.inner_text("body")
        return self.page


class Site(Protocol):
    """An inspector, and the agent on the same memory."""

    ana: str
    ben: str

    def say(self, user: str, text: str) -> Reply:
        """Run one turn of the agent."""
        ...

    def use(self, user: str, work: Callable[[BaseStore], Coroutine[object, object, T]]) -> T:
        """Do something with the store that holds the user's memory."""
        ...

    def open(self, browser: Browser, user: str, **options: object) -> Opened:
        """Open the inspector as a user."""
        ...


def in_a_thread(work: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run a coroutine beside the browser, which holds this thread's event loop."""
    done: list[T] = []
    thread = threading.Thread(target=lambda: done.append(asyncio.run(work())))
    thread.start()
    thread.join()
    return done[0]


@dataclass
class LocalSite:
    """`memory-graph inspect` on a store of its own."""

    address: str
    folder: Path
    ana: str = "ana"
    ben: str = "ben"
    running: dict[str, tuple[subprocess.Popen[str], str]] = field(default_factory=dict)
    states: dict[str, object] = field(default_factory=dict)

    def say(self, user: str, text: str) -> Reply:
        async def turn(store: BaseStore) -> Reply:
            graph = build_graph(store=store, checkpointer=InMemorySaver())
            thread: RunnableConfig = {"configurable": {"thread_id": uuid4().hex}}
            said = {"messages": [HumanMessage(text)]}
            told = await graph.ainvoke(
                said,
                thread,
                context=Context(user_id=user, model=None),
                output_keys=["messages", "memory_context"],
            )
            return Reply(told["messages"][-1].text, told["memory_context"])

        return self.use(user, turn)

    def use(self, user: str, work: Callable[[BaseStore], Coroutine[object, object, T]]) -> T:
        async def opened() -> T:
            settings = Settings(store=SecretStr(self.address))
            async with open_configured_store(settings, configured_embedder(settings)) as backend:
                return await work(backend.store)

        return in_a_thread(opened)

    def start(self, user: str, *options: str) -> str:
        """Start the command; return the one-time address it prints."""
        command = "import sys; from memory_graph.cli import main; sys.exit(main(sys.argv[1:]))"
        told = ["--json", "inspect", "--no-browser", "--user", user, "--store", self.address]
        process = subprocess.Popen(
            [sys.executable, "-c", command, *told, *options],
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.folder), "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert process.stdout is not None
        printed = ""
        while "}" not in printed:
            line = process.stdout.readline()
            assert line, "memory-graph inspect ended"
            printed += line
        address = str(json.loads(printed)["address"])
        self.running[user] = (process, address.partition("/enter")[0])
        return address

    def open(self, browser: Browser, user: str, **options: object) -> Opened:
        first = None if user in self.running else self.start(user)
        state = self.states.get(user)
        context = browser.new_context(viewport=SCREEN, storage_state=state, **options)  # type: ignore[arg-type]
        page = context.new_page()
        address = self.running[user][1]
        if first:
            page.goto(first)
            self.states[user] = context.storage_state()
        return Opened(context, page, address)

    def close(self) -> None:
        """End what was started."""
        for process, _ in self.running.values():
            process.terminate()
            process.wait(timeout=20)
            assert process.stdout is not None
            process.stdout.close()


@dataclass
class ServedSite:
    """The pages of a real LangGraph Server on which everybody signs in."""

    url: str
    ana: str = "ana@example.com"
    ben: str = "ben@example.com"

    def _headers(self, user: str) -> dict[str, str]:
        return {"Authorization": f"Bearer token-of-{user.partition('@')[0]}"}

    def say(self, user: str, text: str) -> Reply:
        async def turn() -> Reply:
            async with get_client(url=self.url, headers=self._headers(user)) as client:
                thread = (await client.threads.create())["thread_id"]
                said = {"messages": [{"role": "user", "content": text}]}
                await client.runs.wait(thread, "memory_graph", input=said)
                told = (await client.threads.get_state(thread))["values"]
            return Reply(told["messages"][-1]["content"], None)

        return in_a_thread(turn)

    def use(self, user: str, work: Callable[[BaseStore], Coroutine[object, object, T]]) -> T:
        async def opened() -> T:
            async with get_client(url=self.url, headers=self._headers(user)) as client:
                return await work(SdkStore(client))

        return in_a_thread(opened)

    def open(self, browser: Browser, user: str, **options: object) -> Opened:
        context = browser.new_context(
            viewport=SCREEN,
            extra_http_headers=self._headers(user),
            **options,  # type: ignore[arg-type]
        )
        return Opened(context, context.new_page(), f"{self.url}/memory/ui")


def fill(site: Site) -> None:
    """Let Ana and Ben talk to the agent, and give Ana some patterns."""
    for text in (
        "I live in Porto.",
        "My cat Luna is 3.",
        "Luna turned 4 yesterday!",
        "I'm allergic to penicillin.",
        "My wifi password is hunter2-Xy77!",
        "We decided to move the photo archive to Postgres, because SQLite kept locking.",
        "How old is Luna?",
    ):
        site.say(site.ana, text)
    site.say(site.ben, "I live in Reykjavik.")

    async def add_patterns(store: BaseStore) -> None:
        memory, now = memory_of(Owner(site.ana), store), datetime.now(UTC)
        draft = PatternDraft(
            name="rehearse-it", trigger="a database is moved", action="rehearse it on a copy"
        )
        for number in range(4):
            change = Change(id=f"seen-{number}", by="test", at=now)
            await record_pattern(memory, draft, change, success=number < 3)
        proposed = Pattern(
            name="look-for-an-index",
            trigger="a search is slow",
            action="look for a missing index",
            successes=2,
            occurrences=2,
            status="proposed",
            created_at=now,
            updated_at=now,
        )
        change = Change(id="proposed", by="learn", at=now)
        await save_patterns(memory, {}, [proposed], change, "repeated")

    site.use(site.ana, add_patterns)


def facts_of(site: Site, user: str) -> dict[str, str]:
    """Return what is known about a user now, by id."""

    async def read(store: BaseStore) -> dict[str, str]:
        return {fact.id: fact.statement for fact in await Memory(store, user_id=user).afacts()}

    return site.use(user, read)
