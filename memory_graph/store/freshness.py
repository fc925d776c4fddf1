"""The indexes of this process, and how they learn what other processes wrote.

Every process counts its writes to each kind of a user's memory under an id of its own. No two
processes change the same item, and neither clocks nor an order are needed. A process that holds an
index compares the counters with those it has applied, and reads the keys of the writes in between.
"""

import asyncio
import os
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar
from uuid import uuid4

from langgraph.store.base import BaseStore, Item, PutOp

from memory_graph.errors import StoreUnavailableError
from memory_graph.store.backends.protocol import EVERYTHING, Guard, mark_in
from memory_graph.store.gateway import Gateway
from memory_graph.store.values import Document, Value

if TYPE_CHECKING:
    from memory_graph.store.index import NamespaceIndex

REVISIONS = "revisions"
"""Last part of the namespace that holds the counters; it is read in every step, and stays small."""

CHANGES = "changes"
"""Last part of the namespace that lists the keys of each write."""

_EPOCH, _ERASED, _WRITER = "epoch", "emptied", "writer:"

_LISTED = 24
"""Writes of one process to one kind that stay listed; who missed more reads the kind again."""

_MOST_KEYS = 200
"""A write that changes more is not worth listing."""

_MOST_WRITERS = 16
"""Processes come and go; with more of them the counters start anew."""

_MOST_USERS = 10_000
"""Users whose writes this process counts; of another one it begins again under a new id."""

_OPAQUE = "turns"
"""The kind whose keys are hashes; other keys tell what a memory is about."""

Version: TypeAlias = tuple[str, Mapping[str, int]]
"""The epoch and, by writer, how often a kind was written in it. Another one after every write."""


@dataclass(frozen=True)
class Erasure:
    """The last time a user's memory was erased, if ever.

    A write that began under another mark is older than what was forgotten. Marks are compared
    rather than times, since no two clocks agree; times only where nothing else is known.
    """

    mark: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Revision:
    """What a user's memory looked like from afar at one moment."""

    epoch: str = ""
    writers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    erasure: Erasure = field(default_factory=Erasure)

    def of(self, kind: str) -> Version:
        """Return the version of one kind of memory."""
        counted = {writer: counts.get(kind, 0) for writer, counts in self.writers.items()}
        return self.epoch, {writer: count for writer, count in counted.items() if count}


async def read_revision(gateway: Gateway, root: tuple[str, ...]) -> Revision:
    """Return what a user's memory looks like from afar now."""
    items = {item.key: item.value for item in await gateway.few((*root, REVISIONS))}
    return Revision(
        epoch=str(items.get(_EPOCH, {}).get("token", "")),
        writers={
            key.removeprefix(_WRITER): value
            for key, value in items.items()
            if key.startswith(_WRITER)
        },
        erasure=_erasure(items.get(_ERASED)),
    )


def _erasure(value: Mapping[str, Any] | None) -> Erasure:
    if not value:
        return Erasure()
    return Erasure(mark_in(value), datetime.fromisoformat(str(value["at"])))


def erasure_put(root: tuple[str, ...], now: datetime) -> PutOp:
    """Return the write that keeps the time at which a user's memory was erased."""
    value = {"at": now.isoformat(), "mark": uuid4().hex}
    return PutOp((*root, REVISIONS), _ERASED, value, index=False)


def erasure_guard(root: tuple[str, ...], mark: str) -> Guard:
    """Return what a write that began under a mark depends on."""
    return Guard((*root, REVISIONS), _ERASED, mark)


async def new_epoch(gateway: Gateway, root: tuple[str, ...]) -> list[PutOp]:
    """Return the writes after which no write is listed, and everybody reads anew."""
    counters, changes = (*root, REVISIONS), (*root, CHANGES)
    items = [item for found in await _scan(gateway, counters, changes) for item in found]
    gone = [item for item in items if item.key not in {_EPOCH, _ERASED}]
    return [
        PutOp(counters, _EPOCH, {"token": uuid4().hex}, index=False),
        *(PutOp(item.namespace, item.key, None) for item in gone),
    ]


