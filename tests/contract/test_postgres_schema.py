"""The tables of a new and of an older store on Postgres."""

import psycopg

from memory_graph.embedding import Embedder
from memory_graph.settings import Settings
from memory_graph.store.backends.postgres_schema import MIGRATIONS
from memory_graph.store.configured import open_configured_store

_STORAGE = """
SELECT attstorage FROM pg_attribute
WHERE attrelid = 'store_vectors'::regclass AND attname = 'embedding'
"""
_INDEXES = "SELECT indexname FROM pg_indexes WHERE tablename = 'store_vectors'"


async def test_a_new_store_keeps_vectors_in_rows_and_has_no_index_over_everybody(
    empty_postgres_url: str, embedder: Embedder
) -> None:
    for _ in range(2):
        async with open_configured_store(Settings(store=empty_postgres_url), embedder):
            pass

    with psycopg.connect(empty_postgres_url) as connection:
        assert connection.execute(_STORAGE).fetchone() == ("m",)
        assert connection.execute(_INDEXES).fetchall() == [("store_vectors_pkey",)]
        done = connection.execute("SELECT name FROM memory_migrations").fetchall()
    assert done == [(each.name,) for each in MIGRATIONS]


async def test_an_index_that_somebody_made_stays(
    empty_postgres_url: str, embedder: Embedder
) -> None:
    async with open_configured_store(Settings(store=empty_postgres_url), embedder):
        pass
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("DROP TABLE memory_migrations")  # as an older version left it
        connection.execute(
            "CREATE INDEX own ON store_vectors USING hnsw (embedding vector_cosine_ops)"
        )
    async with open_configured_store(Settings(store=empty_postgres_url), embedder):
        pass

    with psycopg.connect(empty_postgres_url) as connection:
        assert ("own",) in connection.execute(_INDEXES).fetchall()
