"""The items of one namespace: written, read, indexed in this process, and searched."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import uuid4

from langgraph.store.base import BaseStore, Item, PutOp, SearchItem

from memory_graph.embedding import Embedder
from memory_graph.errors import (
    EmbedderUnavailableError,
    RecordNotFoundError,
    StoreUnavailableError,
)
from memory_graph.policies import RankingWeights
from memory_graph.records import Record, Signal
from memory_graph.store.gateway import Gateway
from memory_graph.store.values import (
    Document,
    Kind,
    Query,
    Sought,
    Value,
    candidate_documents,
    decode,
    documents,
    embedding_of,
    encode,
    unpack,
)

if TYPE_CHECKING:
    from memory_graph.store.index import NamespaceIndex


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


SMALL = 100
"""Up to so many items, all of them are read at once: they stay for the next search. A limit: in one
run on Postgres reading 200 took as long as searching them."""


_COMES_BACK_S = (15.0, 1800.0)
"""Seconds after the first search of a namespace in which another one shows that its user is back:
not those of the same turn, nor those of somebody who is as good as new."""


_MAX_SEEN = 10_000


_MOST_WORDS = 64


_MAX_INDEXES = 1000


_LONGEST_LOAD_S = 300


_BATCH = 1000
"""How many items are indexed before others get their turn on the event loop."""


TOKENS = "revisions"
"""Last part of the namespace that tells what changed in a user's others."""


_EPOCH = "epoch"
"""The token of the feed: who knows another one reads everything again."""


_FEED = "change:"
"""Begins the keys of the feed's entries: one per write, with the keys it changed."""


_FEED_LENGTH = 256
"""How many entries the feed has before it starts anew, on average."""


_MOST_KEYS = 200
"""A write that changes more is not worth listing."""


_INDEXED = ("facts", "episodes", "patterns", "turns")
"""The kinds that are searched."""


_OPAQUE = "turns"
"""The kind whose keys are hashes; other keys tell what a memory is about."""


Decode = Callable[[Mapping[str, Value]], Iterable[Document]]


async def revision_puts(gateway: Gateway, puts: Sequence[PutOp]) -> list[PutOp]:
    """Return the writes that tell other processes what `puts` of one user changed.

    The token of a namespace says that it changed, the feed says what. Reading it needs neither
    a clock nor an order: an index applies the entries that it has not applied yet. The feed
    starts anew now and then, so that it stays short, and with whatever deletes a memory, so that
    nothing of it is left.
    """
    if not puts:
        return []
    tokens = _tokens(puts[0].namespace)
    labels = sorted({put.namespace[-1] for put in puts})
    changed = [_token(tokens, label) for label in labels]
    entry = uuid4()
    if entry.int % _FEED_LENGTH == 0 or _wants_a_new_feed(puts):
        return [*changed, *await new_feed(gateway, tokens[:-1])]
    keys = {
        label: sorted(put.key for put in puts if put.namespace[-1] == label) for label in labels
    }
    return [*changed, PutOp(tokens, f"{_FEED}{entry.hex}", {"keys": keys}, index=False)]


async def new_feed(gateway: Gateway, root: tuple[str, ...]) -> list[PutOp]:
    """Return the writes after which a user's feed names nothing, and everybody reads anew."""
    tokens = (*root, TOKENS)
    feed = [item.key for item in await gateway.scan(tokens) if item.key.startswith(_FEED)]
    return [_token(tokens, _EPOCH), *(PutOp(tokens, key, None) for key in feed)]


def _wants_a_new_feed(puts: Sequence[PutOp]) -> bool:
    """Say whether too much changes to be listed, or something goes that must leave no trace.

    Old turns that make room for new ones may be listed: nobody asked to forget them.
    """
    written = {put.namespace[-1] for put in puts if put.value is not None}
    gone = {put.namespace[-1] for put in puts if put.value is None}
    return bool(gone - (written & {_OPAQUE})) or len(puts) > _MOST_KEYS


def _token(namespace: tuple[str, ...], key: str) -> PutOp:
    return PutOp(namespace, key, {"token": uuid4().hex}, index=False)


