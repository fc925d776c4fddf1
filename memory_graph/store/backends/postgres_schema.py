"""The tables of a store on Postgres: LangGraph's own, and what this package changes about them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple, cast

from langgraph.store.base import BaseStore

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError

if TYPE_CHECKING:
    from langgraph.store.postgres.base import PostgresIndexConfig
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow

    Connection = AsyncConnection[DictRow]


class Migration(NamedTuple):
    """A change to LangGraph's tables, made once in each database."""

    name: str
    why: str
    sql: bytes


_KEEP_VECTORS_IN_ROWS = b"ALTER TABLE store_vectors ALTER COLUMN embedding SET STORAGE MAIN"

MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "drop_text_index",
        "Words are searched among the items of one user, which are read anyway.",
        b"DROP INDEX IF EXISTS store_memories_text",
    ),
    Migration(
        "keep_vectors_in_rows",
        "Vectors that are stored apart from their rows take four times as long to read.",
        _KEEP_VECTORS_IN_ROWS,
    ),
)
"""All of ours, in their order. A name that was released stays as it is."""

_DONE = b"CREATE TABLE IF NOT EXISTS memory_migrations (name text PRIMARY KEY)"

_DIMENSIONS = """
SELECT atttypmod AS dims FROM pg_attribute
WHERE attrelid = to_regclass('store_vectors') AND attname = 'embedding' AND atttypmod > 0
"""

_OF_OTHERS = b"SELECT count(*) AS n FROM store_vectors WHERE prefix NOT LIKE 'memories.%'"

_SETUP_LOCK = 0x6D656D67
"""Any number that nobody else locks: `memg` in ASCII."""

_SETUP_RETRY_S = 0.1


def index_for(embedder: Embedder) -> "PostgresIndexConfig":
    """Return how vectors are kept: without an index over those of all users.

    What is searched is one user's, and exactly; an HNSW index of everybody's would only slow down
    writes (3.7 ms instead of 0.5 among 240,000).
    """
    return {
        "dims": embedder.dims,
        "embed": embedder.embed,
        "fields": ["text"],
        "ann_index_config": {"kind": "flat"},
    }


async def create_tables(connection: "Connection", url: str, index: "PostgresIndexConfig") -> None:
    """Create LangGraph's tables, and make the changes that were not made yet."""
    await asyncio.to_thread(_create_tables, url, index)
    await connection.execute(_DONE)
    asked = await connection.execute(b"SELECT name FROM memory_migrations")
    done = {row["name"] for row in await asked.fetchall()}
    for migration in MIGRATIONS:
        if migration.name not in done:
            await connection.execute(migration.sql)
            await connection.execute(
                b"INSERT INTO memory_migrations VALUES (%s)", (migration.name,)
            )


def _create_tables(url: str, index: "PostgresIndexConfig") -> None:
    """Run LangGraph's own set-up; that of its asynchronous store refuses a flat index."""
    from langgraph.store.postgres import PostgresStore  # noqa: PLC0415 — only this backend needs it

    with PostgresStore.from_conn_string(url, index=index) as store:
        store.setup()


async def dimensions(store: BaseStore) -> int | None:
    """Return how long the vectors are that the table takes; none if it takes all."""
    rows = await framework.fetch_rows(store, _DIMENSIONS, ())
    return cast("int", rows[0]["dims"]) if rows else None


async def refit(connection: "Connection", dims: int) -> None:
    """Empty the table of vectors, and make it take those of another length.

    Raises:
        ConfigurationError: If another application keeps vectors in it.
    """
    await connection.execute(b"LOCK TABLE store_vectors IN ACCESS EXCLUSIVE MODE")
    row = await (await connection.execute(_OF_OTHERS)).fetchone()
    if row and row["n"]:
        vectors = "1 vector" if row["n"] == 1 else f"{row['n']} vectors"
        raise ConfigurationError(
            f"The vector table also holds {vectors} of another application, and takes one length "
            f"only. Move memory to a database of its own to embed it with {dims} dimensions."
        )
    await connection.execute(b"TRUNCATE store_vectors")
    alter = f"ALTER TABLE store_vectors ALTER COLUMN embedding TYPE vector({dims})"
    await connection.execute(alter.encode())
    await connection.execute(_KEEP_VECTORS_IN_ROWS)


@asynccontextmanager
async def setup_lock(connection: "Connection") -> AsyncIterator[None]:
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
