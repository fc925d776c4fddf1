"""Read beside the reply: nothing waits for it, and nothing is lost if it is cut."""

import asyncio
import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from memory_graph import background
from memory_graph.context import Context
from memory_graph.curation.forget import forget_everything
from tests.examples import a_reading, a_stated
from tests.fakes import CountingModel
from tests.faults.conftest import SURFACES, Conversation, foreign_nodes, in_pairs

PETS = {"Luna": "3", "Rex": "5", "Milo": "7", "Nala": "2"}
ANA = Context(user_id="ana")


class SlowReader(CountingModel):
    """A model that reads the pets in a message, and only when it may."""

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        await self.metadata["may_read"].wait()
        self.metadata["read"].append(1)
        new = str(messages[-1].text).rpartition("NEW: ")[2]
        pets = [
            a_stated(f"{name} is {age}.", about=f"{name} (cat)", attribute="age", value=age)
            for name, age in PETS.items()
            if f"{name} is {age}" in new
        ]
        answer = AIMessage(json.dumps(a_reading(*pets)))
        return ChatResult(generations=[ChatGeneration(message=answer)])


@pytest.fixture
def reader() -> SlowReader:
    return SlowReader(metadata={"may_read": asyncio.Event(), "read": []})


def let_read(reader: SlowReader) -> None:
    reader.metadata["may_read"].set()


async def names(memory) -> list[str]:
    return sorted(fact.entity for fact in await memory.facts.all())


async def cut_after_the_reply(graph, config, text: str) -> None:
    """Stream a turn, and leave as soon as there is a reply."""
    said = {"messages": [HumanMessage(text)]}
    stream = graph.astream(said, config, context=ANA, stream_mode="updates")
    async for update in stream:
        parts = [part.get("messages") for part in update.values() if isinstance(part, dict)]
        if any(isinstance(each[-1], AIMessage) for each in parts if each):
            break
    await stream.aclose()


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
async def test_the_reply_comes_before_the_reading(surface, store, memory_for, reader):
    if surface is SURFACES["build_graph"]:
        pytest.skip("its agent is the model that waits")
    graph = surface(store, reader)
    config = {"configurable": {"thread_id": "t"}}
    async with asyncio.timeout(20):
        await cut_after_the_reply(graph, config, "My cat Luna is 3.")
    [waiting] = await memory_for("ana").turns.waiting()
    assert waiting.read.state == "open"
    assert await names(memory_for("ana")) == []

    let_read(reader)
    await background.drain()
    assert await names(memory_for("ana")) == ["Luna"]


@in_pairs
async def test_a_run_that_is_read_to_its_end_has_read_its_message(
    surface, store, memory_for, reader
):
    if surface is SURFACES["build_graph"]:
        pytest.skip("its agent is the model that waits")
    let_read(reader)
    conversation = Conversation(surface(store, reader))
    await conversation.say("ana", "My cat Luna is 3.")

    assert await names(memory_for("ana")) == ["Luna"]
    assert await memory_for("ana").turns.waiting() == []


async def test_a_reading_that_is_cut_is_made_up_for_once(store, memory_for, reader):
    graph = foreign_nodes(store, reader)
    config = {"configurable": {"thread_id": "t"}}
    await cut_after_the_reply(graph, config, "My cat Luna is 3.")
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        if task.get_name().startswith("facts-"):
            task.cancel()
    await asyncio.sleep(0)
    let_read(reader)

    await Conversation(graph, "t").say("ana", "My dog Rex is 5.")
    await Conversation(graph, "t").say("ana", "Thanks!")

    memory = memory_for("ana")
    assert await names(memory) == ["Luna", "Rex"]
    assert await memory.turns.waiting() == []
    assert [fact.history for fact in await memory.facts.all()] == [(), ()]


async def test_what_is_still_being_read_is_not_read_twice(store, memory_for, reader):
    graph = foreign_nodes(store, reader)
    config = {"configurable": {"thread_id": "t"}}
    await cut_after_the_reply(graph, config, "My cat Luna is 3.")
    second = asyncio.create_task(Conversation(graph, "t").say("ana", "My dog Rex is 5."))
    await asyncio.sleep(0.1)
    let_read(reader)
    await second
    await background.drain()

    memory = memory_for("ana")
    assert await names(memory) == ["Luna", "Rex"]
    assert await memory.turns.waiting() == []
    assert len(reader.metadata["read"]) == 2


async def test_two_threads_at_once_lose_nothing(store, memory_for, reader):
    graph = foreign_nodes(store, reader)
    let_read(reader)
    said = [f"My pet {name} is {age}." for name, age in PETS.items()]
    await asyncio.gather(
        *(Conversation(graph, f"t{n % 2}-{n}").say("ana", text) for n, text in enumerate(said))
    )
    assert await names(memory_for("ana")) == sorted(PETS)


async def test_what_the_thread_went_back_behind_meanwhile_is_not_kept(store, memory_for, reader):
    graph = foreign_nodes(store, reader)
    conversation = Conversation(graph, "t")
    let_read(reader)
    await conversation.say("ana", "My cat Luna is 3.")
    before = (await graph.aget_state(conversation.config)).config
    reader.metadata["may_read"].clear()
    await cut_after_the_reply(graph, conversation.config, "My dog Rex is 5.")
    memory = memory_for("ana")
    [record] = await memory.turns.waiting()
    captured = record.captured.model_copy(update={"state": "done"})
    await memory.commit(
        await memory.turns.puts([record.model_copy(update={"captured": captured})], record.said_at)
    )

    other = {"messages": [HumanMessage("My cat Milo is 7.")]}
    again = asyncio.create_task(graph.ainvoke(other, before, context=ANA))
    await asyncio.sleep(0.2)
    let_read(reader)
    await again
    await background.drain()

    assert await names(memory) == ["Luna", "Milo"]


async def test_what_was_forgotten_meanwhile_stays_so(store, memory_for, reader, now):
    graph = foreign_nodes(store, reader)
    config = {"configurable": {"thread_id": "t"}}
    await cut_after_the_reply(graph, config, "My cat Luna is 3.")
    await forget_everything(memory_for("ana"), now())
    let_read(reader)
    await background.drain()

    assert await names(memory_for("ana")) == []
    assert await memory_for("ana").turns.all() == []
