"""Memory that is off says so: once per thread, with the line that mends it."""

import logging

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph import MemoryMiddleware, add_memory
from memory_graph.graph import builder
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.testing.scripted import ScriptedChat

SAID = "I live in Lisbon."


def own_graph(store):
    return builder.compile(store=store, checkpointer=InMemorySaver())


def composed(store):
    theirs = StateGraph(MessagesState)
    theirs.add_node("agent", lambda state: {"messages": [AIMessage("Hello.")]})
    return add_memory(theirs).compile(store=store, checkpointer=InMemorySaver())


def middleware(store):
    return create_agent(
        ScriptedChat(otherwise="Hello."),
        [],
        middleware=[MemoryMiddleware()],
        store=store,
        checkpointer=InMemorySaver(),
    )


async def talk(graph, configurable: dict, turns: int = 2) -> tuple[list[dict], list[str]]:
    """Say the same in one thread; return the events and the replies."""
    events, replies = [], []
    for _ in range(turns):
        async for mode, chunk in graph.astream(
            {"messages": [HumanMessage(SAID)]},
            {"configurable": {"thread_id": "t", **configurable}},
            stream_mode=["custom", "values"],
        ):
            if mode == "custom":
                events.append(chunk)
            else:
                state = chunk
        replies.append(str(state["messages"][-1].text))
    return [each for each in events if each["event"] == "memory.off"], replies


CASES = [
    pytest.param(InMemoryStore, {}, "no_user", '"user_id": "ana"', id="no user"),
    pytest.param(InMemoryStore, {"userid": "ana"}, "no_user", "did you mean `user_id`", id="typo"),
    pytest.param(lambda: None, {"user_id": "ana"}, "no_store", "compile(store=", id="no store"),
]


@pytest.mark.parametrize("graph", [own_graph, composed, middleware])
@pytest.mark.parametrize(("store", "configurable", "reason", "fix"), CASES)
async def test_it_is_said_once_per_thread_in_the_log_and_on_the_stream(
    graph, store, configurable, reason, fix, caplog
) -> None:
    with caplog.at_level(logging.WARNING, logger="memory_graph"):
        events, replies = await talk(graph(store()), configurable)

    [event] = events
    assert event["reason"] == reason
    assert fix in event["fix"]
    [warning] = caplog.records
    assert fix in warning.getMessage()
    assert all(replies)


@pytest.mark.parametrize(("store", "configurable", "reason", "fix"), CASES)
async def test_the_offline_reply_says_it_and_never_claims_to_have_noted_anything(
    store, configurable, reason, fix
) -> None:
    _, [first, second] = await talk(own_graph(store()), configurable)

    assert fix in first
    assert second == "Memory is off."


async def test_another_thread_is_told_again() -> None:
    graph = own_graph(InMemoryStore())

    first, _ = await talk(graph, {}, turns=1)
    second, _ = await talk(graph, {"thread_id": "other"}, turns=1)

    assert len(first) == len(second) == 1


async def test_a_run_may_want_no_memory_and_is_not_warned(caplog) -> None:
    store = InMemoryStore()
    off = {"user_id": "ana", "memory_graph": {"memory": False}}
    with caplog.at_level(logging.WARNING, logger="memory_graph"):
        [event], replies = await talk(own_graph(store), off)

    assert event["reason"] == "switched_off"
    assert caplog.records == []
    assert "memory=False" in replies[0]
    assert await memory_of(Owner("ana"), store).facts.all() == []


async def test_memory_comes_back_with_the_user() -> None:
    graph = own_graph(InMemoryStore())
    await talk(graph, {}, turns=1)

    events, [reply] = await talk(graph, {"user_id": "ana"}, turns=1)

    assert events == []
    assert reply == "Noted."


async def test_a_user_named_as_langmem_does_is_understood() -> None:
    store = InMemoryStore()

    events, _ = await talk(own_graph(store), {"langgraph_user_id": "ana"}, turns=1)

    assert events == []
    assert await memory_of(Owner("ana"), store).facts.get("profile:city")
