"""How are all vectors in a store made anew, after the embedder was changed?"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import BaseStore, PutOp, SearchItem

from memory_graph.embeddings import Embedder
from memory_graph.storage.backend import record_embedder
from memory_graph.storage.freshness import revision_puts
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.scope import ROOT
from memory_graph.storage.vectors import pack

_BATCH = 64
_MAX_NAMESPACES = 1_000_000


@dataclass(frozen=True)
class Progress:
    """How far re-embedding is."""

    namespaces_done: int
    namespaces: int
    records: int


async def reembed(gateway: Gateway, embedder: Embedder, now: datetime) -> AsyncIterator[Progress]:
    """Embed every record of every user again, then mark the store as filled by `embedder`.

    Interrupted, it can simply be started again: only the end marks the store.
    """
    namespaces = await _namespaces(gateway.store)
    records = 0
    for done, namespace in enumerate(namespaces):
        items = [item for item in await gateway.scan(namespace) if "text" in item.value]
        for start in range(0, len(items), _BATCH):
            puts = await _embedded(items[start : start + _BATCH], embedder, now)
            await gateway.write([*puts, *revision_puts(puts)])
        records += len(items)
        yield Progress(done + 1, len(namespaces), records)
    await record_embedder(gateway, embedder)


async def _namespaces(store: BaseStore) -> list[tuple[str, ...]]:
    found = await store.alist_namespaces(prefix=(ROOT,), limit=_MAX_NAMESPACES)
    return [namespace for namespace in found if namespace[0] == ROOT]


async def _embedded(items: list[SearchItem], embedder: Embedder, now: datetime) -> list[PutOp]:
    vectors = await embedder.embed([str(item.value["text"]) for item in items])
    return [
        PutOp(
            item.namespace,
            item.key,
            {
                **item.value,
                "embedding": pack(vector, embedder.name),
                "written_epoch": int(now.timestamp()),
            },
            index=["text"],
        )
        for item, vector in zip(items, vectors, strict=True)
    ]
