"""Every use of LangGraph and LangChain internals that their documentation does not promise.

Each has a function of its own, with the reason. `tests/unit/test_framework_internals.py` fails,
function by function, when a release changes one of them.
"""

import asyncio
import atexit
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from langchain_core.runnables.config import var_child_runnable_config
from langgraph.constants import START
from langgraph.store.base import BaseStore

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable, RunnableConfig
    from langgraph.checkpoint.base import CheckpointTuple
    from langgraph.graph import StateGraph
    from langgraph.store.postgres.aio import AsyncPostgresStore
    from langgraph.store.sqlite.aio import AsyncSqliteStore

    Builder = StateGraph[Any, Any, Any, Any]


def node_names(builder: "Builder") -> list[str]:
    """Return the names of a graph's nodes: a builder lists them in `nodes` only."""
    return list(builder.nodes)


def state_keys(builder: "Builder") -> set[str]:
    """Return the keys of a graph's state: a builder has them in `channels` only."""
    return set(builder.channels)


def reducer_of(builder: "Builder", key: str) -> object:
    """Return the function that joins updates of a key, if it has one.

    A channel with a reducer keeps it in `operator`; nothing public returns it.
    """
    return getattr(builder.channels.get(key), "operator", None)


def untrack(builder: "Builder", keys: Sequence[str]) -> None:
    """Keep keys of a graph's state out of its checkpoints, whoever declared them.

    A key has one channel, and a builder refuses another kind of it.
    """
    from langgraph.channels import LastValue, UntrackedValue  # noqa: PLC0415 — brings tracing

    for key in keys:
        if isinstance(builder.channels.get(key), LastValue):
            builder.channels[key] = UntrackedValue(builder.channels[key].ValueType)


def node_parts(builder: "Builder", name: str) -> "tuple[Runnable[Any, Any], type]":
    """Return what a node runs, and its input schema.

    Somebody else's agent can be wrapped only if both can be read back from the builder.
    """
    spec = builder.nodes[name]
    return cast("Runnable[Any, Any]", spec.runnable), spec.input_schema


def replace_node(
    builder: "Builder", name: str, runnable: "Runnable[Any, Any]", input_schema: type
) -> None:
    """Replace what a node runs, and keep its other settings.

    `add_node` refuses a name it knows, and it is the only way to add the schema's keys to the
    graph: so the node is deleted, added, and given its old settings (retries, cache, defer).
    """
    spec = builder.nodes[name]
    del builder.nodes[name]
    builder.add_node(name, runnable, input_schema=input_schema)
    builder.nodes[name] = replace(spec, runnable=runnable, input_schema=input_schema)


def move_start(builder: "Builder", to: str, *, otherwise: str) -> None:
    """Make everything that starts with the graph start after the node `to`.

    A builder can add edges and conditions but not take them away: so `edges` and `branches`
    are changed in place. A graph without a start begins at `otherwise`.
    """
    first = {end for start, end in builder.edges if start == START}
    builder.edges -= {(START, end) for end in first}
    conditions = builder.branches.pop(START, {})
    for name, branch in conditions.items():
        reads = branch.input_schema or builder.state_schema
        builder.branches[to][name] = branch._replace(input_schema=reads)
    if not first and not conditions:
        first = {otherwise}
    builder.edges |= {(to, end) for end in first}


def at_exit(call: Callable[[], None]) -> None:
    """Call something when the process ends, before thread pools take no more work.

    What `atexit` calls comes after them, and nothing public comes before; the last registered is
    called first.
    """
    getattr(threading, "_register_atexit", atexit.register)(call)


def leave_run() -> None:
    """Detach this context from the run that started it.

    A task inherits the run's configuration through this variable, and would stream and trace
    into a run that is over. LangChain offers no public way to clear it.
    """
    var_child_runnable_config.set(None)


def event_loop_of(store: BaseStore) -> asyncio.AbstractEventLoop | None:
    """Return the event loop an asynchronous store was opened on; others belong to none.

    Such a store never answers a call from another loop, and nothing public names its loop.
    """
    loop = getattr(store, "_loop", None)
    return loop if isinstance(loop, asyncio.AbstractEventLoop) else None


def driver_of(store: BaseStore) -> str:
    """Return the package whose connections a store uses, without importing it, or nothing.

    Stores of LangGraph keep their connection in `conn`, which tells a pool from a single
    connection, and a synchronous from an asynchronous one.
    """
    connection = getattr(store, "conn", None)
    return "" if connection is None else type(connection).__module__.partition(".")[0]


def connection_of(store: BaseStore) -> Any:  # noqa: ANN401 — whatever the driver connects with
    """Return a store's own connection, or pool: only it knows which database that is."""
    return store.conn  # type: ignore[attr-defined]


def has_vector_index(store: BaseStore) -> bool:
    """Say whether a SQL store was opened with a vector index of its own."""
    return bool(index_of(store))


def index_of(store: BaseStore) -> Mapping[str, Any]:
    """Return how a store's own vector index was set up; empty if it has none."""
    index = getattr(store, "index_config", None)
    return index if isinstance(index, Mapping) else {}


