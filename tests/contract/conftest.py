"""One suite, every backend: what a test says here must hold on all of them."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from memory_graph.embedding import Embedder
from memory_graph.settings import Settings
from memory_graph.store.backends import sqlite
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

BACKENDS: dict[str, Callable[[pytest.FixtureRequest], str]] = {
    "memory": lambda _: "memory",
    "sqlite": lambda request: request.getfixturevalue("sqlite_url_without_extensions"),
    "sqlite-vec": lambda request: request.getfixturevalue("sqlite_url"),
    "postgres": lambda request: request.getfixturevalue("postgres_url"),
}
"""The URL of a new store of each kind. A new backend is one line here."""

MemoryOf = Callable[[str], UserMemory]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'memory.sqlite'}"


@pytest.fixture
def sqlite_url_without_extensions(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sqlite, "driver_with_extensions", lambda: None)
    return sqlite_url


@pytest.fixture(params=BACKENDS)
async def backend(request: pytest.FixtureRequest, embedder: Embedder) -> AsyncIterator[OpenedStore]:
    settings = Settings(store=BACKENDS[request.param](request))
    async with open_configured_store(settings, embedder) as opened:
        yield opened


@pytest.fixture
def memory_for(backend: OpenedStore) -> MemoryOf:
    return lambda user_id: memory_of(Owner(user_id), backend.store)


@pytest.fixture
def memory(memory_for: MemoryOf) -> UserMemory:
    return memory_for("ana")
