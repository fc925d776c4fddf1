"""A cache of records that this process has read, so that large memories open fast."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langgraph.store.base import BaseStore

from memory_graph.records import Record
from memory_graph.store.collection import RecordCollection
from memory_graph.store.freshness import Version

R = TypeVar("R", bound=Record)
_MOST = 30
"""Collections that are held, about those of ten people."""


@dataclass(frozen=True)
class _Shelf:
    store: BaseStore
    """Kept, so that no other store gets its id."""

    version: Version
    records: list[Any]


@dataclass
class Held:
    """The records of collections, least recently used first."""

    shelves: OrderedDict[tuple[int, tuple[str, ...]], _Shelf] = field(default_factory=OrderedDict)

    async def all(self, collection: RecordCollection[R]) -> list[R]:
        """Return every record of a collection; they are read again after any write to it."""
        gateway = collection.scope.gateway
        where = (id(gateway.store), collection.namespace)
        version = await collection.version()
        shelf = self.shelves.get(where)
        if shelf is None or shelf.version != version:
            shelf = _Shelf(gateway.store, version, await collection.all())
            self.shelves[where] = shelf
        self.shelves.move_to_end(where)
        while len(self.shelves) > _MOST:
            self.shelves.popitem(last=False)
        return list(shelf.records)


HELD = Held()
