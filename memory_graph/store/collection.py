"""The items of one namespace: write, read, index in this process, and search them."""

import asyncio
import logging
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from langgraph.store.base import PutOp

from memory_graph.embedding import Embedder
from memory_graph.errors import EmbedderUnavailableError, RecordNotFoundError
from memory_graph.language.voices import without_names
from memory_graph.language.words import words_of
from memory_graph.policies import RankingWeights
from memory_graph.records import Record
from memory_graph.store.gateway import Gateway
from memory_graph.store.index import NamespaceIndex
from memory_graph.store.index_cache import IndexCache, IndexSource, Unread, Where
from memory_graph.store.revision import Marks, Version, Writer
from memory_graph.store.values import (
    Kind,
    Query,
    Sought,
    candidate_documents,
    decode,
    documents,
    embedding_of,
    encode,
    unpack,
)

if TYPE_CHECKING:
    from memory_graph.store.values import Vector


T = TypeVar("T")

_MOST_WORDS = 64

_SMALL = 200
"""Up to how many items a namespace is read rather than searched by the store: on Postgres that
takes as long, and it then stays indexed."""

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

    outdone: int | None = None
    """How many other questions it is closer to in meaning, where that is known."""


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

    def writer(self, *, anew: bool = False) -> Writer:
        """Return this process as a writer of the user's memory; a forked one is somebody else."""
        store, writers = self.gateway.store, self.indexes.writers
        where = (os.getpid(), id(store), self.root)
        known = None if anew else writers.get(where)
        return writers.put(where, known or (store, Writer()))[1]

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
    vector: "Vector" = field(repr=False)


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
        return await self._stored(record_ids)

    async def _stored(self, record_ids: Iterable[str]) -> dict[str, R]:
        """Return those of the records that exist as they are stored, or held as such."""
        keys = [key for key in dict.fromkeys(record_ids) if key]
        known: dict[str, R] = self.scope.marks.records(self.namespace)
        missing = [key for key in keys if key not in known]
        version = await self._held_version() if missing else None
        held = self._known(missing) if version else {}
        unread = [key for key in missing if key not in held]
        items = await self.scope.gateway.get(self.namespace, unread)
        read = {item.key: record for item in items if (record := decode(self.kind, item.value))}
        where, indexes = self._source.where, self.scope.indexes
        if version and indexes.is_current(where, version):  # no write came in between
            indexes.remember(where, read)
        known.update(held | read)
        found = known | held | read
        return {key: found[key] for key in keys if key in found}

    async def _held_version(self) -> Version | None:
        """Return the version of the index that this process holds, if that is the latest."""
        source, indexes = self._source, self.scope.indexes
        if not indexes.holds(source.where, self.scope.largest):
            return None
        version = await source.version()
        return version if indexes.is_current(source.where, version) else None

    def _known(self, keys: Iterable[str]) -> dict[str, R]:
        """Return the records that are held as the index of their namespace knows them."""
        where, indexes = self._source.where, self.scope.indexes
        records = indexes.known(where, keys)
        own = {
            key: decode(self.kind, each.value)
            for key, each in records.items()
            if isinstance(each, Unread)
        }
        if own:
            indexes.remember(where, own)
        return {key: record for key, record in (records | own).items() if record}

    async def all(self, *, where: dict[str, object] | None = None) -> list[R]:
        """Return every record, in no particular order."""
        items = await self.scope.gateway.scan(self.namespace, where=where)
        return [record for item in items if (record := decode(self.kind, item.value))]

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
        by_words = query.vector is None  # while the embedder is down, words stand for meaning
        return [
            Found(
                record,
                hit.score,
                {str(signal): added for signal, added in hit.parts.items()},
                hit.relevance,
                hit.words,
                hit.words if by_words else hit.meaning,
                hit.outdone,
            )
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

    async def version(self) -> Version:
        """Return what is another one after every write of any process."""
        return await self._source.version()

    async def speakers(self) -> list[str]:
        """Return who said something here, by the names that records give, case-folded."""
        if await self._is_cold():
            names = await self.scope.gateway.tally(self.namespace, ("speaker",), {})
            return sorted({name.casefold() for (name,) in names})
        return (await self._index()).speakers()

    async def tally(
        self, facets: Sequence[str], *, where: Mapping[str, object]
    ) -> Mapping[tuple[str, ...], int]:
        """Return how many records have each combination of facets.

        `where` says which records have facets, for a store that has to look for them itself.
        """
        if await self._is_cold():
            return await self.scope.gateway.tally(self.namespace, facets, where)
        return (await self._index()).tally(facets)

    async def having(self, facet: str, values: Collection[str]) -> list[str]:
        """Return the ids of the records of which a facet has one of these values."""
        if await self._is_cold():
            scan = self.scope.gateway.scan
            scans = [scan(self.namespace, where={facet: each}) for each in values]
            return [item.key for found in await asyncio.gather(*scans) for item in found]
        return (await self._index()).having(facet, values)

    async def listing(
        self, where: Mapping[str, object] | None = None, **named: str
    ) -> Mapping[str, Mapping[str, str]]:
        """Return what is listed of the records that have these values, by id.

        `where` narrows down what a store that has to look for them itself returns.
        """
        if await self._is_cold():
            sought = {**(where or {}), **named}
            items = await self.scope.gateway.scan(self.namespace, where=sought)
            return {i.key: each for i in items if (each := self.kind.fields(i.value)["listed"])}
        return (await self._index()).listing(named)

    async def _is_cold(self) -> bool:
        """Say whether the store is to search these records, since this process has no index.

        It is made in the background for a user who comes back.
        """
        scope = self.scope
        if not self.kind.in_store or not scope.gateway.searches:
            return False
        where = self._source.where
        if scope.indexes.holds(where, scope.largest):
            return False
        size = scope.marks.sizes.get(self.kind.label)
        if size is None:
            size = await scope.gateway.count(self.namespace, scope.largest + 1)
            if scope.marks.keeps:
                scope.marks.sizes[self.kind.label] = size
        if size <= _SMALL:
            return False
        if size <= scope.largest and scope.indexes.comes_back(where):
            scope.indexes.begin(self._source)
        return True

    async def _candidates(self, query: Query) -> "tuple[NamespaceIndex, Query]":
        """Return an index of what the store chose, and the query with the store's cosines."""
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
            Near(record, scope.embedder.scale.similarity(chosen[item.key]), stored)
            for item, stored in zip(known, vectors, strict=True)
            if stored is not None and (record := decode(self.kind, item.value))
        ]

    @property
    def _source(self) -> IndexSource:
        scope = self.scope
        return IndexSource(
            scope.gateway,
            self.namespace,
            lambda values: documents(self.kind, values, scope.embedder),
            lambda: NamespaceIndex(scope.embedder.scale),
            scope.marks,
        )

    async def _read(
        self, index: "NamespaceIndex", choose: Callable[[], Mapping[str, T]]
    ) -> list[tuple[R, T]]:
        """Return the records that are chosen from the index, each with what was found out.

        What turns out to be unreadable, or gone, takes no other's place: it leaves the index,
        and the choice is made again.
        """
        while True:
            chosen = choose()
            records = self._known(chosen)
            if unread := [key for key in chosen if key not in records]:
                records |= await self._stored(unread)
            if chosen.keys() <= records.keys():
                return [(records[key], what) for key, what in chosen.items()]
            index.remove([key for key in chosen if key not in records])

    async def _index(self) -> "NamespaceIndex":
        """Return the index of all records, brought up to date."""
        return await self.scope.indexes.fresh(self._source)

    async def _embed(self, texts: Sequence[str]) -> Sequence[list[float] | None]:
        """Embed, or go on without: such a record is still found by its words."""
        try:
            return await self.scope.embedder.embed(texts)
        except EmbedderUnavailableError as error:
            logger.warning("Going on without vectors: %s", error)
            self.scope.without_vectors()
            return [None] * len(texts)

    def follow(self, puts: Sequence[PutOp], writer: Writer) -> None:
        """Keep up with what this process has just written."""
        own = [put for put in puts if put.namespace == self.namespace]
        self.scope.indexes.follow(self._source, own, writer)
