"""Facts of a turn that failed: the next turn of the thread keeps them, once."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.curation.forget import forget_everything
from memory_graph.graph import build_graph
from memory_graph.nodes import memory_hotpath
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

CONFIG = {"configurable": {"thread_id": "t"}}
ANA = Context(user_id="ana@example.com")


class Outage(InMemoryStore):
    """A store that is down for as long as it is told."""

    __slots__ = ("is_down",)

    def __init__(self):
        super().__init__()
        self.is_down = False

    async def abatch(self, ops):
        if self.is_down:
            raise ConnectionError("store is down")
        return await super().abatch(ops)


@pytest.fixture
def outage():
    return Outage()


@pytest.fixture
def graph(outage):
    return build_graph(store=outage, checkpointer=InMemorySaver())


@pytest.fixture
def memory(store):
    return memory_of(Owner("ana@example.com"), store)


async def say(graph, text, message_id=None):
    message = HumanMessage(text, id=message_id)
    return await graph.ainvoke({"messages": [message]}, CONFIG, context=ANA)


async def ids(memory):
    return {fact.id for fact in await memory.facts.all()}


async def forget_receipts(memory):
    """Make the thread's state the only one to know what was missed."""
    entries = await memory.ledger.recent(node="memory_hotpath")
    gone = [PutOp(memory.ledger.namespace, entry.id, None) for entry in entries]
    await memory.scope.gateway.write(gone)


async def hear(runtime, *messages, **state):
    return await memory_hotpath({"messages": list(messages), **state}, runtime, CONFIG)


async def test_a_first_turn_without_a_store_is_made_up_for(graph, outage, now):
    memory = memory_of(Owner("ana@example.com"), outage)
    outage.is_down = True
    reply = await say(graph, "I live in Porto.")
    assert reply["messages"][-1].text

    outage.is_down = False
    now.move(minutes=1)
    await say(graph, "I am a nurse.")
    assert await ids(memory) == {"profile:city", "work:job"}

    before = await memory.facts.all()
    now.move(minutes=1)
    await say(graph, "Thanks!")
    assert await memory.facts.all() == before
    assert len(await memory.ledger.recent(node="memory_hotpath")) == 3


async def test_an_outage_longer_than_the_window_is_made_up_for(graph, outage, now):
    outage.is_down = True
    for number, text in enumerate(["I live in Porto.", "My cat Luna is 3.", "Luna is 4 now."]):
        await say(graph, text, f"m{number}")
    outage.is_down = False
    await say(graph, "I am a nurse.")

    memory = memory_of(Owner("ana@example.com"), outage)
    assert await ids(memory) == {"profile:city", "profile:pet:luna:age", "work:job"}
    assert (await memory.facts.get("profile:pet:luna:age")).value == "4"


async def test_a_message_nobody_answered_is_made_up_for(runtime, memory, now):
    """The process died before the first receipt: all there is of that turn is the message."""
    home, job = HumanMessage("I live in Porto.", id="m1"), HumanMessage("I am a nurse.", id="m2")
    await hear(runtime, home, job)
    await hear(runtime, home, job, AIMessage("Noted."), HumanMessage("Thanks!", id="m3"))

    assert await ids(memory) == {"profile:city", "work:job"}
    assert len(await memory.ledger.recent(node="memory_hotpath")) == 3


async def test_a_history_that_was_answered_without_memory_is_not_read(runtime, memory, now):
    await hear(
        runtime,
        HumanMessage("I live in Porto.", id="m1"),
        AIMessage("Nice."),
        HumanMessage("I am a nurse.", id="m2"),
    )

    assert await ids(memory) == {"work:job"}


async def test_what_another_person_said_is_not_taken_for_the_users(runtime, memory, now):
    await hear(
        runtime,
        HumanMessage("My cat Luna is 3.", id="m0", name="ana"),
        AIMessage("Nice."),
    )
    await hear(
        runtime,
        HumanMessage("My cat Luna is 3.", id="m0", name="ana"),
        AIMessage("Nice."),
        HumanMessage("I live in Rome.", id="m1", name="ben"),
        HumanMessage("I am a nurse.", id="m2", name="ana"),
    )

    assert await ids(memory) == {"profile:pet:luna:age", "work:job"}


async def test_what_was_missed_before_everything_was_forgotten_stays_forgotten(graph, outage, now):
    memory = memory_of(Owner("ana@example.com"), outage)
    outage.is_down = True
    await say(graph, "I live in Porto.")
    outage.is_down = False
    await forget_everything(memory, now())
    now.move(minutes=1)
    await say(graph, "I am a nurse.")
    assert await ids(memory) == {"work:job"}

    outage.is_down = True
    now.move(minutes=1)
    await say(graph, "My cat Luna is 3.")
    outage.is_down = False
    await forget_receipts(memory)
    await say(graph, "Thanks!")
    assert await ids(memory) == {"work:job", "profile:pet:luna:age"}
