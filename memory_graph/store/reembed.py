"""Compute vectors again: all after a change of embedder, the missing ones after an outage."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import BaseStore, PutOp, SearchItem

from memory_graph.embedding import Embedder
from memory_graph.errors import EmbedderUnavailableError
from memory_graph.store.configured import record_embedder
from memory_graph.store.gateway import Gateway
from memory_graph.store.labels import ROOT
from memory_graph.store.locks import facts_lock, user_lock_across_processes
from memory_graph.store.revision import new_epoch
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import STEMS, UNEMBEDDED, pack, stems_of, unpack

_BATCH = 64

_MAX_NAMESPACES = 1_000_000


@dataclass(frozen=True)
class Progress:
    """How far re-embedding is."""

    namespaces_done: int
    namespaces: int
    records: int


async def reembed(
    gateway: Gateway, embedder: Embedder, now: datetime, *, only_missing: bool = False
) -> AsyncIterator[Progress]:
    """Embed every record of every user again, then mark the store as filled by `embedder`.

    Interrupted, it can simply be started again: only the end marks the store. With
    `only_missing`, records that have a vector of this embedder keep it. A vector index of the
    store's own that takes vectors of another length is emptied first.

    Raises:
        ConfigurationError: If that index also holds vectors of another application.
        EmbedderUnavailableError: If the embedder fails.
    """
    await gateway.backend.fit_vectors(gateway.store)
    namespaces = await _namespaces(gateway.store)
    records = 0
    for done, namespace in enumerate(namespaces):
        items = [item for item in await gateway.scan(namespace) if "text" in item.value]
        if only_missing:
            known = unpack([item.value for item in items], embedder.name, embedder.dims)
            lacking = await gateway.backend.without_vectors(gateway.store, namespace)
            items = [
                item
                for item, vector in zip(items, known, strict=True)
                if vector is None or item.key in lacking
            ]
        for start in range(0, len(items), _BATCH):
            puts = await _embedded(items[start : start + _BATCH], embedder, now)
            await gateway.write([*puts, *await new_epoch(gateway, namespace[:-1])])
        records += len(items)
        yield Progress(done + 1, len(namespaces), records)
    await record_embedder(gateway, embedder)


_REPAIRED = 50
"""Records that get their vectors after one reply; the rest waits for the next."""


async def repair_vectors(memory: UserMemory, now: datetime) -> int:
    """Embed records that were saved while the embedder was down, a few; return how many.

    Looks only where this process does not know better. Nobody else writes meanwhile.
    """
    scope = memory.scope
    if not scope.may_lack_vectors:
        return 0
    if not await _without_vectors(memory):
        scope.all_have_vectors()
        return 0
    async with user_lock_across_processes(scope), facts_lock(scope):
        try:
            puts = await _embedded(await _without_vectors(memory), scope.embedder, now)
        except EmbedderUnavailableError:
            return 0
        await memory.commit(puts)
    return len(puts)


async def _without_vectors(memory: UserMemory) -> list[SearchItem]:
    found: list[SearchItem] = []
    for kind in (memory.facts, memory.archive, memory.episodes, memory.patterns, memory.turns):
        room = _REPAIRED - len(found)
        where = dict[str, object](UNEMBEDDED)
        if room:
            found += await memory.scope.gateway.scan(kind.namespace, where=where, limit=room)
    return found


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
                **{name: each for name, each in item.value.items() if name not in UNEMBEDDED},
                "embedding": pack(vector, embedder.name),
                STEMS: stems_of(str(item.value["text"])),
                "written_epoch": int(now.timestamp()),
            },
            index=["text"],
        )
        for item, vector in zip(items, vectors, strict=True)
    ]
