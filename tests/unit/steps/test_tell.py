import asyncio

import pytest

from memory_graph.policy.admission import AdmissionPolicy
from memory_graph.steps.patterns import Change
from memory_graph.steps.tell import correct_fact, tell_fact
from memory_graph.storage.labels import stable_id
from memory_graph.storage.locks import one_at_a_time
from tests.unit.steps.conftest import AGE, LATER, NOON, age

POLICY = AdmissionPolicy()


async def nobody_is_asked(pairs):
    raise AssertionError(pairs)


def told(key, at):
    return Change(id=stable_id(key), at=at, by="tool")


async def tell(memory):
    await tell_fact(memory, age(4), told("first", NOON), POLICY, nobody_is_asked)


async def correct(memory):
    await correct_fact(memory, AGE, age(5), told("second", LATER), POLICY)


@pytest.mark.parametrize("call", [tell, correct], ids=["told", "corrected"])
async def test_a_tool_waits_for_a_turn_that_keeps_facts_of_the_same_user(memory, call):
    await tell(memory)
    async with one_at_a_time(memory.facts.namespace):  # as the hot path does
        waiting = asyncio.create_task(call(memory))
        await asyncio.sleep(0.05)
        assert not waiting.done()

    await waiting
