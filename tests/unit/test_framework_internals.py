"""Each function of `framework.py` against the installed LangGraph and LangChain.

A failure here means that a release changed an internal we rely on: mend that one function.
"""

import ast
import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import aiosqlite
import pytest
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.store.base.batch import AsyncBatchedBaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from langgraph.types import RetryPolicy
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from memory_graph import framework
from memory_graph.embedding.encoders import count_tokens

PACKAGE = Path(framework.__file__).parent


def say(text: str):
    def node(state: MessagesState) -> dict:
        return {"messages": [("ai", text)]}

    return node


@pytest.fixture
def builder() -> StateGraph:
    builder = StateGraph(MessagesState)
    builder.add_node("agent", say("hello"), retry_policy=RetryPolicy(max_attempts=7))
    builder.add_node("first", say("before"))
    return builder


def replies(builder: StateGraph) -> list[str]:
    answer = builder.compile().invoke({"messages": [("user", "hi")]})
    return [message.content for message in answer["messages"][1:]]


def test_a_builder_lists_its_nodes(builder: StateGraph) -> None:
    assert framework.node_names(builder) == ["agent", "first"]


def test_a_builder_tells_the_keys_of_its_state_and_their_reducers(builder: StateGraph) -> None:
    assert framework.state_keys(builder) == {"messages"}
    reducer = framework.reducer_of(builder, "messages")
    assert add_messages in {reducer, getattr(reducer, "func", None)}
    assert framework.reducer_of(builder, "unknown") is None


def test_a_node_is_read_back_and_replaced_with_its_settings_kept(builder: StateGraph) -> None:
    runnable, schema = framework.node_parts(builder, "agent")
    assert runnable.invoke({"messages": []}) == {"messages": [("ai", "hello")]}
    assert schema is MessagesState

    class Wider(MessagesState):
        extra: str

    framework.replace_node(builder, "agent", RunnableLambda(say("instead")), Wider)

    builder.add_edge(START, "agent")
    assert replies(builder) == ["instead"]
    assert "extra" in builder.channels
    assert builder.nodes["agent"].retry_policy.max_attempts == 7


def test_edges_from_the_start_are_moved(builder: StateGraph) -> None:
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)

    framework.move_start(builder, "first", otherwise="agent")

    builder.add_edge(START, "first")
    assert replies(builder) == ["before", "hello"]


def test_conditions_at_the_start_are_moved(builder: StateGraph) -> None:
    builder.add_conditional_edges(START, lambda state: "agent", ["agent"])

    framework.move_start(builder, "first", otherwise="agent")

    builder.add_edge(START, "first")
    assert replies(builder) == ["before", "hello"]


def test_a_graph_without_a_start_gets_one(builder: StateGraph) -> None:
    framework.move_start(builder, "first", otherwise="agent")

    builder.add_edge(START, "first")
    assert replies(builder) == ["before", "hello"]


async def test_a_task_can_leave_the_run_that_started_it() -> None:
    seen = []

    async def later() -> None:
        seen.append(var_child_runnable_config.get())
        framework.leave_run()
        seen.append(var_child_runnable_config.get())

    async def node(state: MessagesState) -> dict:
        await asyncio.create_task(later())
        return {}

    graph = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()
    await graph.ainvoke({"messages": []})

    inherited, left = seen
    assert inherited, "a run no longer hands its configuration to tasks by this variable"
    assert left is None


class Batched(AsyncBatchedBaseStore):
    """As LangGraph Server wraps the store it injects."""

    def batch(self, ops):
        raise NotImplementedError

    async def abatch(self, ops):
        return []


async def test_an_asynchronous_store_tells_its_event_loop() -> None:
    loop = asyncio.get_running_loop()
    async with AsyncSqliteStore.from_conn_string(":memory:") as sqlite:
        assert framework.event_loop_of(sqlite) is loop
    assert framework.event_loop_of(Batched()) is loop
    assert framework.event_loop_of(InMemoryStore()) is None


async def test_stores_tell_their_driver_and_their_vector_index() -> None:
    with SqliteStore.from_conn_string(":memory:") as store:
        assert framework.driver_of(store) == "sqlite3"
        assert not framework.has_vector_index(store)
    async with aiosqlite.connect(":memory:") as connection:
        store = AsyncSqliteStore(connection)
        assert framework.driver_of(store) == "aiosqlite"
        assert framework.connection_of(store) is connection
    assert framework.driver_of(InMemoryStore()) == ""
    pool = AsyncConnectionPool("host=nowhere", open=False)
    index = {"dims": 2, "embed": lambda texts: [[0.0, 1.0] for _ in texts]}
    assert framework.has_vector_index(AsyncPostgresStore(pool, index=index))
    assert not framework.has_vector_index(AsyncPostgresStore(pool))


async def _address() -> str:
    return "host=nowhere"


@pytest.mark.parametrize("address", ["host=nowhere", lambda: "host=nowhere", _address])
async def test_an_asynchronous_pool_tells_how_it_connects(address) -> None:
    pool = AsyncConnectionPool(address, kwargs={"password": "x"}, open=False)
    store = AsyncPostgresStore(pool)

    assert framework.driver_of(store) == "psycopg_pool"
    assert await framework.pool_arguments(store) == ("host=nowhere", {"password": "x"})