@dataclass
class Marks:
    """What tells that a user's namespaces changed, as one step of a turn found it.

    A step looks once, whichever kinds it searches, and again after it has written or has waited
    for a lock. Whoever lives longer than a step keeps none, and looks every time.
    """

    keeps: bool = False
    sizes: dict[str, int] = field(default_factory=dict)
    """How many items kinds have that are not indexed here."""

    _tokens: dict[str, str] | None = None
    _feed: list[SearchItem] | None = None
    _records: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def forget(self) -> None:
        """Look again the next time."""
        self._tokens = self._feed = None
        self._records.clear()

    def records(self, namespace: tuple[str, ...]) -> dict[str, Any]:
        """Return the records of a namespace that this step has read, by id."""
        return self._records.setdefault(namespace, {}) if self.keeps else {}

    async def tokens(self, gateway: Gateway, namespace: tuple[str, ...]) -> dict[str, str]:
        """Return what changes with every write to a namespace."""
        async with self._alone():
            found = self._tokens
            if found is None:
                found = await _read_tokens(gateway, namespace[:-1])
                self._tokens = found if self.keeps else None
        return {key: found[key] for key in (namespace[-1], _EPOCH) if key in found}

    async def feed(self, gateway: Gateway, namespace: tuple[str, ...]) -> list[SearchItem]:
        """Return the entries that tell what changed in a user's namespaces."""
        async with self._alone():
            found = self._feed
            if found is None:
                found = await gateway.scan(_tokens(namespace))
                self._feed = found if self.keeps else None
        return found

    def _alone(self) -> AbstractAsyncContextManager[object]:
        """Let searches of several kinds that a step begins together look once for all."""
        return self._looking if self.keeps else nullcontext()

    async def feed_and_items(
        self, gateway: Gateway, namespace: tuple[str, ...]
    ) -> tuple[list[SearchItem], list[Item]]:
        """Return the feed, and everything in a namespace, which is read after it."""
        wanted = [_tokens(namespace), namespace] if self._feed is None else [namespace]
        *feed, items = await gateway.scan_all(wanted, _LONGEST_LOAD_S)
        found = feed[0] if feed else self._feed or []
        self._feed = found if self.keeps else None
        return found, [*items]


@dataclass(frozen=True)
class _Source:
    """Where the items of an index come from, and how they are read."""

    gateway: Gateway
    namespace: tuple[str, ...]
    decode: Decode
    new_index: Callable[[], "NamespaceIndex"]
    marks: Marks


@dataclass
class _Held:
    store: BaseStore
    index: "NamespaceIndex"
    tokens: dict[str, str] = field(default_factory=dict)
    applied: frozenset[str] = frozenset()
    """The entries of the feed that the index has."""


@dataclass
class IndexCache:
    """The namespaces this process has indexed, least recently used evicted first."""

    max_items: int
    _held: OrderedDict[Where, _Held] = field(default_factory=OrderedDict)
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

    def begin(self, source: _Source) -> None:
        """Make the index of a namespace in the background, unless that is under way."""
        where = (id(source.gateway.store), source.namespace)
        marks = Marks()

        async def load() -> "NamespaceIndex":
            tokens = await marks.tokens(source.gateway, source.namespace)
            return await self._load(replace(source, marks=marks), tokens)

        self._loads.begin(where, load)

    def holds(self, store: BaseStore, namespace: tuple[str, ...], most: int) -> bool:
        """Say whether an index of at most `most` items is held of a namespace."""
        held = self._held.get((id(store), namespace))
        return held is not None and len(held.index) <= most

    def sizes(self, store: BaseStore, root: tuple[str, ...]) -> dict[str, int]:
        """Return how many items of each of a user's namespaces this process has indexed."""
        return {
            namespace[-1]: len(held.index)
            for (owner, namespace), held in list(self._held.items())
            if owner == id(store) and namespace[:-1] == root
        }

    async def fresh(self, source: _Source) -> "NamespaceIndex":
        """Return the index of a namespace, brought up to date with the store.

        Raises:
            StoreUnavailableError: If that takes too long; it is ready for a later call.
        """
        gateway, namespace = source.gateway, source.namespace
        tokens = await source.marks.tokens(gateway, namespace)
        where = (id(gateway.store), namespace)
        if (index := self._current(where, tokens)) is not None:
            return index
        # A read that began earlier may have missed a write that the tokens tell of.
        await self._loads.settle(where, gateway.scan_timeout_s)
        if (index := self._current(where, tokens)) is not None:
            return index
        return await self._loads.run(
            where, lambda: self._load(source, tokens), gateway.scan_timeout_s
        )

    def follow(self, source: _Source, puts: Sequence[PutOp], entry: str) -> None:
        """Let the index of a namespace have what this process wrote, as an entry of the feed says.

        Whoever has read that entry from the feed has it, and perhaps a later one.
        """
        held = self._held.get((id(source.gateway.store), source.namespace))
        if held is None or entry in held.applied:
            return
        with self._lock:
            held.index.remove([put.key for put in puts if put.value is None])
            held.index.upsert(source.decode({put.key: put.value for put in puts if put.value}))
            held.applied |= {entry}

    def _current(self, where: Where, tokens: dict[str, str]) -> "NamespaceIndex | None":
        held = self._held.get(where)
        if held is None or held.tokens != tokens:
            return None
        with self._lock:
            if where in self._held:
                self._held.move_to_end(where)
        return held.index

    async def _load(self, source: _Source, tokens: dict[str, str]) -> "NamespaceIndex":
        """Read what the feed says has changed, or everything if it says too little."""
        gateway, namespace = source.gateway, source.namespace
        where = (id(gateway.store), namespace)
        held = self._held.get(where)
        gone: set[str] = set()
        items: list[Item]
        # The feed first: what is written in between is then applied twice rather than never.
        if held is None or held.tokens.get(_EPOCH) != tokens.get(_EPOCH):
            held = _Held(gateway.store, source.new_index())
            feed, items = await source.marks.feed_and_items(gateway, namespace)
        else:
            feed = await source.marks.feed(gateway, namespace)
            changed = _changed(feed, namespace[-1], held.applied)
            items = await gateway.get(namespace, sorted(changed))
            gone = changed - {item.key for item in items}
        with self._lock:
            held.index.remove(gone)
        while items:
            with self._lock:
                held.index.upsert(source.decode({i.key: i.value for i in items[:_BATCH]}))
            del items[:_BATCH]  # memory is short while a large namespace is read
            await asyncio.sleep(0)
        with self._lock:
            held.tokens, held.applied = tokens, frozenset(item.key for item in feed)
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
def shared_indexes(max_items: int, embedder: str) -> IndexCache:
    """Return this process's indexes of an embedder's vectors; another's are not comparable."""
    return IndexCache(max_items)


