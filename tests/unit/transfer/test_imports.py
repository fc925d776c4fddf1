import pytest
from langgraph.store.base import BaseStore

from memory_graph.records import Change
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.transfer.imports import Incoming, refused, take_in
from memory_graph.transfer.other_systems import read_langmem
from tests.examples import NOON, a_pattern, an_episode

CHANGE = Change(id="c1", by="import", at=NOON)
INCOMING = Incoming(episodes=(an_episode(),), patterns=(a_pattern(),))


@pytest.fixture
def memory(store: BaseStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


async def test_a_plan_writes_nothing(memory):
    given = INCOMING + refused("x", "has no id")
    plan = await take_in(memory, given, CHANGE, apply=False)

    assert (plan.fates, len(plan.unusable)) == ({"create": 2}, 1)
    assert await memory.episodes.all() == []


async def test_what_was_learnt_since_an_import_stays(memory):
    await take_in(memory, INCOMING, CHANGE)
    since = a_pattern(occurrences=5)
    await memory.commit(await memory.patterns.puts([since], NOON))
    await take_in(memory, INCOMING, CHANGE)

    assert await memory.patterns.get(since.name) == since


async def test_an_import_can_be_traced_and_undone(memory):
    await take_in(memory, INCOMING, CHANGE)

    [entry] = await memory.ledger.about("ep-1")
    assert {each.reason for each in entry.decisions} == {"imported"}
    assert all(each.after and not each.before for each in entry.decisions)


async def test_langmem_is_read_without_what_lies_below_its_namespace(memory, store):
    await take_in(memory, INCOMING, CHANGE)
    value = {"kind": "Memory", "content": {"content": "Likes tea"}}
    await store.aput(("memories", "ana"), "k1", value, index=False)
    incoming = await read_langmem(memory, ("memories", "ana"))

    assert [each.text for each in incoming.statements] == ["Likes tea"]
    assert incoming.unusable == ()
