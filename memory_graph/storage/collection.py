"""How is one kind of record kept for one user, and found again?"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from langgraph.store.base import Item, PutOp

from memory_graph.embeddings import Embedder
from memory_graph.errors import RecordNotFoundError
from memory_graph.policy.ranking import RankingWeights, Signal
from memory_graph.records import Record
from memory_graph.storage.documents import Document, Query
from memory_graph.storage.freshness import IndexCache
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.kinds import Kind
from memory_graph.storage.large import find_candidates, is_large
from memory_graph.storage.values import decode, documents, embedding_of, encode

if TYPE_CHECKING:
    from memory_graph.storage.index import NamespaceIndex

logger = logging.getLogger(__name__)
R = TypeVar("R", bound=Record)
T = TypeVar("T")


@dataclass(frozen=True)
class Found(Generic[R]):
    """A record that matched a query, and the parts of its score."""

    record: R
    score: float
    parts: dict[str, float]
    relevance: float = 0.0
    """How well it fits what was asked, 0–1, whatever else ranks it."""


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


@dataclass(frozen=True)
class Collection(Generic[R]):
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
        keys = list(dict.fromkeys(record_ids))
        items = await self.scope.gateway.get(self.namespace, keys)
        return {item.key: record for item in items if (record := decode(self.kind, item))}

    async def all(self, *, where: dict[str, object] | None = None) -> list[R]:
        """Return every record, in no particular order."""
        items = await self.scope.gateway.scan(self.namespace, where=where)
        return [record for item in items if (record := decode(self.kind, item))]

    async def puts(self, records: Sequence[R], now: datetime) -> list[PutOp]:
        """Return the writes that save `records`, embedded as they are now."""
        texts = [self.kind.text(record) for record in records]
        vectors = await self._embed(texts)
        return [
            PutOp(
                self.namespace,
                self.kind.record_id(record),
                encode(self.kind, record, now, embedding_of(vector, self.scope.embedder)),
                index=["text"] if vector else False,
            )
            for record, vector in zip(records, vectors, strict=True)
        ]

    def deletions(self, record_ids: Iterable[str]) -> list[PutOp]:
        """Return the writes that delete records."""
        return [PutOp(self.namespace, record_id, None) for record_id in record_ids]

    async def search(self, query: Query, limit: int) -> list[Found[R]]:
        """Return the best matches, best first, each with the parts of its score."""
        index = await self._index(about=query.text)
        found = await self._read(index, lambda: {h.key: h for h in index.search(query, limit)})
        return [
            Found(record, hit.score, _by_name(hit.parts), hit.relevance) for record, hit in found
        ]

    async def latest(self, limit: int) -> list[R]:
        """Return the records of the latest date, newest first."""
        index = await self._index()
        found = await self._read(index, lambda: dict.fromkeys(index.latest(limit)))
        return [record for record, _ in found]

    async def similar(self, text: str, limit: int) -> list[tuple[R, float]]:
        """Return the records closest in meaning, each with its calibrated similarity (0–1)."""
        [vector] = await self._embed([text])
        if vector is None:
            return []
        index = await self._index(about=text)
        found = await self._read(index, lambda: dict(index.nearest(vector, limit)))
        scale = self.scope.embedder.scale
        return [(record, scale.similarity(cosine)) for record, cosine in found]

    async def is_large(self) -> bool:
        """Say whether there are too many records to be held in process."""
        gateway, most = self.scope.gateway, self.scope.largest
        if self.scope.indexes.holds(gateway.store, self.namespace, most):
            return False
        return await is_large(gateway, self.namespace, most)

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

    async def _index(self, *, about: str = "") -> "NamespaceIndex":
        """Return the index of all records; of too many, only of those that may be `about` it."""
        if about and await self.is_large():
            index = self._new_index()
            found = await find_candidates(self.scope.gateway, self.namespace, about)
            index.upsert(self._documents(found))
            return index
        return await self.scope.indexes.fresh(
            self.scope.gateway, self.namespace, self._documents, self._new_index
        )

    def _new_index(self) -> "NamespaceIndex":
        from memory_graph.storage.index import NamespaceIndex  # noqa: PLC0415 — brings numpy

        return NamespaceIndex(self.scope.embedder.scale)

    async def _embed(self, texts: Sequence[str]) -> Sequence[list[float] | None]:
        """Embed, or go on without: such a record is still found by its words."""
        try:
            return await self.scope.embedder.embed(texts)
        except (OSError, RuntimeError, ValueError) as error:
            logger.warning("Embedding failed (%s); saved without.", type(error).__name__)
            return [None] * len(texts)

    def _documents(self, items: Sequence[Item]) -> Iterable[Document]:
        return documents(self.kind, items, self.scope.embedder)


def _by_name(parts: Mapping[Signal, float]) -> dict[str, float]:
    return {str(signal): added for signal, added in parts.items()}