async def test_a_synchronous_pool_tells_how_it_connects() -> None:
    pool = ConnectionPool("host=nowhere", kwargs=lambda: {"password": "x"}, open=False)
    store = PostgresStore(pool)

    assert framework.driver_of(store) == "psycopg_pool"
    assert await framework.pool_arguments(store) == ("host=nowhere", {"password": "x"})


async def test_a_query_runs_on_a_stores_own_connections(empty_postgres_url: str) -> None:
    async with AsyncPostgresStore.from_conn_string(empty_postgres_url) as store:
        assert await framework.fetch_rows(store, "SELECT %s::int AS n", (3,)) == [{"n": 3}]


async def test_a_plain_postgres_store_is_told_from_others() -> None:
    class Elsewhere(AsyncPostgresStore):
        pass

    pool = AsyncConnectionPool("host=nowhere", open=False)
    bits = {"dims": 2, "embed": _embed, "ann_index_config": {"vector_type": "bit"}}
    assert framework.is_plain_postgres(AsyncPostgresStore(pool))
    assert not framework.is_plain_postgres(AsyncPostgresStore(pool, deserializer=json.loads))
    assert not framework.is_plain_postgres(AsyncPostgresStore(pool, index=bits))
    assert not framework.is_plain_postgres(Elsewhere(pool))
    assert not framework.is_plain_postgres(InMemoryStore())


async def test_a_store_embeds_with_what_its_index_was_given() -> None:
    pool = AsyncConnectionPool("host=nowhere", open=False)
    store = AsyncPostgresStore(pool, index={"dims": 2, "embed": _embed})
    assert await framework.embed_for(store, ["a", "b"]) == [[0.0, 1.0], [0.0, 1.0]]
    assert await framework.embed_for(AsyncPostgresStore(pool), ["a"]) == []


def _embed(texts: list[str]) -> list[list[float]]:
    return [[0.0, 1.0] for _ in texts]


async def test_a_run_says_when_its_messages_were_brought_in() -> None:
    found: list[datetime | None] = []

    async def node(state: MessagesState, config: RunnableConfig) -> dict:
        found.append(await framework.asked_at(config))
        return {}

    builder = StateGraph(MessagesState).add_node("one", node).add_node("two", node)
    builder.add_edge(START, "one").add_edge("one", "two")
    graph = builder.compile(checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    before = datetime.now(UTC)
    await graph.ainvoke({"messages": [("user", "hi")]}, config)
    after = datetime.now(UTC)
    begun = [each async for each in graph.aget_state_history(config)][-2]
    await graph.ainvoke(None, begun.config)
    assert before <= found[0] == found[1] == found[2] == found[3] <= after

    queued = {"thread_id": "u", "__request_start_time_ms__": 1_000}
    await graph.ainvoke({"messages": [("user", "hi")]}, {"configurable": queued})
    assert found[-1] == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert await framework.asked_at({"configurable": {}}) is None


async def test_a_resumed_run_says_so_and_who_brought_its_messages_in() -> None:
    seen: list[tuple[bool, dict]] = []

    async def node(state: MessagesState, config: RunnableConfig) -> dict:
        is_resumed = framework.is_resumed(config)
        seen.append((is_resumed, dict(await framework.beginning_of(config))))
        return {}

    graph = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node")
    compiled = graph.compile(checkpointer=InMemorySaver(), interrupt_before=["node"])

    def of(user_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": "t", "user_id": user_id}}

    await compiled.ainvoke({"messages": [("user", "Hi!")]}, of("ana"))
    await compiled.ainvoke(None, of("ben"))
    [(is_resumed, began)] = seen
    assert is_resumed
    assert began["user_id"] == "ana"

    seen.clear()
    plain = graph.compile(checkpointer=InMemorySaver())
    await plain.ainvoke({"messages": [("user", "Hi!")]}, of("ana"))
    assert [is_resumed for is_resumed, _ in seen] == [False]


def test_a_key_of_somebodys_state_is_kept_out_of_checkpoints() -> None:
    class Theirs(MessagesState):
        memory_context: str

    theirs = StateGraph(Theirs).add_node("node", say("Hi!")).add_edge(START, "node")
    framework.untrack(theirs, ["memory_context", "other"])
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    compiled = theirs.compile(checkpointer=InMemorySaver())
    compiled.invoke({"messages": [], "memory_context": "Luna"}, config)

    assert "memory_context" not in compiled.get_state(config).values


def test_the_encoders_tokenizer_counts() -> None:
    """The one internal of another library: `embedding/encoders.py` says why."""
    assert 0 < count_tokens("hello") < count_tokens("hello there, world")


INTERNALS = {"branches", "channels", "conn", "conninfo", "index_config", "_loop", "_cursor"}


def test_internals_are_used_in_one_file_only() -> None:
    """Ruff's SLF rule finds private names; these look public, or are read by `getattr`."""
    paths = [path for path in PACKAGE.rglob("*.py") if path.name != "framework.py"]
    used = {str(path.relative_to(PACKAGE)): _names_in(path) & INTERNALS for path in paths}
    assert {path: names for path, names in used.items() if names} == {}


def _names_in(path: Path) -> set[str]:
    """Return the attributes of others that a module reads, and every string in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    attributes = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and not (isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"})
    }
    strings = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return attributes | strings
