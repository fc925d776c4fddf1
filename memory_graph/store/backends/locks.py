"""Locks of users on Postgres, which hold across processes."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from langgraph.store.base import BaseStore

from memory_graph import framework

if TYPE_CHECKING:
    from psycopg import AsyncConnection

logger = logging.getLogger(__name__)


class Locks:
    """The locks that a process takes through one store, all on one connection.

    A lock is taken if nobody holds it; who has to wait does so on a connection of their own
    (`waiting`).
    """

    def __init__(self, store: BaseStore) -> None:
        self._store = ref(store)
        self._held: set[int] = set()
        """Postgres would give a connection the same lock twice."""

        self._connection: AsyncConnection[Any] | None = None
        self._asking = asyncio.Lock()
        self._giving_back: set[asyncio.Task[None]] = set()

    async def take(self, number: int) -> bool:
        """Take a lock, and say whether it was free; false, too, if the connection was lost."""
        if number in self._held:
            return False
        self._held.add(number)
        try:
            is_ours = await self._ask("pg_try_advisory_lock", number)
        except Exception as error:  # noqa: BLE001 — a connection of its own may fare better
            logger.info("A connection was lost (%s); a new one is made.", type(error).__name__)
            is_ours = False
        except BaseException:  # cancelled: nobody knows whether it was taken
            task = asyncio.ensure_future(self.give_back(number))
            self._giving_back.add(task)
            task.add_done_callback(self._giving_back.discard)
            raise
        if not is_ours:
            self._held.discard(number)
        return is_ours

    async def give_back(self, number: int) -> None:
        """Give a lock back; if the connection is gone, so is the lock."""
        try:
            await self._ask("pg_advisory_unlock", number)
        except Exception as error:  # noqa: BLE001
            logger.info("A lock ended with its connection (%s).", type(error).__name__)
        finally:
            self._held.discard(number)

    async def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _ask(self, function: str, number: int) -> bool:
        """Ask on the connection that all share: cancelling one of them must not end it."""
        return await asyncio.shield(asyncio.ensure_future(self._run(function, number)))

    async def _run(self, function: str, number: int) -> bool:
        async with self._asking:
            store = self._store()
            assert store is not None, "its own call is waiting"
            if self._connection is None:
                self._connection = await _connect_like(store)
            try:
                asked = f"SELECT {function}(%s) AS done".encode()
                row = await (await self._connection.execute(asked, (number,))).fetchone()
            except BaseException:
                await self.close()
                raise
            return bool(row and row["done"])


_opened: "WeakKeyDictionary[BaseStore, Locks]" = WeakKeyDictionary()
"""The locks of stores that this package opened."""


@asynccontextmanager
async def opened_for(store: BaseStore) -> AsyncIterator[None]:
    """Take the locks of a store on one connection while it is open."""
    locks = _opened[store] = Locks(store)
    try:
        yield
    finally:
        _opened.pop(store, None)
        await locks.close()


@asynccontextmanager
async def held(store: BaseStore, number: int) -> AsyncIterator[None]:
    """Hold a lock until the block is left; wait for it as long as another process holds it."""
    locks = _opened.get(store)
    is_here = framework.event_loop_of(store) is asyncio.get_running_loop()
    if locks and is_here and await locks.take(number):
        try:
            yield
        finally:
            await locks.give_back(number)
    else:
        async with waiting(store, number):
            yield


@asynccontextmanager
async def waiting(store: BaseStore, number: int) -> AsyncIterator[None]:
    """Hold a lock on a connection of its own, whose end gives it back.

    One of the pool's would do, if waiting for the lock did not use up the connections that its
    holder needs to finish.
    """
    connection = await _connect_like(store)
    try:
        await connection.execute("SELECT pg_advisory_lock(%s)", (number,))
        yield
    finally:
        await connection.close()


async def _connect_like(store: BaseStore) -> "AsyncConnection[Any]":
    """Return a new connection to the database of a store's pool, made as the pool makes its own."""
    from psycopg import AsyncConnection  # noqa: PLC0415 — only this backend needs it
    from psycopg.rows import dict_row  # noqa: PLC0415

    address, options = await framework.pool_arguments(store)
    # The pool of a synchronous store may name a cursor that cannot be awaited.
    same = {name: value for name, value in options.items() if name != "cursor_factory"}
    own = {"autocommit": True, "row_factory": dict_row}
    return await AsyncConnection.connect(address, **{**same, **own})
