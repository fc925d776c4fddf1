"""The indexes of this process: made when they are searched, and brought up to date."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from langgraph.store.base import BaseStore, Item, PutOp

from memory_graph.errors import StoreUnavailableError
from memory_graph.recent import Recent
from memory_graph.store.gateway import Gateway
from memory_graph.store.revision import Marks, Version, Writer, changed_since
from memory_graph.store.values import Document, Value

if TYPE_CHECKING:
    from memory_graph.store.index import NamespaceIndex

Where = tuple[int, tuple[str, ...]]
"""A store, by identity, and a namespace in it."""

Writing = tuple[int, int, tuple[str, ...]]
"""A process, a store, by identity, and a user in it."""

_COMES_BACK_S = (15.0, 1800.0)
"""Seconds after the first search of a namespace in which another one shows that its user is back:
not those of the same turn, nor those of somebody who is as good as new."""

_MAX_SEEN = 10_000

_MAX_INDEXES = 1000

_MAX_WRITERS = 10_000
"""Users whose writes this process counts; of another one it begins again under a new id."""

_MAX_RECORDS = 2000
"""Records that are held as they were read last, of all users together."""

_LONGEST_LOAD_S = 300

_BATCH = 1000
"""How many items are indexed before others get their turn on the event loop."""


@dataclass(frozen=True)
class IndexSource:
    """Where the items of an index come from, and how they are read."""

    gateway: Gateway
    namespace: tuple[str, ...]
    documents: Callable[[Mapping[str, Value]], Iterable[Document]]
    new_index: Callable[[], "NamespaceIndex"]
    marks: Marks

    @property
    def where(self) -> Where:
        """Which namespace of which store it is."""
        return id(self.gateway.store), self.namespace

    async def version(self) -> Version:
        """Return what every write of any process to the user's memory changes."""
        return (await self.marks.revision(self.gateway, self.namespace[:-1])).version


@dataclass
class _Held:
    store: BaseStore
    index: "NamespaceIndex"
    version: Version | None = None


class Unread(NamedTuple):
    """A record as it was stored."""

    value: Value


