"""What was said with memory off stays out of it: in later runs, other threads and forks."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from memory_graph.context import Context
from tests.faults.conftest import Conversation, rows_of

SECRET = "I am HIV positive and I live in Rome, and we decided to tell nobody."
WORDS = ("HIV", "Rome", "tell nobody")


async def keeps_nothing(store, user_id: str = "ana") -> None:
    rows = await rows_of(store, user_id)
    assert not [word for word in WORDS if word in rows]


async def say_off(conversation: Conversation, *said: HumanMessage) -> None:
    context = Context(user_id="ana", memory=False)
    await conversation.graph.ainvoke({"messages": [*said]}, conversation.config, context=context)


async def test_the_next_runs_leave_it_alone(conversation, store):
    await conversation.say("ana", "I am a nurse.")
    await say_off(conversation, HumanMessage(SECRET, id="off-1"))
    await conversation.say("ana", "Thanks!")
    await conversation.say("ana", "We decided to paint the fence green.")
    await keeps_nothing(store)
    assert "nurse" in await rows_of(store, "ana")


async def test_it_is_left_alone_where_it_comes_first(conversation, store):
    await say_off(conversation, HumanMessage(SECRET, id="off-1"))
    await conversation.say("ana", "Thanks!")
    await keeps_nothing(store)


async def test_it_is_left_alone_if_its_run_died(conversation, store):
    """The reply failed, so that the message stands without one before the next."""
    await say_off(conversation, HumanMessage(SECRET, id="off-1"))
    held = (await conversation.graph.aget_state(conversation.config)).values
    last = held["messages"][-1]
    assert isinstance(last, AIMessage)
    from langchain_core.messages import RemoveMessage

    await conversation.graph.aupdate_state(
        conversation.config, {"messages": [RemoveMessage(id=last.id)]}
    )
    await conversation.say("ana", "I am a nurse.")
    await keeps_nothing(store)
    assert "nurse" in await rows_of(store, "ana")


async def test_other_threads_leave_it_alone(surface, store):
    graph = surface(store, None)
    said = HumanMessage(SECRET, id="off-1")
    await say_off(Conversation(graph, "one"), said)
    await Conversation(graph, "two").say("ana", said, HumanMessage("I am a nurse.", id="on-1"))
    await keeps_nothing(store)
    assert "nurse" in await rows_of(store, "ana")


async def test_a_fork_from_before_its_run_leaves_it_alone(conversation, store):
    await say_off(conversation, HumanMessage(SECRET, id="off-1"))
    past = [each async for each in conversation.graph.aget_state_history(conversation.config)]
    begun = next(each for each in reversed(past) if each.values.get("messages"))
    again = {"messages": [HumanMessage("I am a nurse.")]}
    await conversation.graph.ainvoke(again, begun.config, context=Context(user_id="ana"))
    await keeps_nothing(store)


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
async def test_typed_again_with_memory_on_it_is_new(conversation, store):
    await say_off(conversation, HumanMessage("I live in Rome.", id="off-1"))
    await conversation.say("ana", HumanMessage("I live in Rome.", id="on-1"))
    assert "Rome" in await rows_of(store, "ana")
