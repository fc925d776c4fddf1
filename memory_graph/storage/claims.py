"""How do runs of one user take turns, in any number of processes?

A store has no compare-and-set, so a quota that is counted and then written would be
exceeded. What a process held when it was killed is free again at once.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from hashlib import sha256
from pathlib import Path

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from memory_graph.errors import StoreUnavailableError
from memory_graph.storage.collection import Scope
from memory_graph.storage.drivers import driver_of
from memory_graph.storage.file_locks import file_lock, locks_beside
from memory_graph.storage.locks import one_at_a_time

_LONGEST_WAIT_S = 60.0
_LOCK_FILES = 64
"""Users share them; more would only let more of them write at the same time."""


@asynccontextmanager
async def alone(scope: Scope) -> AsyncIterator[None]:
    """Let no other run of this user decide on episodes until the block is left.

    Facts have turns of their own: they are in the way of the reply, an episode is not.

    Holds between processes where `reaches_other_processes` says so, else within this one.

    Raises:
        StoreUnavailableError: If somebody else holds the user's turn for too long.
    """
    async with one_at_a_time((*scope.root, "captures")):
        among_processes = _lock_of(scope.gateway.store, _number_of(scope.root))
        try:
            async with asyncio.timeout(_LONGEST_WAIT_S):
                await among_processes.__aenter__()
        except TimeoutError as error:
            raise StoreUnavailableError("Another run of this user does not end.") from error
        try:
            yield
        finally:
            await among_processes.__aexit__(None, None, None)


def reaches_other_processes(store: BaseStore) -> bool:
    """Return whether `alone` excludes all that can write to a store.

    It does on our own SQLite and Postgres backends, and on a store that only this process
    has. Elsewhere a limit has to be checked once more after the write.
    """
    return isinstance(store, InMemoryStore) or driver_of(store) in {"psycopg_pool", "aiosqlite"}


def _lock_of(store: BaseStore, number: int) -> AbstractAsyncContextManager[None]:
    driver = driver_of(store)
    if driver == "psycopg_pool":
        return _advisory_lock(store.conn.conninfo, number)  # type: ignore[attr-defined]
    if driver == "aiosqlite":
        return _turn_beside(store, number)
    return nullcontext()


def _number_of(root: tuple[str, ...]) -> int:
    """Return a user's number, as Postgres wants it: 64 bits, signed."""
    digest = sha256("\x00".join(root).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


@asynccontextmanager
async def _advisory_lock(address: str, number: int) -> AsyncIterator[None]:
    """Hold a Postgres advisory lock on a connection of its own.

    One of the pool's would do, if waiting for the lock did not use up the connections that
    its holder needs to finish.
    """
    from psycopg import AsyncConnection  # noqa: PLC0415 — only this backend needs it

    async with await AsyncConnection.connect(address, autocommit=True) as connection:
        await connection.execute("SELECT pg_advisory_lock(%s)", (number,))
        yield


@asynccontextmanager
async def _turn_beside(store: BaseStore, number: int) -> AsyncIterator[None]:
    """Hold a lock on a file beside the SQLite database; of one in memory, hold nothing."""
    database = await _file_of(store)
    if database is None:
        yield
        return
    async with file_lock(locks_beside(database) / f"{number % _LOCK_FILES:02d}"):
        yield


async def _file_of(store: BaseStore) -> Path | None:
    async with store.conn.execute("PRAGMA database_list") as rows:  # type: ignore[attr-defined]
        files = [str(row[2] or "") async for row in rows if row[1] == "main"]
    return Path(files[0]) if any(files) else None
