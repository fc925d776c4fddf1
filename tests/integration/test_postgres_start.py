import asyncio

from memory_graph.embedding import Embedder
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store


async def test_workers_may_open_a_fresh_database_at_the_same_time(
    empty_postgres_url: str, embedder: Embedder
) -> None:
    async def start() -> str:
        async with open_configured_store(Settings(store=empty_postgres_url), embedder) as backend:
            return backend.name

    assert await asyncio.gather(*(start() for _ in range(6))) == ["postgres"] * 6