async def _read_tokens(gateway: Gateway, root: tuple[str, ...]) -> dict[str, str]:
    items = await gateway.get((*root, TOKENS), [*_INDEXED, _EPOCH])
    return {item.key: str(item.value["token"]) for item in items}


def _tokens(namespace: tuple[str, ...]) -> tuple[str, ...]:
    return (*namespace[:-1], TOKENS)


def _changed(feed: Sequence[Item], label: str, applied: frozenset[str]) -> set[str]:
    """Return the keys of a kind that entries tell of which an index has not applied."""
    new = (item for item in feed if item.key.startswith(_FEED) and item.key not in applied)
    return {str(key) for item in new for key in item.value["keys"].get(label, ())}


R = TypeVar("R", bound=Record)


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found(Generic[R]):
    """A record that matched a query, and the parts of its score."""

    record: R
    score: float
    parts: dict[str, float]
    relevance: float = 0.0
    """How well it fits what was asked, 0–1, whatever else ranks it."""

    words: float = 0.0
    """The share of the question's words, by rarity, that it has itself."""

    meaning: float = 0.0
    """How alike it is in meaning, 0–1."""


@dataclass(frozen=True)
class Scope:
    """One user's part of a store."""

    gateway: Gateway
    root: tuple[str, ...]
    embedder: Embedder
    indexes: IndexCache
    weights: RankingWeights
    largest: int = 20_000
    """Namespaces with more items are searched by the store, where it can."""

    marks: Marks = field(default_factory=Marks, compare=False)

    @property
    def may_lack_vectors(self) -> bool:
        """Whether records may have been saved without a vector, as far as this process knows."""
        return (id(self.gateway.store), self.root) not in _whole

    def without_vectors(self) -> None:
        """Remember that a record may have been saved without a vector."""
        _whole.discard((id(self.gateway.store), self.root))

    def all_have_vectors(self) -> None:
        """Remember that none of the records lacks its vector."""
        if len(_whole) >= _MOST_WHOLE:
            _whole.clear()
        _whole.add((id(self.gateway.store), self.root))


_whole: set[Where] = set()
"""The users of whom this process knows that no record lacks its vector."""


_MOST_WHOLE = 10_000


@dataclass(frozen=True)
class Near(Generic[R]):
    """A record, how close it is in meaning (0–1, calibrated), and by which vector."""

    record: R
    similarity: float
    vector: Sequence[float] = field(repr=False)


