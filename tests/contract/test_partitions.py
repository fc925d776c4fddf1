"""The documented partitions of Postgres hold memory, and a search looks into one of them."""

import re
from pathlib import Path

import psycopg
import pytest

from memory_graph.embedding import Embedder
from memory_graph.memory import Memory
from memory_graph.settings import Settings
from memory_graph.store import freshness
from memory_graph.store.backends import postgres
from memory_graph.store.configured import open_configured_store
from memory_graph.store.scope import Owner, memory_of
from memory_graph.store.values import Sought

SQL = Path(__file__).parents[2] / "docs" / "how-to" / "partitions.sql"


async def test_a_turn_is_kept_and_found_in_one_partition(
    empty_postgres_url: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness.Costs, "small", 0)
    with psycopg.connect(empty_postgres_url, autocommit=True) as connection:
        sql = SQL.read_text(encoding="utf-8").replace("vector(512)", f"vector({embedder.dims})")
        connection.execute(sql.encode())
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
