from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langgraph.store.base import BaseStore

from memory_graph.embedding import Embedder
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def any_store(
    request: pytest.FixtureRequest, tmp_path: Path, embedder: Embedder
) -> AsyncIterator[BaseStore]:
    """A store of each kind, as the settings open it."""
    address = {"memory": "memory", "sqlite": f"sqlite:{tmp_path / 'memory.sqlite'}"}
    named = address.get(request.param) or request.getfixturevalue("postgres_url")
    async with open_configured_store(Settings(store=named), embedder) as backend:
        yield backend.store
