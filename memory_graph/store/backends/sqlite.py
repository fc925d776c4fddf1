"""The backend for LangGraph's SQLite stores, opened so that processes can share one file."""

import asyncio
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore, Op, Result
from typing_extensions import override

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import StoreUnavailableError
from memory_graph.store.backends.protocol import Backend, OpenedStore, Vectors, causes

if TYPE_CHECKING:
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.store.sqlite.aio import AsyncSqliteStore


logger = logging.getLogger(__name__)

_ASYNC_DRIVER = "aiosqlite"

_DRIVERS = {_ASYNC_DRIVER, "sqlite3", "pysqlite3"}

_OPENING_WAIT_S = 30.0
"""How long creating the tables waits for other writers."""

_WRITING_WAIT_S = 0.5
"""How long one attempt to write waits: it blocks the reads of its own process meanwhile. The
gateway tries again."""

_CHECKPOINT_WAIT_S = 60.0
"""Nobody retries for the checkpointer, and what it fails to save costs the reply."""

_CLEANING_S = 10.0
"""Others who read just now keep the log from being emptied."""

_LOCK_FILES = 64
"""Users share them; more would only let more of them write at the same time."""

_LOCK_RETRY_S = 0.02

_NO_EXTENSIONS = (
    "This Python's sqlite3 cannot load extensions, so vectors are searched in process: fine up "
    "to tens of thousands of memories per user. For sqlite-vec, install "
    "`langgraph-memory-nodes[sqlite-vec]` or use a Python built with loadable extensions."
)


_READ_ONLY = (
    "The database is on a file system that cannot be written to, or belongs to somebody else: "
    "memory can be read, listed and exported, and nothing is kept."
)


class SqliteBackend(Backend):
    """SQLite files. The synchronous store is understood, the asynchronous one is opened."""

    url_forms = ("sqlite", "sqlite:PATH")

    @override
    def owns(self, store: BaseStore) -> bool:
        return framework.driver_of(store) in _DRIVERS

    @override
    @asynccontextmanager
    async def open(self, url: str, embedder: Embedder) -> AsyncIterator[OpenedStore]:
        path = _path_in(url)
        if _is_read_only(path):
            async with _open_to_read(path) as store:
                yield OpenedStore(self, f"sqlite ({path})", store, InMemorySaver(), (_READ_ONLY,))
            return
        extensible = driver_with_extensions()
        notes = () if extensible else (_NO_EXTENSIONS,)
        async with _open_files(path, embedder, extensible) as (store, saver):
            yield OpenedStore(self, f"sqlite ({path})", store, saver, notes)

    @override
    async def batch(self, store: BaseStore, ops: Sequence[Op]) -> list[Result]:
        try:
            return await super().batch(store, ops)
        except Exception as error:  # pysqlite3 has exceptions of its own
            if "readonly database" in str(error):
                raise StoreUnavailableError(
                    "The database is read-only: nothing is kept."
                ) from error
            raise

    @override
    def vectors(self, store: BaseStore) -> Vectors:
        return "sqlite-vec" if framework.has_vector_index(store) else "in process"

    @override
    def may_cancel(self, store: BaseStore) -> bool:
        # Cancelled, the asynchronous store commits what it has done so far, or leaves a
        # transaction open in which it can never begin another.
        return framework.driver_of(store) != _ASYNC_DRIVER

    @override
    def is_contention(self, error: BaseException) -> bool:
        # By name: pysqlite3 has exceptions of its own.
        return any(
            type(cause).__name__ == "OperationalError" and "is locked" in str(cause)
            for cause in causes(error)
        )

    @override
    def locks_other_processes(self, store: BaseStore) -> bool:
        return framework.driver_of(store) == _ASYNC_DRIVER

    @override
    @asynccontextmanager
    async def lock(self, store: BaseStore, number: int) -> AsyncIterator[None]:
        """Hold a lock on a file beside the database; for one in memory, hold nothing."""
        database = await _file_of(store) if self.locks_other_processes(store) else None
        if database is None or _is_read_only(database):
            yield
            return
        async with _file_lock(_locks_beside(database) / f"{number % _LOCK_FILES:02d}"):
            yield

    @override
    async def clean_files(self, store: BaseStore) -> None:
        """Move the write-ahead log into the database, which overwrites what was deleted there."""
        if not self.locks_other_processes(store):
            return
        try:
            async with asyncio.timeout(_CLEANING_S):
                while not await framework.truncate_log(store):  # noqa: ASYNC110 — nobody says so
                    await asyncio.sleep(_LOCK_RETRY_S)
        except TimeoutError:
            logger.warning(
                "Somebody has read the database for %g s: copies of what was deleted stay in its "
                "write-ahead log until they stop, and memory deletes something again.",
                _CLEANING_S,
            )


BACKEND = SqliteBackend()


def default_path() -> Path:
    """Return where the command line keeps memory unless told otherwise."""
    return Path.home() / ".memory-graph" / "memory.sqlite"


