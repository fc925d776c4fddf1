"""The server's store, reached in process through its public SDK.

The server gives its store only to graphs. The SDK's `get_client()` without an address talks to the
same process, is public, and also works with a custom store (`store.path`). Two consequences: with
`http.disable_store` these routes have no memory, and several writes are sent one after the other.
"""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from langgraph.store import base
from langgraph_sdk.client import LangGraphClient
from typing_extensions import override


class SdkStore(base.BaseStore):
    """A server's store, as far as memory uses one. Asynchronous only."""

    def __init__(self, client: LangGraphClient) -> None:
        self._store = client.store

    @override
    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        raise NotImplementedError("Use `abatch`: the server is reached asynchronously.")

    @override
    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        """Run reads together, then writes in their order."""
        given = list(ops)
        reads = [op for op in given if not isinstance(op, base.PutOp)]
        answers = iter(await asyncio.gather(*map(self._read, reads)))
        results: list[base.Result] = []
        for op in given:
            if isinstance(op, base.PutOp):
                await self._write(op)
                results.append(None)
            else:
                results.append(next(answers))
        return results

    async def _read(self, op: base.Op) -> base.Result:
        if isinstance(op, base.GetOp):
            found = await self._store.get_item(op.namespace, op.key, refresh_ttl=op.refresh_ttl)
            return base.Item(**_fields(found)) if found else None
        if isinstance(op, base.SearchOp):
            return await self._search(op)
        assert isinstance(op, base.ListNamespacesOp)  # and only by prefix, as memory asks
        conditions = op.match_conditions or ()
        prefix = [str(label) for each in conditions for label in each.path]
        listed = await self._store.list_namespaces(
            prefix=prefix, max_depth=op.max_depth, limit=op.limit, offset=op.offset
        )
        return [tuple(each) for each in listed["namespaces"]]

    async def _search(self, op: base.SearchOp) -> list[base.SearchItem]:
        found = await self._store.search_items(
            op.namespace_prefix,
            filter=op.filter,
            limit=op.limit,
            offset=op.offset,
            query=op.query,
            refresh_ttl=op.refresh_ttl,
        )
        return [
            base.SearchItem(**_fields(each), score=each.get("score")) for each in found["items"]
        ]

    async def _write(self, op: base.PutOp) -> None:
        if op.value is None:
            await self._store.delete_item(op.namespace, op.key)
        else:
            await self._store.put_item(op.namespace, op.key, op.value, index=op.index)


def _fields(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an item holds; the SDK leaves its times as the text they came in."""
    times = ("created_at", "updated_at")
    return {
        "namespace": tuple(found["namespace"]),
        "key": found["key"],
        "value": found["value"],
        **{name: datetime.fromisoformat(str(found[name])) for name in times},
    }
