"""Every fault on the three stores and, where it concerns them, on every way to wire memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, Op, PutOp, Result

from memory_graph import episodic_capture, memory_context, memory_hotpath
from memory_graph.compose import add_memory
from memory_graph.context import Context
from memory_graph.embedding import Embedder
from memory_graph.graph import build_graph
from memory_graph.middleware import MemoryMiddleware
from memory_graph.settings import Settings
from memory_graph.store.backends.protocol import OpenedStore as Backend
from memory_graph.store.configured import open_configured_store as open_backend
from memory_graph.store.labels import user_label
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.testing.scripted import ScriptedChat

STORES = ["memory", "sqlite", "postgres"]


class StoreWithOutages(BaseStore):
    """Somebody's store, whose database is down for as long as it is told."""

    def __init__(self, store: BaseStore) -> None:
        self.inner = store
        self.is_down = False
        self.fault: Literal["", "read", "write", "hang"] = ""
        self.before: Callable[[list[Op]], None] = lambda ops: None

    def batch(self, ops) -> list[Result]:
        raise NotImplementedError

    async def abatch(self, ops: list[Op]) -> list[Result]:
        writes = any(isinstance(op, PutOp) for op in ops)
        if self.is_down or self.fault == ("write" if writes else "read"):
            raise ConnectionError("store is down")
        if self.fault == "hang":
            await asyncio.sleep(3600)
        self.before(ops)
        return await self.inner.abatch(ops)


@pytest.fixture(params=STORES)
async def backend(
    request: pytest.FixtureRequest, tmp_path: Path, embedder: Embedder
) -> AsyncIterator[Backend]:
    address = "memory"
    if request.param == "sqlite":
        address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    if request.param == "postgres":
        address = request.getfixturevalue("postgres_url")
    async with open_backend(Settings(store=address), embedder) as opened:
        yield opened


@pytest.fixture
def store(backend: Backend) -> StoreWithOutages:
    return StoreWithOutages(backend.store)


@pytest.fixture
def memory_for(backend: Backend) -> Callable[[str], UserMemory]:
    return lambda user_id: memory_of(Owner(user_id), backend.store)


async def rows_of(store: BaseStore, user_id: str) -> str:
    """Everything the store keeps for a user, as text."""
    found = await store.asearch(("memories", user_label(user_id)), limit=10_000)
    return json.dumps([item.value for item in found], ensure_ascii=False, default=str)


def foreign_nodes(store: BaseStore, model: BaseChatModel | None) -> object:
    """Somebody's own graph, with our three nodes where they want them."""

    def agent(state: MessagesState) -> dict[str, list[AnyMessage]]:
        return {"messages": [AIMessage("I see.")]}

    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("memory_hotpath", memory_hotpath.using(model=model))
    builder.add_node("memory_context", memory_context)
    builder.add_node("agent", agent)
    builder.add_node("episodic_capture", episodic_capture.using(model=model))
    steps = [START, "memory_hotpath", "memory_context", "agent", "episodic_capture", END]
    for one, next_one in pairwise(steps):
        builder.add_edge(one, next_one)
    return builder.compile(store=store, checkpointer=InMemorySaver())


def composed(store: BaseStore, model: BaseChatModel | None) -> object:
    theirs = StateGraph(MessagesState, context_schema=Context)
    theirs.add_node("agent", lambda state: {"messages": [AIMessage("I see.")]})
    theirs.add_edge(START, "agent")
    memory = add_memory(theirs, model=model)
    return memory.compile(store=store, checkpointer=InMemorySaver())


def our_graph(store: BaseStore, model: BaseChatModel | None) -> object:
    return build_graph(store=store, checkpointer=InMemorySaver(), model=model)


def middleware(store: BaseStore, model: BaseChatModel | None) -> object:
    return create_agent(
        ScriptedChat(replies=["I see."] * 20),
        [],
        middleware=[MemoryMiddleware(model=model)],
        context_schema=Context,
        store=store,
        checkpointer=InMemorySaver(),
    )


SURFACES = {
    "nodes": foreign_nodes,
    "add_memory": composed,
    "build_graph": our_graph,
    "middleware": middleware,
}


class Conversation:
    """One thread that several people may speak in."""

    def __init__(self, graph: object, thread_id: str = "shared") -> None:
        self.graph = graph
        self.config = {"configurable": {"thread_id": thread_id}}

    async def say(self, user_id: str | None, *said: str | HumanMessage) -> dict[str, object]:
        messages = [HumanMessage(each) if isinstance(each, str) else each for each in said]
        context = Context(
            user_id=user_id, policies={"capture": {"cooldown_turns": 0, "cooldown_minutes": 0}}
        )
        return await self.graph.ainvoke({"messages": messages}, self.config, context=context)


PAIRS = [
    ("nodes", "memory"),
    ("nodes", "sqlite"),
    ("nodes", "postgres"),
    ("add_memory", "postgres"),
    ("build_graph", "sqlite"),
    ("middleware", "memory"),
]
"""Every surface and every store, each with one of the other: for faults that take long."""


in_pairs = pytest.mark.parametrize(
    ("surface", "backend"), PAIRS, indirect=True, ids=["-".join(pair) for pair in PAIRS]
)


@pytest.fixture(params=SURFACES)
def surface(request: pytest.FixtureRequest) -> Callable[..., object]:
    return SURFACES[request.param]


@pytest.fixture
def conversation(surface, store: StoreWithOutages) -> Conversation:
    return Conversation(surface(store, None))
