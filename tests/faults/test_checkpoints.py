"""No checkpoint holds what was recalled: forgetting it leaves nothing behind in threads."""

from langchain_core.messages import HumanMessage

from memory_graph.context import Context
from memory_graph.curation.forget import forget_everything
from tests.faults.conftest import Conversation

ANA = Context(user_id="ana")


async def saved(conversation: Conversation) -> str:
    """Everything that the thread's checkpoints hold, their pending writes too."""
    saver = conversation.graph.checkpointer
    kept = [each async for each in saver.alist(conversation.config)]
    return "\n".join(f"{each.checkpoint['channel_values']} {each.pending_writes}" for each in kept)


async def test_what_was_recalled_is_in_no_checkpoint(surface, store, memory_for, now):
    graph = surface(store, None)
    await Conversation(graph, "told").say("ana", "My cat Luna is 3 and I live in Porto.")
    other = Conversation(graph, "asked")
    await other.say("ana", "What city do I live in?")
    for reply in (await graph.aget_state(other.config)).values["messages"][1:]:
        assert reply.type == "ai"
    everything = await saved(other)
    replies = [m.text for m in (await graph.aget_state(other.config)).values["messages"]]
    for text in replies:
        everything = everything.replace(text, "")
    assert "Porto" not in everything
    assert "Luna" not in everything


async def test_a_run_after_an_interrupt_recalls_anew(store, now):
    """For the one who goes on, with what is known then."""
    from tests.faults.conftest import our_graph

    graph = our_graph(store, None)
    await Conversation(graph, "told").say("ana", "I live in Porto.")
    asked = {"messages": [HumanMessage("What city do I live in?")]}
    config = {"configurable": {"thread_id": "asked"}}
    await graph.ainvoke(asked, config, context=ANA, interrupt_before=["supervisor"])
    ended = await graph.ainvoke(None, config, context=ANA)
    assert "Porto" in ended["messages"][-1].text


async def test_what_was_forgotten_meanwhile_is_not_recalled(store, memory_for, now):
    from tests.faults.conftest import our_graph

    graph = our_graph(store, None)
    await Conversation(graph, "told").say("ana", "I live in Porto.")
    asked = {"messages": [HumanMessage("What city do I live in?")]}
    config = {"configurable": {"thread_id": "asked"}}
    await graph.ainvoke(asked, config, context=ANA, interrupt_before=["supervisor"])
    now.move(minutes=1)
    await forget_everything(memory_for("ana"), now())
    ended = await graph.ainvoke(None, config, context=ANA)
    assert "Porto" not in ended["messages"][-1].text


async def test_who_goes_on_is_recalled_for_and_not_who_asked(store, now):
    from tests.faults.conftest import our_graph

    graph = our_graph(store, None)
    await Conversation(graph, "hers").say("ana", "I live in Porto.")
    await Conversation(graph, "his").say("ben", "I live in Braga.")
    asked = {"messages": [HumanMessage("What city do I live in?")]}
    config = {"configurable": {"thread_id": "asked"}}
    await graph.ainvoke(asked, config, context=ANA, interrupt_before=["supervisor"])
    ended = await graph.ainvoke(None, config, context=Context(user_id="ben"))
    assert "Porto" not in ended["messages"][-1].text