@dataclass(frozen=True)
class RecordCollection(Generic[R]):
    """One user's records of one kind. The namespace is fixed when this is built."""

    scope: Scope
    kind: Kind[R]

    @property
    def namespace(self) -> tuple[str, ...]:
        """Where these records are kept."""
        return (*self.scope.root, self.kind.label)

    async def get(self, record_id: str) -> R:
        """Return one record.

        Raises:
            RecordNotFoundError: If this user has no such record.
        """
        found = await self.find([record_id])
        if record_id not in found:
            raise RecordNotFoundError(self.kind.name, record_id)
        return found[record_id]

    async def find(self, record_ids: Iterable[str]) -> dict[str, R]:
        """Return those of the records that exist, by id."""
        keys = [key for key in dict.fromkeys(record_ids) if key]
        known: dict[str, R] = self.scope.marks.records(self.namespace)
        unread = [key for key in keys if key not in known]
        items = await self.scope.gateway.get(self.namespace, unread)
        read = {item.key: record for item in items if (record := decode(self.kind, item))}
        known.update(read)
        return {key: record for key in keys if (record := read.get(key) or known.get(key))}

    async def all(self, *, where: dict[str, object] | None = None) -> list[R]:
        """Return every record, in no particular order."""
        items = await self.scope.gateway.scan(self.namespace, where=where)
        return [record for item in items if (record := decode(self.kind, item))]

    async def puts(self, records: Sequence[R], now: datetime) -> list[PutOp]:
        """Return the writes that save `records`, embedded as they are now."""
        searched = [record for record in records if self.kind.is_searched(record)]
        embedded = await self._embed([self.kind.text(record) for record in searched])
        vectors = {id(record): each for record, each in zip(searched, embedded, strict=True)}
        return [
            PutOp(
                self.namespace,
                self.kind.record_id(record),
                encode(self.kind, record, now, embedding_of(vector, self.scope.embedder)),
                index=["text"] if vector else False,
            )
            for record in records
            for vector in [vectors.get(id(record))]
        ]

    def deletions(self, record_ids: Iterable[str]) -> list[PutOp]:
        """Return the writes that delete records."""
        return [PutOp(self.namespace, record_id, None) for record_id in record_ids]

    async def search(self, query: Query, limit: int) -> list[Found[R]]:
        """Return the best matches, best first, each with the parts of its score."""
        if await self._is_cold():
            index, query = await self._candidates(query)
        else:
            index = await self._index()
        found = await self._read(index, lambda: {h.key: h for h in index.search(query, limit)})
        return [
            Found(record, hit.score, _by_name(hit.parts), hit.relevance, hit.words, hit.meaning)
            for record, hit in found
        ]

    async def latest(self, limit: int) -> list[R]:
        """Return the records of the latest date, newest first."""
        if await self._is_cold():
            keys = await self.scope.gateway.latest(self.namespace, limit)
            known = await self.find(keys)
            return [known[key] for key in keys if key in known]
        index = await self._index()
        found = await self._read(index, lambda: dict.fromkeys(index.latest(limit)))
        return [record for record, _ in found]

    async def similar(self, text: str, limit: int) -> list[tuple[R, float]]:
        """Return the records closest in meaning, each with its calibrated similarity (0–1)."""
        return [(each.record, each.similarity) for each in await self.near(text, limit)]

    async def near(self, text: str, limit: int) -> list[Near[R]]:
        """Return the records closest in meaning, each with its stored vector."""
        [vector] = await self._embed([text])
        if vector is None:
            return []
        if await self._is_cold():
            return await self._near(vector, limit)
        index = await self._index()
        found = await self._read(index, lambda: dict(index.nearest(vector, limit)))
        stored = index.vectors(self.kind.record_id(record) for record, _ in found)
        scale = self.scope.embedder.scale
        return [
            Near(record, scale.similarity(cosine), stored[self.kind.record_id(record)])
            for record, cosine in found
        ]

    async def version(self) -> Mapping[str, str]:
        """Return what is another one after every write of any process."""
        return await self.scope.marks.tokens(self.scope.gateway, self.namespace)

    async def may_exceed(self, most: int) -> bool:
        """Say whether there may be more records than so many, without reading them."""
        if await self._is_cold():
            return await self.scope.gateway.count(self.namespace, most + 1) > most
        return len(await self._index()) > most

    async def speakers(self) -> list[str]:
        """Return who said something here, by the names that records give, case-folded."""
        if await self._is_cold():
            names = await self.scope.gateway.distinct(self.namespace, "speaker")
            return [*dict.fromkeys(name.casefold() for name in names)]
        return (await self._index()).speakers()

    async def continuing(self, record_ids: Collection[str]) -> list[str]:
        """Return the ids of the records that continue one of these."""
        if await self._is_cold():
            scans = [
                self.scope.gateway.scan(self.namespace, where={"parent": each})
                for each in record_ids
            ]
            return [item.key for found in await asyncio.gather(*scans) for item in found]
        return (await self._index()).continuing(record_ids)

    async def _is_cold(self) -> bool:
        """Say whether the store is to search these records, since this process has no index.

        It is made in the background for a user who comes back.
        """
        scope = self.scope
        if not self.kind.in_store or not scope.gateway.searches:
            return False
        where = (id(scope.gateway.store), self.namespace)
        if scope.indexes.holds(scope.gateway.store, self.namespace, scope.largest):
            return False
        size = scope.marks.sizes.get(self.kind.label)
        if size is None:
            size = await scope.gateway.count(self.namespace, scope.largest + 1)
            if scope.marks.keeps:
                scope.marks.sizes[self.kind.label] = size
        if size <= SMALL:
            return False
        if size <= scope.largest and scope.indexes.comes_back(where):
            scope.indexes.begin(self._source)
        return True

    async def _candidates(self, query: Query) -> "tuple[NamespaceIndex, Query]":
        """Return an index of what the store chose, and the query with the store's cosines."""
        from memory_graph.language.sentences import without_names  # noqa: PLC0415
        from memory_graph.language.words import words_of  # noqa: PLC0415
        from memory_graph.store.index import NamespaceIndex  # noqa: PLC0415 — brings numpy

        asked = without_names(f"{query.text} {query.topic}", query.voices.participants)
        sought = Sought(
            words=tuple(dict.fromkeys(words_of(asked)))[:_MOST_WORDS],
            vector=query.vector,
            window=query.window,
        )
        chosen = await self.scope.gateway.candidates(self.namespace, sought)
        index = NamespaceIndex(self.scope.embedder.scale, chosen.statistics)
        index.upsert(candidate_documents(self.kind, chosen))
        cosines = chosen.cosines if query.vector is not None else None
        return index, replace(query, cosines=cosines)

    async def _near(self, vector: Sequence[float], limit: int) -> list[Near[R]]:
        """Return the records closest in meaning, as the store finds them."""
        scope = self.scope
        sought = Sought(vector=vector, near=limit, told=0, latest=0)
        chosen = (await scope.gateway.candidates(self.namespace, sought)).cosines
        best = sorted(chosen, key=lambda key: -chosen[key])[:limit]
        items = {item.key: item for item in await scope.gateway.get(self.namespace, best)}
        known = [items[key] for key in best if key in items]
        vectors = unpack([item.value for item in known], scope.embedder.name, scope.embedder.dims)
        return [
            Near(record, scope.embedder.scale.similarity(chosen[item.key]), stored.tolist())
            for item, stored in zip(known, vectors, strict=True)
            if stored is not None and (record := decode(self.kind, item))
        ]

    @property
    def _source(self) -> _Source:
        scope = self.scope
        return _Source(scope.gateway, self.namespace, self._documents, self._new_index, scope.marks)

    async def _read(
        self, index: "NamespaceIndex", choose: Callable[[], Mapping[str, T]]
    ) -> list[tuple[R, T]]:
        """Return the records that are chosen from the index, each with what was found out.

        What turns out to be unreadable, or gone, takes no other's place: it leaves the index,
        and the choice is made again.
        """
        while True:
            chosen = choose()
            records = await self.find(chosen)
            if chosen.keys() <= records.keys():
                return [(records[key], what) for key, what in chosen.items()]
            index.remove([key for key in chosen if key not in records])

    async def _index(self) -> "NamespaceIndex":
        """Return the index of all records, brought up to date."""
        return await self.scope.indexes.fresh(self._source)

    def _new_index(self) -> "NamespaceIndex":
        from memory_graph.store.index import NamespaceIndex  # noqa: PLC0415 — brings numpy

        return NamespaceIndex(self.scope.embedder.scale)

    async def _embed(self, texts: Sequence[str]) -> Sequence[list[float] | None]:
        """Embed, or go on without: such a record is still found by its words."""
        try:
            return await self.scope.embedder.embed(texts)
        except EmbedderUnavailableError as error:
            logger.warning("Going on without vectors: %s", error)
            self.scope.without_vectors()
            return [None] * len(texts)

    def follow(self, puts: Sequence[PutOp], told: Sequence[PutOp]) -> None:
        """Keep up with what this process has just written, and told other processes."""
        own = [put for put in puts if put.namespace == self.namespace]
        entry = next((put.key for put in told if put.key.startswith(_FEED) and put.value), None)
        if own and entry:
            self.scope.indexes.follow(self._source, own, entry)

    def _documents(self, values: Mapping[str, Value]) -> Iterable[Document]:
        return documents(self.kind, values, self.scope.embedder)


def _by_name(parts: Mapping[Signal, float]) -> dict[str, float]:
    return {str(signal): added for signal, added in parts.items()}