async def _scan(gateway: Gateway, *namespaces: tuple[str, ...]) -> list[list[Item]]:
    return [[*each] for each in await gateway.scan_all(namespaces, gateway.scan_timeout_s)]


async def changed_since(
    gateway: Gateway, namespace: tuple[str, ...], old: Version, new: Version
) -> set[str] | None:
    """Return the keys that were written between two versions, or nothing if too much was."""
    (epoch, seen), (new_epoch, counts) = old, new
    missed = {writer: counts.get(writer, 0) - seen.get(writer, 0) for writer in {*seen, *counts}}
    if epoch != new_epoch or not all(0 <= gap <= _LISTED for gap in missed.values()):
        return None
    wanted = [
        _entry(writer, namespace[-1], counts[writer] - behind)
        for writer, gap in missed.items()
        for behind in range(gap)
    ]
    entries = await gateway.get((*namespace[:-1], CHANGES), wanted)
    if len(entries) < len(wanted):
        return None
    return {str(key) for entry in entries for key in entry.value["keys"]}


def _entry(writer: str, kind: str, number: int) -> str:
    return f"{writer}:{kind}:{number}"


@dataclass
class Writer:
    """One process as a writer of one user's memory."""

    id: str = field(default_factory=lambda: uuid4().hex[:16])
    counts: Counter[str] = field(default_factory=Counter)

    def announce(self, puts: Sequence[PutOp]) -> list[PutOp]:
        """Count a write, and return the writes that tell of it."""
        root = puts[0].namespace[:-1]
        told: list[PutOp] = []
        for kind in sorted({put.namespace[-1] for put in puts}):
            self.counts[kind] += 1
            number, changes = self.counts[kind], (*root, CHANGES)
            keys = sorted(put.key for put in puts if put.namespace[-1] == kind)
            told.append(PutOp(changes, _entry(self.id, kind, number), {"keys": keys}, index=False))
            if number > _LISTED:
                told.append(PutOp(changes, _entry(self.id, kind, number - _LISTED), None))
        counted = PutOp((*root, REVISIONS), f"{_WRITER}{self.id}", dict(self.counts), index=False)
        return [*told, counted]


@dataclass
class Writers:
    """This process as a writer, user by user."""

    _known: OrderedDict[tuple[int, int, tuple[str, ...]], tuple[BaseStore, Writer]] = field(
        default_factory=OrderedDict
    )

    def of(self, store: BaseStore, root: tuple[str, ...]) -> Writer:
        """Return who writes to a user's memory here; a forked process is somebody else."""
        where = (os.getpid(), id(store), root)
        if where not in self._known:
            self._known[where] = (store, Writer())
        self._known.move_to_end(where)
        writer = self._known[where][1]
        while len(self._known) > _MOST_USERS:
            self._known.popitem(last=False)
        return writer

    def check(self, store: BaseStore, root: tuple[str, ...], revision: Revision) -> None:
        """Begin under a new id where the counters were started anew by somebody else."""
        where = (os.getpid(), id(store), root)
        held = self._known.get(where)
        if held and held[1].counts and held[1].id not in revision.writers:
            del self._known[where]


def is_too_much(puts: Sequence[PutOp], revision: Revision | None) -> bool:
    """Say whether the counters are to start anew with a write.

    So they do when it is too large to be listed, or deletes what must leave no trace. Old turns
    that make room for new ones may be listed: nobody asked to forget them.
    """
    written = {put.namespace[-1] for put in puts if put.value is not None}
    gone = {put.namespace[-1] for put in puts if put.value is None}
    is_crowded = revision is not None and len(revision.writers) > _MOST_WRITERS
    return bool(gone - (written & {_OPAQUE})) or len(puts) > _MOST_KEYS or is_crowded


