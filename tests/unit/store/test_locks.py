"""Locks of users on Postgres: they exclude, and end with their holders."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from langgraph.store.base import BaseStore
from psycopg import AsyncConnection

from memory_graph.embedding import load_embedder
from memory_graph.settings import Settings
from memory_graph.store.backends import locks
from memory_graph.store.configured import open_configured_store

pytestmark = pytest.mark.server

NUMBER = -(2**63)
"""As low as Postgres allows: numbers are 64 bits, signed."""

_SOON_S = 0.3


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[BaseStore]:
    async with open_configured_store(Settings(store=url), load_embedder("use")) as backend:
        yield backend.store


async def is_free(store: BaseStore, number: int = NUMBER) -> bool:
    try:
        async with asyncio.timeout(_SOON_S), locks.held(store, number):
            return True
    except TimeoutError:
        return False


async def test_a_lock_excludes_its_own_process_and_others(postgres_url: str) -> None:
    async with opened(postgres_url) as one, opened(postgres_url) as other:
        async with locks.held(one, NUMBER):
            assert not await is_free(one)
            assert not await is_free(other)
            assert await is_free(other, NUMBER + 1)
        assert await is_free(one)
        assert await is_free(other)


async def test_who_waits_gets_the_lock_when_it_is_given_back(postgres_url: str) -> None:
    order: list[str] = []
    async with opened(postgres_url) as one, opened(postgres_url) as other:

        async def wait() -> None:
            async with locks.held(other, NUMBER):
                order.append("second")

        async with locks.held(one, NUMBER):
            waiting = asyncio.create_task(wait())
            await asyncio.sleep(_SOON_S)
            order.append("first")
        await waiting
        assert order == ["first", "second"]


async def test_a_run_that_gave_up_keeps_no_lock(postgres_url: str) -> None:
    async def hold(store: BaseStore) -> None:
        async with locks.held(store, NUMBER):
            await asyncio.sleep(60)

    async with opened(postgres_url) as one, opened(postgres_url) as other:
        for steps in range(6):
            holding = asyncio.create_task(hold(one))
            for _ in range(steps):
                await asyncio.sleep(0.001)
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
            async with asyncio.timeout(5), locks.held(other, NUMBER):
                pass


async def test_a_lost_connection_frees_its_locks_and_stops_nobody(postgres_url: str) -> None:
    ours = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
    async with opened(postgres_url) as one, opened(postgres_url) as other:
        async with (
            await AsyncConnection.connect(postgres_url, autocommit=True) as admin,
            locks.held(one, NUMBER),
        ):
            await admin.execute(f"SELECT pg_terminate_backend(pid) FROM ({ours}) AS holders")
            async with asyncio.timeout(5), locks.held(other, NUMBER):
                pass
        assert await is_free(one)


async def test_a_run_that_is_cancelled_ends_no_lock_of_another(postgres_url: str) -> None:
    async def hold(store: BaseStore) -> None:
        async with locks.held(store, NUMBER + 1):
            pass

    async with (
        opened(postgres_url) as one,
        opened(postgres_url) as other,
        locks.held(one, NUMBER),
    ):
        for steps in range(6):
            holding = asyncio.create_task(hold(one))
            for _ in range(steps):
                await asyncio.sleep(0)
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
        assert not await is_free(other)