def _path_in(url: str) -> Path:
    named = url.partition(":")[2].removeprefix("//")
    return Path(named).expanduser() if named else default_path()


def driver_with_extensions() -> ModuleType | None:
    """Return a sqlite3 module that can load sqlite-vec, if there is one."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    try:
        from pysqlite3 import dbapi2  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        return None
    module: ModuleType = dbapi2
    return module


_ORPHANS = """
DELETE FROM store_vectors WHERE NOT EXISTS (
    SELECT 1 FROM store WHERE store.prefix = store_vectors.prefix AND store.key = store_vectors.key
)
"""
"""Vectors that outlived their memory, in files written before deletions took them along."""


@asynccontextmanager
async def _open_files(
    path: Path, embedder: Embedder, extensible: ModuleType | None
) -> AsyncIterator["tuple[AsyncSqliteStore, AsyncSqliteSaver]"]:
    """Open the store at `path` and the checkpoints beside it, creating both if need be.

    Without a sqlite3 module that can load sqlite-vec, the store gets no vector index.
    """
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # noqa: PLC0415 — brings drivers
    from langgraph.store.sqlite.aio import AsyncSqliteStore  # noqa: PLC0415
    from langgraph.store.sqlite.base import SqliteIndexConfig  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    index: SqliteIndexConfig | None = None
    if extensible:
        index = SqliteIndexConfig(dims=embedder.dims, embed=embedder.embed, fields=["text"])
    async with AsyncExitStack() as connections:
        # Processes that create the same tables at once would fail over each other's.
        async with _file_lock(_locks_beside(path) / "opening"):
            memory = await connections.enter_async_context(_connect_memory(path, extensible))
            checkpoints = await connections.enter_async_context(
                _connect_threads(_threads_path(path))
            )
            store, saver = AsyncSqliteStore(memory, index=index), AsyncSqliteSaver(checkpoints)
            await store.setup()
            await saver.setup()
        if index:
            await memory.execute(_ORPHANS)
        await memory.execute(f"PRAGMA busy_timeout={int(_WRITING_WAIT_S * 1000)}")
        yield store, saver


def _is_read_only(path: Path) -> bool:
    """Say whether a database is there, but may not be written."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


@asynccontextmanager
async def _open_to_read(path: Path) -> AsyncIterator["AsyncSqliteStore"]:
    """Open a store that cannot be written; its vectors are searched in process.

    Without a log beside it nobody has it open: then no file for reading along is needed, which
    could not be made.
    """
    import aiosqlite  # noqa: PLC0415 — only this backend needs it
    from langgraph.store.sqlite.aio import AsyncSqliteStore  # noqa: PLC0415

    log = path.with_name(f"{path.name}-wal")
    how = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    library = driver_with_extensions() or sqlite3

    def connect() -> sqlite3.Connection:
        address = f"{path.absolute().as_uri()}?{how}"
        connection: sqlite3.Connection = library.connect(address, uri=True, isolation_level=None)
        return connection

    async with aiosqlite.Connection(connect, iter_chunk_size=64) as memory:
        store = AsyncSqliteStore(memory)
        await store.setup()
        yield store


def _connect_memory(path: Path, extensible: ModuleType | None) -> "aiosqlite.Connection":
    import aiosqlite  # noqa: PLC0415 — only this backend needs it

    def connect() -> sqlite3.Connection:
        connection: sqlite3.Connection = (extensible or sqlite3).connect(
            str(path), isolation_level=None, timeout=_OPENING_WAIT_S
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")  # forgotten text leaves the file, too
        connection.execute("PRAGMA foreign_keys=ON")  # and its vectors leave with it
        return connection

    return aiosqlite.Connection(connect, iter_chunk_size=64)


def _connect_threads(path: Path) -> "aiosqlite.Connection":
    import aiosqlite  # noqa: PLC0415 — only this backend needs it

    def connect() -> sqlite3.Connection:
        # A transaction that reads first and writes later fails at once if another process
        # wrote in between, whatever the timeout; so it takes the lock at its beginning.
        connection = sqlite3.connect(path, isolation_level="IMMEDIATE", timeout=_CHECKPOINT_WAIT_S)
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


def _locks_beside(database: Path) -> Path:
    return database.with_name(f"{database.stem}-locks")


async def _file_of(store: BaseStore) -> Path | None:
    connection = framework.connection_of(store)
    async with connection.execute("PRAGMA database_list") as rows:
        files = [str(row[2] or "") async for row in rows if row[1] == "main"]
    return Path(files[0]) if any(files) else None


@asynccontextmanager
async def _file_lock(path: Path) -> AsyncIterator[None]:
    """Hold the lock on a file, which is created; without `flock` (Windows), hold nothing."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 — Unix only
    except ImportError:
        yield
        return
    with await asyncio.to_thread(_open_lock_file, path) as file:
        while True:
            try:
                flock(file, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_LOCK_RETRY_S)
        yield


def _open_lock_file(path: Path) -> IO[bytes]:
    path.parent.mkdir(exist_ok=True)
    return path.open("ab")