@dataclass
class Marks:
    """A user's revision as one step of a turn found it, and the records the step has read.

    A step looks once, whichever kinds it searches, and again after it has written or has waited
    for a lock. Whoever lives longer than a step keeps nothing, and looks every time.
    """

    keeps: bool = False
    sizes: dict[str, int] = field(default_factory=dict)
    """How many items kinds have that are not indexed here."""

    began: str | None = None
    """The mark of the last erasure when the turn began, if what it writes depends on that."""

    last: Revision | None = None
    _records: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def forget(self) -> None:
        """Look again the next time."""
        self.last = None
        self._records.clear()

    def records(self, namespace: tuple[str, ...]) -> dict[str, Any]:
        """Return the records of a namespace that this step has read, by id."""
        return self._records.setdefault(namespace, {}) if self.keeps else {}

    async def revision(self, gateway: Gateway, root: tuple[str, ...]) -> Revision:
        """Return the revision of a user's memory; those who ask together look once."""
        if not self.keeps:
            return await read_revision(gateway, root)
        async with self._looking:
            found = self.last or await read_revision(gateway, root)
            self.last = found
            return found


T = TypeVar("T")

Where = tuple[int, tuple[str, ...]]
"""A store, by identity, and a namespace in it."""


@dataclass
class Loads(Generic[T]):
    """The reads under way in this process, one of a namespace at a time.

    They belong to no turn: one that runs out of time goes on without the memory, and the read
    continues for the next turn. Otherwise a namespace that takes longer to read than a turn
    may wait could never be searched.
    """

    _running: dict[Where, asyncio.Task[T]] = field(default_factory=dict)

    async def settle(self, where: Where, timeout_s: float) -> None:
        """Wait until no read is under way that began before this call."""
        if task := self._task(where):
            await _finish(task, timeout_s)

    async def run(
        self, where: Where, read: Callable[[], Coroutine[Any, Any, T]], timeout_s: float
    ) -> T:
        """Return what the read under way brings, or begin one.

        Raises:
            StoreUnavailableError: If it takes longer than `timeout_s`; it continues.
        """
        task = self.begin(where, read)
        await _finish(task, timeout_s)
        if task.cancelled():
            raise StoreUnavailableError("Reading memory was cancelled.")
        return task.result()

    def begin(self, where: Where, read: Callable[[], Coroutine[Any, Any, T]]) -> "asyncio.Task[T]":
        """Return the read under way, or begin one, and do not wait for it."""
        task = self._task(where)
        if task is None:
            task = asyncio.create_task(read())
            self._running[where] = task
            task.add_done_callback(lambda done: self._forget(where, done))
        return task

    def _task(self, where: Where) -> "asyncio.Task[T] | None":
        task = self._running.get(where)
        # A loop that was closed, or runs in another thread, cannot be waited for.
        return task if task and task.get_loop() is asyncio.get_running_loop() else None

    def _forget(self, where: Where, task: "asyncio.Task[T]") -> None:
        if self._running.get(where) is task:
            del self._running[where]
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not report it


async def _finish(task: "asyncio.Task[T]", timeout_s: float) -> None:
    await asyncio.wait({task}, timeout=timeout_s)
    if not task.done():
        raise StoreUnavailableError(
            f"Reading memory takes more than {timeout_s:g} s; it continues for the next turn."
        )


_COMES_BACK_S = (15.0, 1800.0)
"""Seconds after the first search of a namespace in which another one shows that its user is back:
not those of the same turn, nor those of somebody who is as good as new."""

_MAX_SEEN = 10_000

_MAX_INDEXES = 1000

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
        """Return what is another one after every write of any process to the namespace."""
        revision = await self.marks.revision(self.gateway, self.namespace[:-1])
        return revision.of(self.namespace[-1])


@dataclass
class _Held:
    store: BaseStore
    index: "NamespaceIndex"
    version: Version | None = None


class Unread(NamedTuple):
    """A record as it was stored."""

    value: Value


@dataclass
class Costs:
    """What reading and searching took in this process, to choose between them.

    A namespace that is read as fast as the store searches it is read: it then stays indexed.
    """

    search_s: float = 0.02
    item_s: float = 0.0001
    """Both begin as measured on Postgres on one machine; later ones count for a tenth each."""

    bounds: tuple[int, int] = (50, 1000)
    """How many items are always read, and how many at most. A limit: one slow read says little."""

    @property
    def small(self) -> int:
        """Up to how many items a namespace is read rather than searched by the store."""
        least, most = self.bounds
        return min(max(round(self.search_s / self.item_s), least), most)

    def searched(self, seconds: float) -> None:
        """Count one search by the store."""
        self.search_s += (seconds - self.search_s) / 10

    def read(self, items: int, seconds: float) -> None:
        """Count one read of a whole namespace; a small one tells only of the round trip."""
        if items >= self.bounds[0]:
            self.item_s += (max(seconds / items, 1e-6) - self.item_s) / 10