@dataclass(repr=False)  # it holds what everybody said, and one user's memory refers to it
class IndexCache:
    """The namespaces this process has indexed, least recently used evicted first.

    Those of the user whose memory is read stay: they would drive each other out.
    """

    max_items: int
    writers: Recent[Writing, tuple[BaseStore, Writer]] = field(
        default_factory=lambda: Recent(_MAX_WRITERS)
    )
    """This process as a writer, user by user. The store is kept, so that no other gets its id."""

    _held: OrderedDict[Where, _Held] = field(default_factory=OrderedDict)
    _records: OrderedDict[tuple[Where, str], Any] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _loading: dict[Where, "asyncio.Task[NamespaceIndex]"] = field(default_factory=dict)
    _seen: OrderedDict[Where, float] = field(default_factory=OrderedDict)
    """When the store was first asked to search a namespace."""

    def comes_back(self, where: Where) -> bool:
        """Say whether a namespace is searched again, by a turn after the first."""
        now = time.monotonic()
        first = self._seen.setdefault(where, now)
        if now - first > _COMES_BACK_S[1]:
            self._seen[where] = now
        while len(self._seen) > _MAX_SEEN:
            self._seen.popitem(last=False)
        return _COMES_BACK_S[0] <= now - first <= _COMES_BACK_S[1]

    def holds(self, where: Where, most: int) -> bool:
        """Say whether an index of at most `most` items is held of a namespace."""
        held = self._held.get(where)
        return held is not None and len(held.index) <= most

    def is_current(self, where: Where, version: Version) -> bool:
        """Say whether the index of a namespace is that of a version."""
        held = self._held.get(where)
        return held is not None and held.version == version

    def sizes(self, store: BaseStore, root: tuple[str, ...]) -> dict[str, int]:
        """Return how many items of each of a user's namespaces this process has indexed."""
        return {
            namespace[-1]: len(held.index)
            for (owner, namespace), held in list(self._held.items())
            if owner == id(store) and namespace[:-1] == root
        }

    async def fresh(self, source: IndexSource) -> "NamespaceIndex":
        """Return the index of a namespace, brought up to date with the store.

        Raises:
            StoreUnavailableError: If that takes too long; it is ready for a later call.
        """
        version = await source.version()
        if (index := self._current(source.where, version)) is not None:
            return index
        if earlier := self._task(source.where):  # it may have missed a write
            await _finish(earlier, source.gateway.scan_timeout_s)
            if (index := self._current(source.where, version)) is not None:
                return index
        task = self.begin(source, version)
        await _finish(task, source.gateway.scan_timeout_s)
        if task.cancelled():
            raise StoreUnavailableError("Reading memory was cancelled.")
        return task.result()

    def begin(
        self, source: IndexSource, version: Version | None = None
    ) -> "asyncio.Task[NamespaceIndex]":
        """Return the read of a namespace that is under way, or begin one.

        It belongs to no turn: one that runs out of time goes on without the memory, and the read
        continues for the next turn. Otherwise what takes longer to read than a turn may wait
        could never be searched.
        """
        where = source.where
        task = self._task(where)
        if task is None:
            task = asyncio.create_task(self._load(replace(source, marks=Marks()), version))
            self._loading[where] = task
            task.add_done_callback(lambda done: self._loaded(where, done))
        return task

    def _task(self, where: Where) -> "asyncio.Task[NamespaceIndex] | None":
        task = self._loading.get(where)
        # A loop that was closed, or runs in another thread, cannot be waited for.
        return task if task and task.get_loop() is asyncio.get_running_loop() else None

    def _loaded(self, where: Where, task: "asyncio.Task[NamespaceIndex]") -> None:
        if self._loading.get(where) is task:
            del self._loading[where]
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not report it

    def known(self, where: Where, keys: Iterable[str]) -> dict[str, Any]:
        """Return the records that are held as the fresh index of their namespace knows them.

        Those that this process wrote itself are `Unread` until somebody asks for them.
        """
        return {key: held for key in keys if (held := self._records.get((where, key)))}

    def remember(self, where: Where, records: Mapping[str, Any]) -> None:
        """Hold records that were read for the fresh index of their namespace."""
        with self._lock:
            self._records |= {(where, key): record for key, record in records.items()}
            while len(self._records) > _MAX_RECORDS:
                self._records.popitem(last=False)

    def follow(self, source: IndexSource, puts: Sequence[PutOp], writer: Writer) -> None:
        """Let the index of a namespace have what this process wrote last.

        One that lacks an earlier write stays behind, and catches up when it is asked.
        """
        held = self._held.get(source.where)
        if held is None or held.version is None:
            return
        epoch, seen = held.version
        if seen.get(writer.id, 0) != writer.count - 1:
            return
        values = {put.key: put.value for put in puts if put.value}
        if puts:
            self._apply(source, held, [put.key for put in puts if put.value is None], values)
        held.version = Version(epoch, {**seen, writer.id: writer.count})
        self.remember(source.where, {key: Unread(value) for key, value in values.items()})

    def _current(self, where: Where, version: Version) -> "NamespaceIndex | None":
        held = self._held.get(where)
        if held is None or held.version != version:
            return None
        with self._lock:
            if where in self._held:
                self._held.move_to_end(where)
        return held.index

    async def _load(self, source: IndexSource, version: Version | None) -> "NamespaceIndex":
        """Read what was written since the index was made, or everything if that is unknown."""
        gateway, namespace = source.gateway, source.namespace
        version = version or await source.version()
        held = self._held.get(source.where)
        changed = None
        if held is not None and held.version is not None:
            changed = await changed_since(gateway, namespace, held.version, version)
        if held is None or changed is None:
            held = _Held(gateway.store, source.new_index())
            self._forget_records(source.where)
        gone = changed or set()
        # What is written in between is applied twice rather than never.
        async for items in _items(gateway, namespace, changed):
            gone = gone - {item.key for item in items}
            while items:
                self._apply(source, held, (), {item.key: item.value for item in items[:_BATCH]})
                del items[:_BATCH]  # memory is short while a large namespace is read
                await asyncio.sleep(0)
        if gone:
            self._apply(source, held, gone, {})
        held.version = version
        self._keep(source.where, held)
        return held.index

    def _apply(
        self,
        source: IndexSource,
        held: _Held,
        gone: Iterable[str],
        values: Mapping[str, Value],
    ) -> None:
        removed = [*gone]
        with self._lock:
            for key in (*removed, *values):
                self._records.pop((source.where, key), None)
            held.index.remove(removed)
            held.index.upsert(source.documents(values))

    def _keep(self, where: Where, held: _Held) -> None:
        with self._lock:
            self._held[where] = held
            self._held.move_to_end(where)
            others = [each for each in self._held if each[1][:-1] != where[1][:-1]]
            while others and self._is_full():
                gone = others.pop(0)
                del self._held[gone]
                self._forget_records(gone)

    def _forget_records(self, where: Where) -> None:
        for each in [each for each in list(self._records) if each[0] == where]:
            self._records.pop(each, None)

    def _is_full(self) -> bool:
        items = sum(len(held.index) for held in self._held.values())
        return items > self.max_items or len(self._held) > _MAX_INDEXES


async def _items(
    gateway: Gateway, namespace: tuple[str, ...], changed: set[str] | None
) -> AsyncIterator[list[Item]]:
    """Yield the items that changed, or all; many in parts, being larger than their index."""
    if changed is not None:
        yield await gateway.get(namespace, sorted(changed))
    elif gateway.searches and await gateway.count(namespace, _BATCH + 1) > _BATCH:
        keys = await gateway.keys(namespace)
        for start in range(0, len(keys), _BATCH):
            yield await gateway.get(namespace, keys[start : start + _BATCH])
    else:
        yield [*await gateway.scan(namespace, timeout_s=_LONGEST_LOAD_S)]


async def _finish(task: "asyncio.Task[NamespaceIndex]", timeout_s: float) -> None:
    await asyncio.wait({task}, timeout=timeout_s)
    if not task.done():
        raise StoreUnavailableError(
            f"Reading memory takes more than {timeout_s:g} s; it continues for the next turn."
        )


@cache
def shared_indexes(max_items: int, embedder: str) -> IndexCache:
    """Return this process's indexes of an embedder's vectors; another's are not comparable."""
    return IndexCache(max_items)
