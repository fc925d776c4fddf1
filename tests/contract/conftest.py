"""One suite, every backend: what a test says here must hold on all of them."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from memory_graph.embeddings import Embedder
from memory_graph.settings import Settings
from memory_graph.storage import backend as backends
from memory_graph.storage.backend import Backend, open_backend
from memory_graph.storage.scope import Owner, UserMemory, memory_of

BACKENDS = ["memory", "sqlite", "sqlite-vec", "postgres"]
MemoryOf = Callable[[str], UserMemory]


@pytest.fixture(params=BACKENDS)
async def backend(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    embedder: Embedder,
) -> AsyncIterator[Backend]:
    address = "memory"
    if request.param.startswith("sqlite"):
        address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    if request.param == "sqlite":
        monkeypatch.setattr(backends, "_driver_with_extensions", lambda: None)
    if request.param == "postgres":
        address = request.getfixturevalue("postgres_url")
    settings = Settings(store=address)
    async with open_backend(settings, embedder) as opened:
        yield opened


@pytest.fixture
def memory_for(backend: Backend) -> MemoryOf:
    return lambda user_id: memory_of(Owner(user_id), backend.store)


@pytest.fixture
def memory(memory_for: MemoryOf) -> UserMemory:
    return memory_for("ana")
