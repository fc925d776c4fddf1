"""How are a SQLite store and its checkpoints opened, so that processes can share them?"""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import ModuleType

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.sqlite.aio import AsyncSqliteStore
from langgraph.store.sqlite.base import SqliteIndexConfig

from memory_graph.embeddings import Embedder
from memory_graph.storage.file_locks import file_lock, locks_beside

_OPENING_WAIT_S = 30.0
"""How long making the tables waits for those who write."""

_WRITING_WAIT_S = 0.5
"""How long a write waits at a time: meanwhile it holds up the reads of its own process. The
gateway tries again."""

_CHECKPOINT_WAIT_S = 60.0
"""Nobody tries again for the checkpointer, and what it fails to save costs the reply."""


@asynccontextmanager
async def open_files(
    path: Path, embedder: Embedder, extensible: ModuleType | None
) -> AsyncIterator[tuple[AsyncSqliteStore, AsyncSqliteSaver]]:
    """Open the store at `path` and the checkpoints beside it, making both if need be.

    Args:
        path: The database file.
        embedder: Fills the store's own vector index.
        extensible: A sqlite3 module that can load sqlite-vec; without one there is no such index.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    index: SqliteIndexConfig | None = None
    if extensible:
        index = SqliteIndexConfig(dims=embedder.dims, embed=embedder.embed, fields=["text"])
    async with AsyncExitStack() as open_connections:
        # Processes that make the same tables at once would fail over each other's.
        async with file_lock(locks_beside(path) / "opening"):
            memory = await open_connections.enter_async_context(_memory(path, extensible))
            threads = await open_connections.enter_async_context(_threads(path))
            store, saver = AsyncSqliteStore(memory, index=index), AsyncSqliteSaver(threads)
            await store.setup()
            await saver.setup()
        await memory.execute(f"PRAGMA busy_timeout={int(_WRITING_WAIT_S * 1000)}")
        yield store, saver


def _memory(path: Path, extensible: ModuleType | None) -> aiosqlite.Connection:
    def connect() -> sqlite3.Connection:
        connection: sqlite3.Connection = (extensible or sqlite3).connect(
            str(path), isolation_level=None, timeout=_OPENING_WAIT_S
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")  # forgotten text leaves the file, too
        return connection

    return aiosqlite.Connection(connect, iter_chunk_size=64)


def _threads(path: Path) -> aiosqlite.Connection:
    def connect() -> sqlite3.Connection:
        # Whoever reads first and wants to write then is refused at once if another wrote
        # meanwhile, however long it would wait; so the lock is taken at the beginning.
        connection = sqlite3.connect(
            str(_threads_path(path)), isolation_level="IMMEDIATE", timeout=_CHECKPOINT_WAIT_S
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    return aiosqlite.Connection(connect, iter_chunk_size=64)


def _threads_path(path: Path) -> Path:
    """Return where checkpoints go: beside memory, never in the same file.

    The saver only works with Python's own sqlite3. A second copy of SQLite in the process,
    which sqlite-vec may need, would undo its file locks and corrupt a file they share.
    """
    return path.with_name(f"{path.stem}-threads{path.suffix}")
