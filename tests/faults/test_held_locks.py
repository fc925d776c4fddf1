"""A lock that another process holds, and never gives back, is waited for once."""

import asyncio

import pytest

from memory_graph.store import locks
from tests.faults.conftest import Conversation, foreign_nodes


@pytest.mark.parametrize("backend", ["sqlite", "postgres"], indirect=True)
async def test_a_lock_that_stays_taken_is_waited_for_once(backend, memory_for, monkeypatch):
    scope = memory_for("ana").scope
    conversation = Conversation(foreign_nodes(backend.store, None))
    monkeypatch.setattr(locks, "_LONGEST_REPLY_WAIT_S", 0.5)
    monkeypatch.setattr(locks, "_LONGEST_WAIT_S", 0.5)
    async with (
        backend.backend.lock(backend.store, locks._number_of(scope.root)),
        backend.backend.lock(backend.store, locks._number_of((*scope.root, "facts"))),
    ):
        assert (await conversation.say("ana", "I live in Porto."))["messages"][-1].text
        monkeypatch.setattr(locks, "_LONGEST_REPLY_WAIT_S", 3600)
        monkeypatch.setattr(locks, "_LONGEST_WAIT_S", 3600)
        async with asyncio.timeout(60):
            assert (await conversation.say("ana", "My cat Luna is 3."))["messages"][-1].text
    await conversation.say("ana", "Thanks!")
    await conversation.say("ana", "Thanks!")

    kept = {fact.id for fact in await memory_for("ana").facts.all()}
    assert kept == {"profile:city", "profile:pet:luna:age"}


@pytest.mark.parametrize("backend", ["sqlite", "postgres"], indirect=True)
async def test_a_lock_that_came_back_is_waited_for_again(backend, memory_for, monkeypatch):
    scope = memory_for("ana").scope
    number = locks._number_of((*scope.root, "facts"))
    monkeypatch.setattr(locks, "_LONGEST_REPLY_WAIT_S", 0.3)
    async with backend.backend.lock(backend.store, number):
        with pytest.raises(locks.StoreUnavailableError):
            async with locks.facts_lock(scope):
                pass
    async with locks.facts_lock(scope):
        pass
    monkeypatch.setattr(locks, "_LONGEST_REPLY_WAIT_S", 30)
    held = asyncio.Event()

    async def hold() -> None:
        async with backend.backend.lock(backend.store, number):
            held.set()
            await asyncio.sleep(1)

    holding = asyncio.create_task(hold())
    await held.wait()
    async with locks.facts_lock(scope):
        assert holding.done() or (await holding) is None
