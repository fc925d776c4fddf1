"""The table of vectors on Postgres follows the embedder when everything is embedded again."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from memory_graph.cli.doctor import check_store
from memory_graph.embedding import Embedder, load_embedder
from memory_graph.errors import ConfigurationError, StoreUnavailableError
from memory_graph.settings import Settings, get_settings
from memory_graph.store.backends import postgres
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.configured import open_configured_store
from memory_graph.store.gateway import open_gateway
from memory_graph.store.owner import Owner
from memory_graph.store.reembed import reembed
from memory_graph.store.scope import memory_of
from tests.examples import NOON, a_fact

USERS = ("ana", "ben")


@pytest.fixture
def other() -> Embedder:
    return load_embedder("wordllama")


@pytest.fixture
async def filled(empty_postgres_url: str, embedder: Embedder) -> str:
    """A store that was filled with vectors of 512 dimensions."""
    async with open_configured_store(Settings(store=empty_postgres_url), embedder) as opened:
        for user in USERS:
            memory = memory_of(Owner(user), opened.store)
            fact = a_fact("profile:city", f"{user} lives in Lisbon.")
            await memory.commit(await memory.facts.puts([fact], NOON))
    return empty_postgres_url


async def embed_again(
    opened: OpenedStore, embedder: Embedder, *, only_missing: bool = False
) -> AsyncIterator[int]:
    gateway = open_gateway(opened.store, get_settings())
    async for progress in reembed(gateway, embedder, NOON, only_missing=only_missing):
        yield progress.records


def lengths(address: str) -> list[int]:
    """Return how long each vector in the table is."""
    with psycopg.connect(address) as connection:
        rows = connection.execute("SELECT vector_dims(embedding) FROM store_vectors").fetchall()
    return [length for [length] in rows]


async def test_the_table_takes_the_vectors_of_the_new_embedder(
    filled: str, other: Embedder
) -> None:
    async with open_configured_store(Settings(store=filled), other, check_embedder=False) as opened:
        assert [each async for each in embed_again(opened, other)][-1] == 2

    assert lengths(filled) == [other.dims] * 2
    async with open_configured_store(Settings(store=filled), other) as opened:
        assert opened.notes == ()
        memory = memory_of(Owner("ana"), opened.store)
        await memory.commit(await memory.facts.puts([a_fact("profile:pet", "Luna is 3.")], NOON))
    assert lengths(filled) == [other.dims] * 3


async def test_a_run_that_broke_off_goes_on_with_what_the_table_lacks(
    filled: str, other: Embedder
) -> None:
    settings = Settings(store=filled)
    async with open_configured_store(settings, other, check_embedder=False) as opened:
        async for records in embed_again(opened, other):
            if records == 1:
                break
    assert lengths(filled) == [other.dims]

    async with open_configured_store(settings, other, check_embedder=False) as opened:
        rest = [each async for each in embed_again(opened, other, only_missing=True)]

    assert rest[-1] == 1
    assert lengths(filled) == [other.dims] * 2


async def test_a_store_whose_table_was_left_behind_is_mended(filled: str, other: Embedder) -> None:
    settings = Settings(store=filled)
    async with open_configured_store(settings, other, check_embedder=False) as opened:
        assert [each async for each in embed_again(opened, other)][-1] == 2
    with psycopg.connect(filled) as connection:
        connection.execute("TRUNCATE store_vectors")
        connection.execute("ALTER TABLE store_vectors ALTER embedding TYPE vector(512)")

    async with open_configured_store(settings, other) as opened:
        assert [each async for each in embed_again(opened, other, only_missing=True)][-1] == 2

    assert lengths(filled) == [other.dims] * 2


async def test_vectors_of_somebody_else_are_not_thrown_away(
    filled: str, other: Embedder, embedder: Embedder
) -> None:
    async with open_configured_store(Settings(store=filled), embedder) as opened:
        await opened.store.aput(("documents",), "1", {"text": "A document."})

    async with open_configured_store(Settings(store=filled), other, check_embedder=False) as opened:
        with pytest.raises(ConfigurationError, match="1 vector of another application"):
            [each async for each in embed_again(opened, other)]

    assert lengths(filled) == [embedder.dims] * 3


async def test_doctor_says_when_the_table_takes_other_vectors(
    filled: str, embedder: Embedder
) -> None:
    with psycopg.connect(filled) as connection:
        connection.execute("TRUNCATE store_vectors")
        connection.execute("ALTER TABLE store_vectors ALTER embedding TYPE vector(256)")

    [store, *_] = await check_store(Settings(store=filled))

    assert store.status == "degraded"
    assert f"256 dimensions, the embedder has {embedder.dims}" in store.fix
    assert "memory-graph reembed" in store.fix


async def test_doctor_gives_the_reason_why_a_database_does_not_answer(
    postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_STARTS_WITHIN_S", 2.0)
    missing = postgres_server.replace("/postgres?", "/nodb?")

    [unknown] = await check_store(Settings(store=missing))
    [refused] = await check_store(Settings(store="postgresql://127.0.0.1:9/memory"))

    assert 'database "nodb" does not exist' in unknown.detail
    assert "Connection refused" in refused.detail


async def test_doctor_does_not_wait_for_a_database_that_may_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "_pool", None)  # nothing waits in a pool

    [refused] = await check_store(Settings(store="postgresql://127.0.0.1:9/memory"))

    assert "Connection refused" in refused.detail


async def test_a_worker_that_waited_in_vain_says_why(
    postgres_server: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_STARTS_WITHIN_S", 0.5)
    missing = postgres_server.replace("/postgres?", "/nodb?")

    with pytest.raises(StoreUnavailableError, match='database "nodb" does not exist'):
        async with open_configured_store(Settings(store=missing), embedder):
            pass
