"""The one place where store operations run: bounded, retried, checked for their owner."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, Result, SearchItem, SearchOp

from memory_graph.errors import StoreUnavailableError
from memory_graph.settings import Settings
from memory_graph.storage.drivers import may_be_cancelled
from memory_graph.storage.loops import is_on_another_loop
from memory_graph.storage.patience import is_contention, is_transient, pauses, to_its_end, within

logger = logging.getLogger(__name__)

EVERYTHING = 100_000
"""One large limit: paging is unreliable on the SQL stores, and the default of 10 truncates."""


@dataclass(frozen=True)
class Gateway:
    """A store as this package uses it.

    Operations go to `abatch` directly. The store's convenience methods share one queue
    between all users of the event loop, where one bad write fails everybody's and one
    slow embedding delays everybody's reads.
    """

    store: BaseStore
    read_timeout_s: float
    write_timeout_s: float
    scan_timeout_s: float
    """Reading a whole namespace takes longer the more there is in it."""

    async def get(self, namespace: tuple[str, ...], keys: Sequence[str]) -> list[Item]:
        """Return the items under `keys` that exist."""
        ops = [GetOp(namespace, key, refresh_ttl=False) for key in keys]
        found = await self._run(ops, self.read_timeout_s) if ops else []
        return [item for item in found if isinstance(item, Item) and _owned(item, namespace)]

    async def scan(
        self,
        namespace: tuple[str, ...],
        *,
        where: dict[str, object] | None = None,
        limit: int = EVERYTHING,
        timeout_s: float | None = None,
    ) -> list[SearchItem]:
        """Return the items of a namespace, in the store's own order."""
        op = SearchOp(namespace, filter=where, limit=limit, refresh_ttl=False)
        return await self._search(op, timeout_s or self.scan_timeout_s)

    async def near(self, namespace: tuple[str, ...], text: str, limit: int) -> list[SearchItem]:
        """Return the items nearest to `text` by the store's own vector index, best first."""
        op = SearchOp(namespace, query=text, limit=limit, refresh_ttl=False)
        return await self._search(op, self.read_timeout_s)

    async def _search(self, op: SearchOp, timeout_s: float) -> list[SearchItem]:
        [found] = await self._run([op], timeout_s)
        items = found if isinstance(found, list) else []
        hits = [item for item in items if isinstance(item, SearchItem)]
        return [item for item in hits if _owned(item, op.namespace_prefix)]

    async def write(self, puts: Sequence[PutOp]) -> None:
        """Apply all `puts` as one batch, which the SQL stores make atomic.

        All writers take rows in the same order, or they would wait for each other.
        """
        for batch in _without_equal_texts(puts):
            batch.sort(key=lambda put: (put.namespace, put.key))
            await self._run(batch, self.write_timeout_s)

    async def _run(self, ops: Sequence[Op], timeout_s: float) -> list[Result]:
        try:
            return await within(timeout_s, self._tried(ops))
        except TimeoutError as error:
            raise StoreUnavailableError(f"The store did not answer in {timeout_s:g} s.") from error

    async def _tried(self, ops: Sequence[Op]) -> list[Result]:
        """Run a batch: once more if a connection was lost, until it works if others write."""
        was_lost, pause = False, pauses()
        while True:
            try:
                return await self._batch(ops)
            except Exception as error:
                if is_contention(error):
                    await asyncio.sleep(next(pause))
                elif was_lost or not is_transient(error):
                    raise
                else:
                    was_lost = True

    async def _batch(self, ops: Sequence[Op]) -> list[Result]:
        if is_on_another_loop(self.store):
            return await asyncio.to_thread(self.store.batch, ops)
        try:
            if may_be_cancelled(self.store):
                return await self.store.abatch(ops)
            return await to_its_end(self.store.abatch(ops))
        except NotImplementedError:  # a store with a synchronous interface only
            return await asyncio.to_thread(self.store.batch, ops)


def open_gateway(store: BaseStore, settings: Settings) -> Gateway:
    """Return a store with the time limits that the settings name."""
    return Gateway(
        store,
        settings.store_read_timeout_s,
        settings.store_write_timeout_s,
        settings.store_scan_timeout_s,
    )


def _owned(item: Item, namespace: tuple[str, ...]) -> bool:
    """Check again whose item this is: old stores leaked between users with like names."""
    if tuple(item.namespace) == namespace:
        return True
    logger.error("The store returned an item of another namespace; it was dropped.")
    return False


def _without_equal_texts(puts: Sequence[PutOp]) -> list[list[PutOp]]:
    """Split where two indexed texts are equal: InMemoryStore refuses them in one batch."""
    batches: list[list[PutOp]] = [[]]
    seen: set[object] = set()
    for put in puts:
        text = (put.value or {}).get("text") if put.index else None
        if text is not None and text in seen:
            batches.append([])
            seen = set()
        seen.add(text)
        batches[-1].append(put)
    return [batch for batch in batches if batch]