@dataclass(repr=False)  # it holds what everybody told, and one user's memory refers to it
class IndexCache:
    """The namespaces this process has indexed, least recently used evicted first.

    Those of the user whose memory is read stay: they would drive each other out.
    """

    max_items: int
    costs: Costs = field(default_factory=Costs)
    writers: Writers = field(default_factory=Writers)
    _held: OrderedDict[Where, _Held] = field(default_factory=OrderedDict)
    _records: OrderedDict[tuple[Where, str], Any] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _loads: "Loads[NamespaceIndex]" = field(default_factory=Loads)
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

    def begin(self, source: IndexSource) -> None:
        """Make the index of a namespace in the background, unless that is under way."""
        alone = replace(source, marks=Marks())

        async def load() -> "NamespaceIndex":
            return await self._load(alone, await alone.version())

        self._loads.begin(source.where, load)

    def holds(self, where: Where, most: int) -> bool:
        """Say whether an index of at most `most` items is held of a namespace."""
        held = self._held.get(where)
        return held is not None and len(held.index) <= most

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
        gateway, where = source.gateway, source.where
        version = await source.version()
        if (index := self._current(where, version)) is not None:
            return index
        # A read that began earlier may have missed a write that the version tells of.
        await self._loads.settle(where, gateway.scan_timeout_s)
        if (index := self._current(where, version)) is not None:
            return index
        return await self._loads.run(
            where, lambda: self._load(source, version), gateway.scan_timeout_s
        )

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
        count = writer.counts[source.namespace[-1]]
        if seen.get(writer.id, 0) != count - 1:
            return
        values = {put.key: put.value for put in puts if put.value}
        self._apply(source, held, [put.key for put in puts if put.value is None], values)
        held.version = (epoch, {**seen, writer.id: count})
        self.remember(source.where, {key: Unread(value) for key, value in values.items()})

    def _current(self, where: Where, version: Version) -> "NamespaceIndex | None":
        held = self._held.get(where)
        if held is None or held.version != version:
            return None
        with self._lock:
            if where in self._held:
                self._held.move_to_end(where)
        return held.index

    async def _load(self, source: IndexSource, version: Version) -> "NamespaceIndex":
        """Read what was written since the index was made, or everything if that is unknown."""
        gateway, namespace = source.gateway, source.namespace
        held = self._held.get(source.where)
        changed = None
        if held is not None and held.version is not None:
            changed = await changed_since(gateway, namespace, held.version, version)
        if held is None or changed is None:
            held = _Held(gateway.store, source.new_index())
        gone = changed or set()
        # What is written in between is applied twice rather than never.
        async for items in self._items(source, changed):
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

    async def _items(
        self, source: IndexSource, changed: set[str] | None
    ) -> AsyncIterator[list[Item]]:
        """Yield the items that changed, or all; many in parts, being larger than their index."""
        gateway, namespace = source.gateway, source.namespace
        if changed is not None:
            yield await gateway.get(namespace, sorted(changed))
            return
        if gateway.searches and await gateway.count(namespace, _BATCH + 1) > _BATCH:
            keys = await gateway.latest(namespace, EVERYTHING)
            for start in range(0, len(keys), _BATCH):
                yield await gateway.get(namespace, keys[start : start + _BATCH])
            return
        started = time.monotonic()
        items: list[Item] = [*await gateway.scan(namespace, timeout_s=_LONGEST_LOAD_S)]
        self.costs.read(len(items), time.monotonic() - started)
        yield items

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
                for each in [each for each in self._records if each[0] == gone]:
                    del self._records[each]

    def _is_full(self) -> bool:
        items = sum(len(held.index) for held in self._held.values())
        return items > self.max_items or len(self._held) > _MAX_INDEXES


@cache
def shared_indexes(max_items: int, embedder: str) -> IndexCache:
    """Return this process's indexes of an embedder's vectors; another's are not comparable."""
    return IndexCache(max_items)
