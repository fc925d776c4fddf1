"""Instructions are ended by hand, and one message is deleted with what was made of it."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory, RecordNotFoundError


@pytest.fixture
def memory() -> Memory:
    return Memory(InMemoryStore(), user_id="ana")


async def test_an_instruction_is_listed_ended_and_brought_back(memory: Memory) -> None:
    await memory.aadd("From now on always answer in British English.")
    [wish] = await memory.ainstructions()
    await memory.aend_instruction(wish.id)
    assert await memory.ainstructions() == []
    with pytest.raises(RecordNotFoundError):
        await memory.aend_instruction(wish.id)

    entry = (await memory.awhy(wish.id)).entries[-1]
    await memory.aundo(entry.id)
    assert [each.wish for each in await memory.ainstructions()] == [wish.wish]


async def test_an_instruction_is_forgotten_like_any_memory(memory: Memory) -> None:
    await memory.aadd("From now on always answer in British English.")
    [wish] = await memory.ainstructions()
    await memory.aforget(wish.id)
    with pytest.raises(RecordNotFoundError):
        await memory.aget(wish.id)


async def test_one_message_goes_with_all_that_was_made_of_it(memory: Memory) -> None:
    await memory.aadd([HumanMessage("I live in Lisbon.", id="m1")], thread_id="t")
    await memory.aadd([HumanMessage("My cat Luna is 3.", id="m2")], thread_id="t")

    planned = await memory.aforget_message("m1")
    assert [each.was.value for each in planned.undone if each.was] == ["Lisbon"]
    assert any("Lisbon" in fact.statement for fact in await memory.afacts())

    await memory.aforget_message("m1", apply=True)
    told = [fact.statement for fact in await memory.afacts()]
    assert not any("Lisbon" in each for each in told)
    assert any("Luna" in each for each in told)
    kept = [turn.said.text for turn in await memory.aturns() if turn.said]
    assert not any("Lisbon" in each for each in kept)


async def test_a_message_that_nobody_said_deletes_nothing(memory: Memory) -> None:
    await memory.aadd("I live in Lisbon.")
    assert (await memory.aforget_message("", apply=True)).undone == ()
    assert await memory.afacts()
