"""What a kind of store does differently from others: the one protocol of all backends.

A backend is a module beside this one with a `BACKEND`. It overrides what differs; the methods
here answer for a store about which nothing is known.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError

Vectors = Literal["in process", "sqlite-vec", "pgvector"]


Namespace = tuple[str, ...]


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

    def vectors(self, store: BaseStore) -> Vectors:
        """Say which vector index is searched: one of the store's, or the one in this process."""
        return "in process"

    def event_loop(self, store: BaseStore) -> asyncio.AbstractEventLoop | None:
        """Return the only event loop on which the store answers, if there is one."""
        return framework.event_loop_of(store)

    def may_cancel(self, store: BaseStore) -> bool:
        """Say whether a batch may be cancelled. If not, it must run to its end."""
        return True

    def is_contention(self, error: BaseException) -> bool:
        """Say whether a batch failed only because of another writer, and changed nothing."""
        return False

    def locks_other_processes(self, store: BaseStore) -> bool:
        """Say whether `lock` excludes everybody who can write to the store."""
        return False

    def lock(self, store: BaseStore, number: int) -> AbstractAsyncContextManager[None]:
        """Hold the lock with this number (64 bits, signed) against other processes."""
        return nullcontext()

    async def has_more_than(self, store: BaseStore, namespace: Namespace, count: int) -> bool:
        """Say whether a namespace is larger than `count` and the store can search it itself.

        If so, `keys_by_words` and the store's own vector search choose the candidates, and
        only they are read. If not, the whole namespace is indexed in this process.
        """
        return False

    async def keys_by_words(
        self, store: BaseStore, namespace: Namespace, text: str, limit: int
    ) -> list[str]:
        """Return the keys of the items that share most words with `text`, best first."""
        return []


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
