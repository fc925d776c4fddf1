"""Which store and checkpointer does the setting name, and what is degraded about them?

For entry points only: inside a graph the store comes from the runtime.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore

from memory_graph.embeddings import Embedder
from memory_graph.errors import ConfigurationError, EmbedderMismatchError
from memory_graph.settings import Settings
from memory_graph.storage.gateway import Gateway, open_gateway
from memory_graph.storage.large import TEXT_INDEX

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow

META = ("memories-meta",)
Vectors = Literal["in process", "sqlite-vec", "pgvector"]


@dataclass(frozen=True)
class Backend:
    """An opened store with its checkpointer."""

    name: str
    store: BaseStore
    checkpointer: BaseCheckpointSaver[str]
    vectors: Vectors
    notes: tuple[str, ...] = ()
    """What is degraded, and how to mend it."""


@asynccontextmanager
async def open_backend(
    settings: Settings, embedder: Embedder, *, check_embedder: bool = True
) -> AsyncIterator[Backend]:
    """Open the store that `settings.store` names.

    Raises:
        ConfigurationError: If the name is not understood.
        EmbedderMismatchError: If another embedder filled the store.
    """
    address = settings.store.get_secret_value()
    scheme = address.partition(":")[0]
    if scheme == "sqlite":
        opening = _open_sqlite(_sqlite_path(address), embedder)
    elif scheme in {"postgresql", "postgres"}:
        opening = _open_postgres(address, embedder)
    elif address == "memory":
        opening = _open_memory()
    else:
        raise ConfigurationError(
            f"`MEMORY_GRAPH_STORE` names an unknown store ({scheme!r}). "
            "Use `sqlite`, `sqlite:PATH`, `memory` or `postgresql://…`."
        )
    async with opening as backend:
        if check_embedder:
            await check_or_record_embedder(open_gateway(backend.store, settings), embedder)
        yield backend


async def check_or_record_embedder(gateway: Gateway, embedder: Embedder) -> None:
    """Refuse a store whose vectors another embedder made; mark a new store as ours.

    Raises:
        EmbedderMismatchError: If the store is marked with another embedder.
    """
    configured = f"{embedder.name}/{embedder.dims}"
    found = await gateway.get(META, ["embedder"])
    stored = str(found[0].value["name"]) if found else None
    if stored is None:
        await record_embedder(gateway, embedder)
    elif stored != configured:
        raise EmbedderMismatchError(stored, configured)


async def record_embedder(gateway: Gateway, embedder: Embedder) -> None:
    """Mark a store as filled by `embedder`."""
    value = {"name": f"{embedder.name}/{embedder.dims}"}
    await gateway.write([PutOp(META, "embedder", value, index=False)])


def default_sqlite_path() -> Path:
    """Return where the command line keeps memory unless told otherwise."""
    return Path.home() / ".memory-graph" / "memory.sqlite"


def _sqlite_path(address: str) -> Path:
    named = address.partition(":")[2].removeprefix("//")
    return Path(named).expanduser() if named else default_sqlite_path()


@asynccontextmanager
async def _open_memory() -> AsyncIterator[Backend]:
    note = "Memory lives and dies with this process; set `MEMORY_GRAPH_STORE=sqlite` to keep it."
    yield Backend("memory", InMemoryStore(), InMemorySaver(), "in process", (note,))


@asynccontextmanager
async def _open_sqlite(path: Path, embedder: Embedder) -> AsyncIterator[Backend]:
    from memory_graph.storage.sqlite_files import open_files  # noqa: PLC0415 — brings drivers

    extensible = _driver_with_extensions()
    vectors: Vectors = "sqlite-vec" if extensible else "in process"
    notes = () if extensible else (_NO_EXTENSIONS,)
    async with open_files(path, embedder, extensible) as (store, saver):
        yield Backend(f"sqlite ({path})", store, saver, vectors, notes)


_NO_EXTENSIONS = (
    "This Python's sqlite3 cannot load extensions, so vectors are searched in process: fine up "
    "to tens of thousands of memories per user. For sqlite-vec, install "
    "`langgraph-memory-nodes[sqlite-vec]` or use a Python built with loadable extensions."
)


def _driver_with_extensions() -> ModuleType | None:
    """Return a sqlite3 module that can load sqlite-vec, if there is one."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    try:
        from pysqlite3 import dbapi2  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        return None
    module: ModuleType = dbapi2
    return module


@asynccontextmanager
async def _open_postgres(address: str, embedder: Embedder) -> AsyncIterator[Backend]:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415
    from langgraph.store.postgres.aio import AsyncPostgresStore  # noqa: PLC0415
    from langgraph.store.postgres.base import PostgresIndexConfig  # noqa: PLC0415
    from psycopg import AsyncConnection  # noqa: PLC0415
    from psycopg.rows import DictRow, dict_row  # noqa: PLC0415
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415

    index: PostgresIndexConfig = {
        "dims": embedder.dims,
        "embed": embedder.embed,
        "fields": ["text"],
    }
    async with AsyncConnectionPool[AsyncConnection[DictRow]](
        address,
        min_size=1,
        max_size=10,
        timeout=5,
        open=False,
        check=AsyncConnectionPool.check_connection,
        kwargs={
            "autocommit": True,
            "prepare_threshold": 0,
            "row_factory": dict_row,
            "options": _EXACT_ENOUGH,
        },
    ) as pool:
        store = AsyncPostgresStore(pool, index=index)
        saver = AsyncPostgresSaver(pool)
        async with pool.connection() as connection, _one_worker_at_a_time(connection):
            await store.setup()
            await connection.execute(TEXT_INDEX.encode())
            await saver.setup()
        yield Backend("postgres", store, saver, "pgvector")


@asynccontextmanager
async def _one_worker_at_a_time(connection: "AsyncConnection[DictRow]") -> AsyncIterator[None]:
    """Keep workers that start together from making the same tables at once.

    The lock is asked for again and again: a session that waits inside a statement would
    hold up the index that the other is building.
    """
    asked = f"SELECT pg_try_advisory_lock({_SETUP_LOCK}) AS ours".encode()
    while True:
        row = await (await connection.execute(asked)).fetchone()
        if row and row["ours"]:
            break
        await asyncio.sleep(0.1)
    try:
        yield
    finally:
        await connection.execute(f"SELECT pg_advisory_unlock({_SETUP_LOCK})".encode())


_SETUP_LOCK = 0x6D656D67
"""Any number that nobody else locks: `memg` in ASCII."""

_EXACT_ENOUGH = "-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=200"
"""Without these, HNSW silently returns too few rows when large namespaces share the table."""
