"""The documented partitions of Postgres hold memory, and a search looks into one of them."""

import re
from pathlib import Path

import psycopg
import pytest

from memory_graph.embedding import Embedder
from memory_graph.memory import Memory
from memory_graph.settings import Settings
from memory_graph.store import collection
from memory_graph.store.backends import postgres
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.store.values import Sought

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
INCLUDED = "\\ir partitions.sql"


def _partitions(embedder: Embedder) -> str:
    sql = (HOW_TO / "partitions.sql").read_text(encoding="utf-8")
    return sql.replace("vector(512)", f"vector({embedder.dims})")


def _run(address: str, sql: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute(sql.encode())


async def test_a_turn_is_kept_and_found_in_one_partition(
    empty_postgres_url: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_SMALL", 0)
    _run(empty_postgres_url, _partitions(embedder))
    async with (
        open_configured_store(Settings(store=empty_postgres_url), embedder) as opened,
        Memory(opened.store, user_id="ana") as memory,
    ):
        await memory.aadd("My cat Luna is 3.")
        assert "3" in (await memory.arecall("How old is Luna?")).block
        namespace = memory_of(Owner("ana"), opened.store).facts.namespace

    asked = postgres._asked(namespace, Sought(words=("luna",), vector=[0.1] * embedder.dims))
    with psycopg.connect(empty_postgres_url) as connection:
        plan = connection.execute(f"EXPLAIN {postgres._CANDIDATES}".encode(), asked).fetchall()
    tables = {each for [line] in plan for each in re.findall(r"on (store\w*_\d+)", line)}
    assert len({each.rpartition("_")[2] for each in tables}) == 1
    assert {each.rpartition("_")[0] for each in tables} == {"store", "store_vectors"}


async def test_an_existing_store_moves_into_partitions_with_its_vectors_and_indexes(
    empty_postgres_url: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "_SMALL", 0)
    settings = Settings(store=empty_postgres_url)
    async with (
        open_configured_store(settings, embedder) as opened,
        Memory(opened.store, user_id="ana") as memory,
    ):
        await memory.aadd("My cat Luna is 3.")
    before = _contents(empty_postgres_url)

    sql = (HOW_TO / "into-partitions.sql").read_text(encoding="utf-8")
    assert INCLUDED in sql
    _run(empty_postgres_url, sql.replace(INCLUDED, _partitions(embedder)))

    assert _contents(empty_postgres_url) == before
    with psycopg.connect(empty_postgres_url) as connection:
        asked = "SELECT indexname FROM pg_indexes WHERE tablename = 'store'"
        indexes = {name for [name] in connection.execute(asked)}
        left = connection.execute("SELECT to_regclass('store_before')").fetchone()
    assert {"store_prefix_idx", "idx_store_expires_at"} < indexes
    assert left == (None,)
    async with (
        open_configured_store(settings, embedder) as opened,
        Memory(opened.store, user_id="ana") as memory,
    ):
        assert "3" in (await memory.arecall("How old is Luna?")).block


def _contents(address: str) -> list[tuple[object, ...]]:
    with psycopg.connect(address) as connection:
        items = "SELECT prefix, key, value::text, created_at, updated_at FROM store"
        vectors = "SELECT prefix, key, field_name, embedding::text FROM store_vectors"
        found = [connection.execute(each).fetchall() for each in (items, vectors)]
    assert all(found)
    return sorted(row for rows in found for row in rows)
