import asyncio

import pytest

from memory_graph.facts.direct import correct_fact, tell_fact
from memory_graph.keys import stable_id
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Change
from memory_graph.store.locks import user_lock
from tests.unit.conftest import AGE, LATER, NOON, age

POLICY = AdmissionPolicy()


def told(key, at):
    return Change(id=stable_id(key), at=at, by="tool")


async def tell(memory):
    await tell_fact(memory, age(4), told("first", NOON), POLICY)


async def correct(memory):
    await correct_fact(memory, AGE, age(5), told("second", LATER), POLICY)


@pytest.mark.parametrize("call", [tell, correct], ids=["told", "corrected"])
async def test_a_tool_waits_for_a_turn_that_keeps_facts_of_the_same_user(memory, call):
    await tell(memory)
    async with user_lock(memory.facts.namespace):  # as the hot path does
        waiting = asyncio.create_task(call(memory))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()

    await waiting
