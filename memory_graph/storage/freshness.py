"""Is the index this process holds of a namespace still what the store holds?

Every write changes a token beside the namespace. A reader that sees a new token reads
only what was written since; a deletion changes a second token, after which all is read.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING
from uuid import uuid4

from langgraph.store.base import BaseStore, Item, PutOp

from memory_graph.storage.documents import Document
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.loading import Loads, Where

if TYPE_CHECKING:
    from memory_graph.storage.index import NamespaceIndex

_CLOCK_SKEW_S = 120
_MAX_INDEXES = 1000
_LONGEST_LOAD_S = 300
_BATCH = 1000
"""How many items are indexed before others get their turn on the event loop."""

TOKENS = "revisions"
"""Last part of the namespace that holds one user's tokens, and nothing about them."""

Decode = Callable[[Sequence[Item]], Iterable[Document]]


def revision_puts(puts: list[PutOp]) -> list[PutOp]:
    """Return the writes that tell other processes what `puts` changed."""
    changed = {(put.namespace, put.value is None) for put in puts}
    return [
        PutOp(_tokens(namespace), _token_key(namespace, gone), {"token": uuid4().hex}, index=False)
        for namespace, gone in sorted(changed)
    ]


@dataclass(frozen=True)
class _Source:
    """Where the items of an index come from, and how they are read."""

    gateway: Gateway
    namespace: tuple[str, ...]
    decode: Decode
    new_index: Callable[[], "NamespaceIndex"]


@dataclass
class _Held:
    store: BaseStore
    index: "NamespaceIndex"
    tokens: dict[str, str] = field(default_factory=dict)
    newest: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    """Hashes of the values that are read again and again: of late ones, because clocks differ."""


@dataclass
class IndexCache:
    """The namespaces this process has indexed, least recently used evicted first."""

    max_items: int
    _held: OrderedDict[Where, _Held] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _loads: "Loads[NamespaceIndex]" = field(default_factory=Loads)

    def holds(self, store: BaseStore, namespace: tuple[str, ...], most: int) -> bool:
        """Say whether an index of at most `most` items is held of a namespace."""
        held = self._held.get((id(store), namespace))
        return held is not None and len(held.index) <= most

    async def fresh(
        self,
        gateway: Gateway,
        namespace: tuple[str, ...],
        decode: Decode,
        new_index: Callable[[], "NamespaceIndex"],
    ) -> "NamespaceIndex":
        """Return the index of a namespace, brought up to date with the store.

        Raises:
            StoreUnavailableError: If that takes too long; it is ready for a later call.
        """
        tokens = await read_tokens(gateway, namespace)
        where = (id(gateway.store), namespace)
        if (index := self._current(where, tokens)) is not None:
            return index
        # A read that began earlier may have missed a write that the tokens tell of.
        await self._loads.settle(where, gateway.scan_timeout_s)
        if (index := self._current(where, tokens)) is not None:
            return index
        source = _Source(gateway, namespace, decode, new_index)
        return await self._loads.run(
            where, lambda: self._load(source, tokens), gateway.scan_timeout_s
        )

    def _current(self, where: Where, tokens: dict[str, str]) -> "NamespaceIndex | None":
        held = self._held.get(where)
        if held is None or held.tokens != tokens:
            return None
        with self._lock:
            if where in self._held:
                self._held.move_to_end(where)
        return held.index

    async def _load(self, source: _Source, tokens: dict[str, str]) -> "NamespaceIndex":
        """Read what changed since the last time, or everything after a deletion."""
        gateway, namespace = source.gateway, source.namespace
        where = (id(gateway.store), namespace)
        held = self._held.get(where)
        gone = _token_key(namespace, True)
        if held is None or held.tokens.get(gone) != tokens.get(gone):
            held = _Held(gateway.store, source.new_index())
        since = held.newest - _CLOCK_SKEW_S
        recent: dict[str, object] = {"written_epoch": {"$gte": since}}
        items = await gateway.scan(
            namespace, where=recent if held.newest else None, timeout_s=_LONGEST_LOAD_S
        )
        newest = max([held.newest, *(_written(item) for item in items)])
        seen = {item.key: hash(str(item.value)) for item in items} if held.newest else {}
        items = [item for item in items if not seen or held.seen.get(item.key) != seen[item.key]]
        while items:
            with self._lock:
                held.index.upsert(source.decode(items[:_BATCH]))
            del items[:_BATCH]  # memory is short while a large namespace is read
            await asyncio.sleep(0)
        with self._lock:
            held.newest, held.tokens, held.seen = newest, tokens, seen
            self._keep(where, held)
        return held.index

    def _keep(self, where: Where, held: _Held) -> None:
        self._held[where] = held
        self._held.move_to_end(where)
        while len(self._held) > 1 and self._is_full():
            self._held.popitem(last=False)

    def _is_full(self) -> bool:
        items = sum(len(held.index) for held in self._held.values())
        return items > self.max_items or len(self._held) > _MAX_INDEXES


@cache
def shared_indexes(max_items: int) -> IndexCache:
    """Return this process's indexes."""
    return IndexCache(max_items)


async def read_tokens(gateway: Gateway, namespace: tuple[str, ...]) -> dict[str, str]:
    """Return what changes with every write to a namespace."""
    keys = [_token_key(namespace, False), _token_key(namespace, True)]
    items = await gateway.get(_tokens(namespace), keys)
    return {item.key: str(item.value["token"]) for item in items}


def _tokens(namespace: tuple[str, ...]) -> tuple[str, ...]:
    return (*namespace[:-1], TOKENS)


def _token_key(namespace: tuple[str, ...], gone: bool) -> str:
    return f"{namespace[-1]}:deleted" if gone else namespace[-1]


def _written(item: Item) -> int:
    written = item.value.get("written_epoch")
    return written if isinstance(written, int) else 0
