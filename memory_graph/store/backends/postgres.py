"""LangGraph's Postgres stores, with the SQL that searches namespaces too large for a process."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from langgraph.store.base import BaseStore
from typing_extensions import override

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.store.backends.protocol import Backend, Namespace, OpenedStore, Vectors, causes

if TYPE_CHECKING:
    from langgraph.store.postgres.aio import AsyncPostgresStore
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow
    from psycopg_pool import AsyncConnectionPool

    Pool = AsyncConnectionPool[AsyncConnection[DictRow]]


_POOL_DRIVER = "psycopg_pool"


_DRIVERS = {_POOL_DRIVER, "psycopg"}


_CONTENTION = {"40001", "40P01", "55P03"}
"""SQLSTATEs of a serialisation failure, a deadlock and a lock that was not available."""


_SETUP_LOCK = 0x6D656D67
"""Any number that nobody else locks: `memg` in ASCII."""


_SETUP_RETRY_S = 0.1


_EXACT_ENOUGH = "-c hnsw.iterative_scan=relaxed_order -c hnsw.ef_search=200"
"""Without these, HNSW silently returns too few rows when large namespaces share the table."""


_WORD = re.compile(r"[^\W_]+")


_TEXT_INDEX = """
CREATE INDEX IF NOT EXISTS store_memories_text ON store
USING gin (to_tsvector('english', value ->> 'text')) WHERE prefix LIKE 'memories.%'
"""
"""Created when this package opens the database; without it full text is searched more slowly."""


_COUNT = "SELECT count(*) AS n FROM (SELECT 1 FROM store WHERE prefix = %s LIMIT %s) AS counted"


_BY_TEXT = """
SELECT key FROM store, websearch_to_tsquery('english', %s) AS wanted
WHERE prefix = %s AND prefix LIKE 'memories.%%'
AND to_tsvector('english', value ->> 'text') @@ wanted
ORDER BY ts_rank(to_tsvector('english', value ->> 'text'), wanted) DESC, key LIMIT %s
"""


class PostgresBackend(Backend):
    """Postgres databases with pgvector. Only stores with a pool can lock other processes out."""

    url_forms = ("postgresql://…", "postgres://…")

    @override
    def owns(self, store: BaseStore) -> bool:
        return framework.driver_of(store) in _DRIVERS

    @override
    @asynccontextmanager
    async def open(self, url: str, embedder: Embedder) -> AsyncIterator[OpenedStore]:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415
        from langgraph.store.postgres.aio import AsyncPostgresStore  # noqa: PLC0415
        from langgraph.store.postgres.base import PostgresIndexConfig  # noqa: PLC0415

        index: PostgresIndexConfig = {
            "dims": embedder.dims,
            "embed": embedder.embed,
            "fields": ["text"],
        }
        async with _pool(url) as pool:
            store = AsyncPostgresStore(pool, index=index)
            saver = AsyncPostgresSaver(pool)
            async with pool.connection() as connection, _setup_lock(connection):
                await store.setup()
                await connection.execute(_TEXT_INDEX.encode())
                await saver.setup()
            yield OpenedStore(self, "postgres", store, saver)

    @override
    def vectors(self, store: BaseStore) -> Vectors:
        return "pgvector" if framework.has_vector_index(store) else "in process"

    @override
    def is_contention(self, error: BaseException) -> bool:
        return any(getattr(cause, "sqlstate", None) in _CONTENTION for cause in causes(error))

    @override
    def locks_other_processes(self, store: BaseStore) -> bool:
        return framework.driver_of(store) == _POOL_DRIVER

    @override
    @asynccontextmanager
    async def lock(self, store: BaseStore, number: int) -> AsyncIterator[None]:
        """Hold an advisory lock on a connection of its own.

        One of the pool's would do, if waiting for the lock did not use up the connections that
        its holder needs to finish.
        """
        if not self.locks_other_processes(store):
            yield
            return
        async with await _connect_like(store) as connection:
            await connection.execute("SELECT pg_advisory_lock(%s)", (number,))
            yield

    @override
    async def has_more_than(self, store: BaseStore, namespace: Namespace, count: int) -> bool:
        searched = _with_own_search(store)
        if searched is None:
            return False
        values = (".".join(namespace), count + 1)
        [row] = await framework.fetch_rows(searched, _COUNT, values)
        return int(str(row["n"])) > count

    @override
    async def keys_by_words(
        self, store: BaseStore, namespace: Namespace, text: str, limit: int
    ) -> list[str]:
        searched = _with_own_search(store)
        if searched is None:
            return []
        any_word = " or ".join(_WORD.findall(text))
        values = (any_word, ".".join(namespace), limit)
        return [str(row["key"]) for row in await framework.fetch_rows(searched, _BY_TEXT, values)]


BACKEND = PostgresBackend()


def _with_own_search(store: BaseStore) -> "AsyncPostgresStore | None":
    # Not imported means that nobody can have opened one, and importing it is slow.
    module = sys.modules.get("langgraph.store.postgres.aio")
    if module is None or not isinstance(store, module.AsyncPostgresStore):
        return None
    return store if framework.has_vector_index(store) else None


async def _connect_like(store: BaseStore) -> "AsyncConnection[Any]":
    """Return a new connection to the database of a store's pool, made as the pool makes its own."""
    from psycopg import AsyncConnection  # noqa: PLC0415 — only this backend needs it

    address, options = await framework.pool_arguments(store)
    # The pool of a synchronous store may name a cursor that cannot be awaited.
    same = {name: value for name, value in options.items() if name != "cursor_factory"}
    return await AsyncConnection.connect(address, **{**same, "autocommit": True})


def _pool(url: str) -> "Pool":
    from psycopg import AsyncConnection  # noqa: PLC0415
    from psycopg.rows import DictRow, dict_row  # noqa: PLC0415
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415

    return AsyncConnectionPool[AsyncConnection[DictRow]](
        url,
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
    )


@asynccontextmanager
async def _setup_lock(connection: "AsyncConnection[DictRow]") -> AsyncIterator[None]:
    """Keep workers that start together from creating the same tables at once.

    The lock is tried again and again: a session that waits inside a statement would block the
    index that the other is building.
    """
    attempt = f"SELECT pg_try_advisory_lock({_SETUP_LOCK}) AS ours".encode()
    while True:
        row = await (await connection.execute(attempt)).fetchone()
        if row and row["ours"]:
            break
        await asyncio.sleep(_SETUP_RETRY_S)
    try:
        yield
    finally:
        await connection.execute(f"SELECT pg_advisory_unlock({_SETUP_LOCK})".encode())
