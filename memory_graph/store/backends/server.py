"""The backend for all other stores: LangGraph Server's, its SDK's, or somebody's own."""

from langgraph.store.base import BaseStore
from typing_extensions import override

from memory_graph.store.backends import postgres, sqlite
from memory_graph.store.backends.protocol import Backend


class ServerBackend(Backend):
    """A store about which nothing is known; chosen when no other backend owns it."""

    @override
    def may_cancel(self, store: BaseStore) -> bool:
        # It may be a wrapper around LangGraph's SQLite store, which must not be.
        return False

    @override
    def is_contention(self, error: BaseException) -> bool:
        # What the server injects is mostly a wrapper around one of these.
        return sqlite.BACKEND.is_contention(error) or postgres.BACKEND.is_contention(error)


BACKEND = ServerBackend()
