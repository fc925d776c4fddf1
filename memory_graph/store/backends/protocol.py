"""The protocol of all backends: what may differ from one kind of store to another.

A backend is a module beside this one with a `BACKEND`. It overrides what differs; the methods here
are right for a store about which nothing is known.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore, Op, PutOp, Result

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.values import Candidates, Sought, Statistics

Vectors = Literal["in process", "sqlite-vec", "pgvector"]

Namespace = tuple[str, ...]

EVERYTHING = 100_000
"""One large limit: paging is unreliable on the SQL stores, and the default of 10 truncates."""


FEW = 10_000
"""The limit of a namespace that is known to hold few items: they are read along with others."""


class Guard(NamedTuple):
    """What a write depends on: that an item still has this mark, or is not there if it is empty."""

    namespace: Namespace
    key: str
    mark: str


def mark_in(value: Mapping[str, object]) -> str:
    """Return the mark of an erasure; older ones are known by their time."""
    return str(value.get("mark") or value["at"])


class Backend(Protocol):
    """One kind of store. It has no state: every question is about the store it is given."""

    url_forms: ClassVar[tuple[str, ...]] = ()
    """The URLs that name it, as a person would write them; the part before `:` decides."""

    def owns(self, store: BaseStore) -> bool:
        """Say whether a store is of this kind. Must import no driver."""
        return False

    def open(self, url: str, embedder: Embedder) -> "AbstractAsyncContextManager[OpenedStore]":
        """Open the store at `url`, creating its tables if need be.

        Raises:
            ConfigurationError: If the URL names no such store.
        """
        raise ConfigurationError("Only the server that owns such a store can open it.")

    async def reach(self, url: str) -> None:
        """Raise why nobody answers at `url`, without waiting for a database that starts."""
        return

    def vectors(self, store: BaseStore) -> Vectors:
        """Say which vector index is searched: one of the store's, or the one in this process."""
        return "in process"

    async def fit_vectors(self, store: BaseStore) -> None:
        """Make the store's own vector index take the vectors of the embedder it was opened with.

        Vectors of another length are deleted.

        Raises:
            ConfigurationError: If the index also holds vectors of another application.
        """
        return

    async def without_vectors(self, store: BaseStore, namespace: Namespace) -> set[str]:
        """Return the keys of the items that the store's own vector index does not hold."""
        return set()

    def event_loop(self, store: BaseStore) -> asyncio.AbstractEventLoop | None:
        """Return the only event loop on which the store answers, if there is one."""
        return framework.event_loop_of(store)

    async def batch(self, store: BaseStore, ops: Sequence[Op]) -> list[Result]:
        """Run operations of one batch; the writes of a batch happen together or not at all."""
        return await store.abatch(ops)

    def answers_at_once(self, store: BaseStore) -> bool:
        """Say whether `store.batch` neither waits nor fails; then nothing is retried."""
        return False

    def guards(self, store: BaseStore) -> bool:
        """Say whether `write_if` asks and writes at once. If not, the guard is read before."""
        return False

    async def write_if(self, store: BaseStore, guard: Guard, puts: Sequence[PutOp]) -> bool:
        """Write a batch if its guard holds; say whether it does."""
        return False

    def may_cancel(self, store: BaseStore) -> bool:
        """Say whether a batch may be cancelled. If not, it must run to its end."""
        return True

    def is_contention(self, error: BaseException) -> bool:
        """Say whether a batch failed only because of another writer, and changed nothing."""
        return False

    async def reconnect(self, store: BaseStore) -> None:
        """Drop connections that were lost, before a batch is tried again."""
        return

    async def clean_files(self, store: BaseStore) -> None:
        """Leave no copy of what was deleted in files that the store writes beside its own."""
        return

    def locks_other_processes(self, store: BaseStore) -> bool:
        """Say whether `lock` excludes everybody who can write to the store."""
        return False

    def lock(self, store: BaseStore, number: int) -> AbstractAsyncContextManager[None]:
        """Hold the lock with this number (64 bits, signed) against other processes."""
        return nullcontext()

    def searches(self, store: BaseStore) -> bool:
        """Say whether the store itself can choose the candidates of a search.

        If so, `count`, `keys`, `candidates`, `latest` and `tally` answer for namespaces that are
        not indexed in this process. If not, the whole namespace is read and indexed first.
        """
        return False

    async def count(self, store: BaseStore, namespace: Namespace, most: int) -> int:
        """Return how many items a namespace has, counted up to `most`."""
        return 0

    async def candidates(
        self, store: BaseStore, namespace: Namespace, sought: Sought
    ) -> Candidates:
        """Return the items that may be among the best of a search, with those around them."""
        return Candidates({}, {}, Statistics(0, {}, 0.0))

    async def keys(self, store: BaseStore, namespace: Namespace) -> list[str]:
        """Return the keys of all items of a namespace."""
        return []

    async def latest(self, store: BaseStore, namespace: Namespace, limit: int) -> list[str]:
        """Return the keys of the items of the latest date, newest first."""
        return []

    async def tally(
        self,
        store: BaseStore,
        namespace: Namespace,
        names: Sequence[str],
        where: Mapping[str, object],
    ) -> dict[tuple[str, ...], int]:
        """Return how many items have each combination of fields, of those that fit `where`."""
        return {}


@dataclass(frozen=True)
class OpenedStore:
    """A store this process opened, with its checkpointer."""

    backend: Backend
    name: str
    store: BaseStore
    checkpointer: BaseCheckpointSaver[str]
    notes: tuple[str, ...] = ()
    """What is degraded, and how to fix it."""

    @property
    def vectors(self) -> Vectors:
        """Which vector index is searched."""
        return self.backend.vectors(self.store)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what caused it: stores wrap the errors of their drivers."""
    while error is not None:
        yield error
        error = error.__cause__
