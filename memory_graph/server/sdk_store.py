"""The server's store, reached in process through its public SDK.

The server hands its store to graphs only. The SDK's `get_client()` without an address
speaks to the same process, is public, and works with a store of the deployment's own
(`store.path`). Two things follow: `http.disable_store` takes these routes' memory away
too, and several writes are sent one after the other.
"""

import asyncio
from collections.abc import Iterable
from datetime import datetime

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph_sdk import schema as sdk
from langgraph_sdk.client import LangGraphClient
from typing_extensions import override


class SdkStore(BaseStore):
    """A server's store, as far as memory uses one. Asynchronous only."""

    def __init__(self, client: LangGraphClient) -> None:
        self._store = client.store

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        raise NotImplementedError("Use `abatch`: the server is reached asynchronously.")

    @override
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run reads together, then writes in their order."""
        given = list(ops)
        reads = [op for op in given if not isinstance(op, PutOp)]
        answers = iter(await asyncio.gather(*map(self._read, reads)))
        results: list[Result] = []
        for op in given:
            if isinstance(op, PutOp):
                await self._write(op)
                results.append(None)
            else:
                results.append(next(answers))
        return results

    async def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            found = await self._store.get_item(op.namespace, op.key, refresh_ttl=op.refresh_ttl)
            return _as_item(found) if found else None
        if isinstance(op, SearchOp):
            return await self._search(op)
        assert isinstance(op, ListNamespacesOp)  # and only by prefix, as memory asks
        conditions = op.match_conditions or ()
        prefix = [str(label) for each in conditions for label in each.path]
        listed = await self._store.list_namespaces(
            prefix=prefix, max_depth=op.max_depth, limit=op.limit, offset=op.offset
        )
        return [tuple(each) for each in listed["namespaces"]]

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        found = await self._store.search_items(
            op.namespace_prefix,
            filter=op.filter,
            limit=op.limit,
            offset=op.offset,
            query=op.query,
            refresh_ttl=op.refresh_ttl,
        )
        return [_as_search_item(each) for each in found["items"]]

    async def _write(self, op: PutOp) -> None:
        if op.value is None:
            await self._store.delete_item(op.namespace, op.key)
        else:
            await self._store.put_item(op.namespace, op.key, op.value, index=op.index)


def _as_item(found: sdk.Item) -> Item:
    return Item(
        namespace=tuple(found["namespace"]),
        key=found["key"],
        value=found["value"],
        created_at=_moment(found["created_at"]),
        updated_at=_moment(found["updated_at"]),
    )


def _as_search_item(found: sdk.SearchItem) -> SearchItem:
    return SearchItem(
        namespace=tuple(found["namespace"]),
        key=found["key"],
        value=found["value"],
        created_at=_moment(found["created_at"]),
        updated_at=_moment(found["updated_at"]),
        score=found.get("score"),
    )


def _moment(written: datetime | str) -> datetime:
    """Read what the SDK calls a date and leaves as the text it came in."""
    return datetime.fromisoformat(str(written))
