"""The backend for LangGraph's in-memory store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from typing_extensions import override

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.protocol import Backend, OpenedStore

_NOT_KEPT = "Memory lives and dies with this process; set `MEMORY_GRAPH_STORE=sqlite` to keep it."


class MemoryBackend(Backend):
    """A store only this process has, so no other process has to be locked out."""

    url_forms = ("memory",)

    @override
    def owns(self, store: BaseStore) -> bool:
        return isinstance(store, InMemoryStore)

    @override
    @asynccontextmanager
    async def open(self, url: str, embedder: Embedder) -> AsyncIterator[OpenedStore]:
        if url != "memory":
            raise ConfigurationError("The store in memory has no address: write `memory` alone.")
        yield OpenedStore(self, "memory", InMemoryStore(), InMemorySaver(), (_NOT_KEPT,))

    @override
    def answers_at_once(self, store: BaseStore) -> bool:
        return type(store) is InMemoryStore and not framework.has_vector_index(store)

    @override
    def locks_other_processes(self, store: BaseStore) -> bool:
        return True


BACKEND = MemoryBackend()
