"""Is the index this process holds of a namespace still what the store holds?

Every write changes a token beside the namespace. A reader that sees a new token reads
only what was written since; a deletion changes a second token, after which all is read.
"""

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

if TYPE_CHECKING:
    from memory_graph.storage.index import NamespaceIndex

_CLOCK_SKEW_S = 120
_MAX_INDEXES = 1000
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


@dataclass
class _Held:
    store: BaseStore
    index: "NamespaceIndex"
    tokens: dict[str, str] = field(default_factory=dict)
    newest: int = 0


@dataclass
class IndexCache:
    """The namespaces this process has indexed, least recently used evicted first."""

    max_items: int
    _held: OrderedDict[tuple[int, tuple[str, ...]], _Held] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

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
        """Return the index of a namespace, brought up to date with the store."""
        tokens = await read_tokens(gateway, namespace)
        where = (id(gateway.store), namespace)
        held = self._held.get(where)
        if held and held.tokens == tokens:
            with self._lock:
                if where in self._held:
                    self._held.move_to_end(where)
            return held.index
        gone = _token_key(namespace, True)
        if held is None or held.tokens.get(gone) != tokens.get(gone):
            held = _Held(gateway.store, new_index())
        since = held.newest - _CLOCK_SKEW_S
        recent: dict[str, object] = {"written_epoch": {"$gte": since}}
        items = await gateway.scan(namespace, where=recent if held.newest else None)
        with self._lock:
            held.index.upsert(decode(items))
            held.newest = max([held.newest, *(_written(item) for item in items)])
            held.tokens = tokens
            self._keep(where, held)
        return held.index

    def _keep(self, where: tuple[int, tuple[str, ...]], held: _Held) -> None:
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
    return int(item.value.get("written_epoch", 0))
