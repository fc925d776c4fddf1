"""What a conversation changed in memory can be seen, and compared with what was expected."""

from datetime import datetime, timedelta

from langgraph.store.memory import InMemoryStore

from memory_graph import Memory, clock
from memory_graph.curation.diff import diff
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.conftest import NOON


async def said(store: InMemoryStore, at: datetime, text: str, thread: str = "t1") -> None:
    with clock.frozen(at):
        await Memory(store, user_id="ana").aadd(text, thread_id=thread)


async def test_what_is_new_changed_and_over_is_one_line_each() -> None:
    store = InMemoryStore()
    memory = memory_of(Owner("ana"), store)
    await said(store, NOON, "My name is Ana. I live in Lisbon.")
    middle = NOON + timedelta(hours=1)
    await said(store, middle + timedelta(hours=1), "I live in Porto now. My cat Luna is 3.")

    before = await diff(memory, NOON - timedelta(days=1), middle)
    after = await diff(memory, middle)

    assert {each.sign for each in before.changes} == {"+"}
    assert any("Lisbon" in line for line in before.lines)
    [moved] = [line for line in after.lines if line.startswith("~ fact")]
    assert "Lisbon" in moved.partition("→")[0]
    assert "Porto" in moved.partition("→")[2]
    assert not any("Ana" in line and line.startswith("+") for line in after.lines)
    assert not after.is_partial


async def test_only_what_one_conversation_changed() -> None:
    store = InMemoryStore()
    memory = memory_of(Owner("ana"), store)
    await said(store, NOON, "I live in Lisbon.", "t1")
    await said(store, NOON + timedelta(hours=1), "My cat Luna is 3.", "t2")

    found = await diff(memory, NOON - timedelta(days=1), thread_id="t2")

    assert any("Luna" in line for line in found.lines)
    assert not any("Lisbon" in line for line in found.lines)


async def test_what_was_said_again_or_taken_back_in_between_is_no_change() -> None:
    store = InMemoryStore()
    memory = memory_of(Owner("ana"), store)
    await said(store, NOON, "I live in Lisbon.")
    await said(store, NOON + timedelta(hours=1), "I live in Lisbon.")
    assert not [
        each
        for each in (await diff(memory, NOON + timedelta(minutes=30))).changes
        if each.kind == "fact"
    ]