async def pool_arguments(store: BaseStore) -> tuple[str, Mapping[str, Any]]:
    """Return the address and the options with which a store's Postgres pool connects.

    A lock needs a connection outside the pool. A pool hides its password everywhere else, and
    may be given functions that fetch it anew for every connection.
    """
    pool = connection_of(store)
    address, options = pool.conninfo, pool.kwargs
    address = address() if callable(address) else address
    options = options() if callable(options) else options
    address = await address if isawaitable(address) else address
    options = await options if isawaitable(options) else options
    return address or "", options or {}


def is_plain_postgres(store: BaseStore) -> bool:
    """Say whether a store keeps its items as LangGraph's own asynchronous Postgres store does.

    Then its tables can be asked with SQL of ours. A subclass may keep them elsewhere, a pipeline
    or a deserialiser of its own wants its own way, and vectors of bits are written differently.
    """
    module = sys.modules.get("langgraph.store.postgres.aio")
    if module is None or type(store) is not module.AsyncPostgresStore:
        return False
    plain = cast("AsyncPostgresStore", store)
    kind = (index_of(store).get("ann_index_config") or {}).get("vector_type", "vector")
    return plain.pipe is None and plain._deserializer is None and kind != "bit"


async def truncate_log(store: BaseStore) -> bool:
    """Empty the write-ahead log of LangGraph's SQLite store; false if somebody reads from it.

    Its lock keeps the statement out of the transactions of others on the same connection.
    """
    sqlite = cast("AsyncSqliteStore", store)
    async with sqlite.lock, sqlite.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)") as asked:
        row = await asked.fetchone()
    return row is None or not row[0]


async def embed_for(store: BaseStore, texts: Sequence[str]) -> list[list[float]]:
    """Return the vectors of texts by the embedder that a store's own index was given."""
    embeddings = cast("AsyncPostgresStore", store).embeddings
    return [] if embeddings is None else await embeddings.aembed_documents(list(texts))


async def fetch_rows(
    store: BaseStore, sql: str, values: Sequence[object] | Mapping[str, object]
) -> list[dict[str, Any]]:
    """Run a query on a store's own connections.

    `_cursor` handles pools, single connections and pipelines as the store itself does, and
    shares its limit of connections.
    """
    async with cast("AsyncPostgresStore", store)._cursor() as cursor:
        await cursor.execute(sql.encode(), values)
        return list(await cursor.fetchall())


def is_resumed(config: "RunnableConfig") -> bool:
    """Say whether a run goes on with what its thread holds, and brought nothing in itself.

    LangGraph tells its own subgraphs so, and nothing else says it.
    """
    return bool((config.get("configurable") or {}).get("__pregel_resuming"))


async def _tuple_of(saver: Any, step: "RunnableConfig") -> "CheckpointTuple | None":  # noqa: ANN401
    """Return a checkpoint; a saver of synchronous code refuses asynchronous calls."""
    try:
        found: CheckpointTuple | None = await saver.aget_tuple(step)
    except NotImplementedError:
        found = saver.get_tuple(step)
    return found


_NEAR = 20
"""Checkpoints between an input and a step that waits before anything of ours ran. A limit."""


async def asked_at(config: "RunnableConfig") -> datetime | None:
    """Return when the messages of a run were brought in, as far as LangGraph knows.

    A server says when a run was asked for, however long it waited; the checkpoint of the input
    says when that came, however long other nodes took; and the id of any checkpoint holds a time.
    """
    given = config.get("configurable") or {}
    times = [_input_time(await _input_of(config))]
    if asked := given.get("__request_start_time_ms__"):
        times.append(datetime.fromtimestamp(int(asked) / 1000, UTC))
    if checkpoint_id := (given.get("checkpoint_map") or {}).get(""):
        times.append(_moment_in(str(checkpoint_id)))
    return min((each for each in times if each), default=None)


def _input_time(found: "CheckpointTuple | None") -> datetime | None:
    return datetime.fromisoformat(found.checkpoint["ts"]) if found else None


_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


def _moment_in(checkpoint_id: str) -> datetime | None:
    """Return the time in an id that is a UUID of version 6, as those of checkpoints are."""
    try:
        known = UUID(checkpoint_id)
    except ValueError:
        return None
    if known.version != 6:
        return None
    ticks = (known.int >> 80) << 12 | (known.int >> 64) & 0xFFF
    return _GREGORIAN + timedelta(microseconds=ticks // 10)


async def beginning_of(config: "RunnableConfig") -> Mapping[str, Any]:
    """Return the metadata of the checkpoint in which a resumed run's messages were brought in.

    They name the run, and the user where `configurable` does; empty if none is found.
    """
    found = await _input_of(config)
    return dict(found.metadata) if found else {}


async def _input_of(config: "RunnableConfig") -> "CheckpointTuple | None":
    given = config.get("configurable") or {}
    saver, place = given.get("__pregel_checkpointer"), given.get("checkpoint_map") or {}
    if saver is None or not place.get(""):
        return None
    at = {"thread_id": given.get("thread_id"), "checkpoint_ns": "", "checkpoint_id": place[""]}
    step: RunnableConfig | None = {"configurable": at}
    for _ in range(_NEAR):
        found = await _tuple_of(saver, step) if step else None
        if found is None or found.metadata.get("source") == "input":
            return found
        step = found.parent_config
    return None
