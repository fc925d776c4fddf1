import asyncio
from dataclasses import dataclass
from typing import Annotated

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from memory_graph.compose import MESSAGE_ID, add_memory
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.graph import build_graph, builder
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.testing.scripted import ScriptedChat

ANA = {"configurable": {"user_id": "ana", "thread_id": "t1"}}
DECISION = "We decided to go with Postgres for the billing service."


def said(text: str) -> dict[str, list[AnyMessage]]:
    return {"messages": [HumanMessage(text)]}


def notes_in(messages: list[AnyMessage]) -> str:
    """What an agent is told from memory."""
    return "\n".join(str(m.text) for m in messages if m.id == MESSAGE_ID)


def around(agent, *, state=MessagesState) -> StateGraph:
    theirs = StateGraph(state)
    theirs.add_node("agent", agent)
    theirs.add_edge(START, "agent")
    return add_memory(theirs)


def echoing(seen: list[str]):
    def agent(state: MessagesState):
        seen.append(notes_in(state["messages"]))
        return {"messages": [AIMessage("ok")]}

    return agent


def test_a_function_agent_is_told_and_nothing_of_it_is_stored() -> None:
    seen: list[str] = []
    graph = around(echoing(seen)).compile(store=InMemoryStore(), checkpointer=InMemorySaver())

    graph.invoke(said("I live in Lisbon."), ANA)
    result = graph.invoke(said("Where do I live?"), ANA)

    assert "Lisbon" in seen[-1]
    assert [m.type for m in result["messages"]] == ["human", "ai"] * 2
    assert set(result) == {"messages"}


def test_notes_stand_behind_the_history_and_the_users_message_stays_the_last() -> None:
    seen: list[list[AnyMessage]] = []

    def agent(state: MessagesState):
        seen.append(state["messages"])
        return {"messages": [AIMessage("ok")]}

    graph = around(agent).compile(store=InMemoryStore(), checkpointer=InMemorySaver())
    graph.invoke(said("I live in Lisbon."), ANA)
    graph.invoke(said("Where do I live?"), ANA)

    assert [m.id == MESSAGE_ID for m in seen[-1]] == [False, False, True, False]
    assert seen[-1][-1].text == "Where do I live?"


class Model(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages]
    colour: str = "blue"


@dataclass
class Data:
    messages: Annotated[list[AnyMessage], add_messages]
    colour: str = "blue"


@pytest.mark.parametrize("schema", [Model, Data])
def test_an_agent_gets_the_state_in_the_shape_it_declared(schema: type) -> None:
    seen: list[object] = []

    def agent(state):
        seen.append(state)
        return {"messages": [AIMessage("ok")]}

    graph = around(agent, state=schema).compile(store=InMemoryStore())
    graph.invoke({**said("I live in Lisbon."), "colour": "red"}, ANA)

    [state] = seen
    assert isinstance(state, schema)
    assert state.colour == "red"
    assert "Lisbon" in state.messages[0].text


@tool
def deploy(service: str) -> str:
    """Deploy a service."""
    return f"{service} deployed, all checks passed"


CALL = {"name": "deploy", "args": {"service": "billing"}, "id": "c1", "type": "tool_call"}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["invoke", "ainvoke"])
async def test_a_compiled_agent_with_its_own_tool_loop(asynchronous: bool) -> None:
    model = ScriptedChat(
        replies=["Hello.", AIMessage("", tool_calls=[CALL]), "Billing is deployed."]
    )
    store = InMemoryStore()
    graph = around(create_agent(model, [deploy])).compile(store=store, checkpointer=InMemorySaver())

    for text in ("I live in Lisbon.", "Please deploy billing."):
        if asynchronous:
            result = await graph.ainvoke(said(text), ANA)
        else:
            result = await asyncio.to_thread(graph.invoke, said(text), ANA)

    assert [m.type for m in result["messages"]] == ["human", "ai", "human", "ai", "tool", "ai"]
    assert "Lisbon" in notes_in(model.prompts[-1])
    assert len(await captures(store)) == 2


async def captures(store: InMemoryStore, user: str = "ana"):
    return await memory_of(Owner(user), store).ledger.recent(node="episodic_capture")


def loop_without_a_map(state: MessagesState) -> str:
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else END


async def test_an_agent_with_a_tool_loop_of_edges_and_conditions() -> None:
    replies = iter([AIMessage("", tool_calls=[CALL]), AIMessage("Billing is deployed.")])
    theirs = StateGraph(MessagesState)
    theirs.add_node("agent", lambda state: {"messages": [next(replies)]})
    theirs.add_node("tools", ToolNode([deploy]))
    theirs.add_edge(START, "agent")
    theirs.add_conditional_edges("agent", loop_without_a_map)
    theirs.add_edge("tools", "agent")
    store = InMemoryStore()

    result = await add_memory(theirs).compile(store=store).ainvoke(said("Deploy billing."), ANA)

    assert [m.type for m in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert len(await captures(store)) == 1


async def test_a_graph_that_ends_by_command_is_captured_too() -> None:
    def agent(state: MessagesState) -> Command:
        return Command(goto=END, update={"messages": [AIMessage("Postgres it is.")]})

    store = InMemoryStore()
    await around(agent).compile(store=store).ainvoke(said(DECISION), ANA)

    [episode] = await memory_of(Owner("ana"), store).episodes.all()
    assert "Postgres" in episode.summary


async def test_handoffs_between_agents_share_the_memory_and_store_none_of_it() -> None:
    model = ScriptedChat(replies=["Ask the writer.", "A poem about Lisbon."])

    def handing_over(state: MessagesState) -> Command:
        model.invoke(state["messages"])
        update = {"messages": [*state["messages"], AIMessage("over to the writer", id="h1")]}
        return Command(goto="writer", update=update, graph=Command.PARENT)

    router = StateGraph(MessagesState)
    router.add_node("decide", handing_over)
    router.add_edge(START, "decide")
    theirs = StateGraph(MessagesState)
    theirs.add_node("supervisor", router.compile(), destinations=("writer",))
    theirs.add_node("writer", create_agent(model, []))
    theirs.add_edge(START, "supervisor")
    theirs.add_edge("writer", END)
    store = InMemoryStore()
    graph = add_memory(theirs, ["supervisor", "writer"]).compile(
        store=store, checkpointer=InMemorySaver()
    )

    result = await graph.ainvoke(said("I live in Lisbon. Write me a poem."), ANA)

    assert [m.type for m in result["messages"]] == ["human", "ai", "ai"]
    assert all("Lisbon" in notes_in(prompt) for prompt in model.prompts)
    assert len(await captures(store)) == 1


async def test_a_swarm_that_starts_at_the_active_agent() -> None:
    class Swarm(MessagesState):
        active: str

    def named(name: str):
        return lambda state: {"messages": [AIMessage(f"{name}: {notes_in(state['messages'])}")]}

    theirs = StateGraph(Swarm)
    for name in ("alice", "bob"):
        theirs.add_node(name, named(name))
    theirs.add_conditional_edges(START, lambda state: state.get("active") or "alice")
    graph = add_memory(theirs, ["alice", "bob"]).compile(
        store=InMemoryStore(), checkpointer=InMemorySaver()
    )

    first = await graph.ainvoke(said("I live in Lisbon."), ANA)
    second = await graph.ainvoke({**said("Where do I live?"), "active": "bob"}, ANA)

    assert first["messages"][-1].text.startswith("alice")
    assert second["messages"][-1].text.startswith("bob")
    assert "Lisbon" in second["messages"][-1].text


@pytest.mark.parametrize("wrapped", [False, True], ids=["function", "subgraph"])
def test_an_interrupted_turn_writes_its_facts_once_and_is_captured_once(wrapped: bool) -> None:
    def agent(state: MessagesState):
        return {"messages": [AIMessage(f"Done: {interrupt('sure?')}")]}

    inner = StateGraph(MessagesState)
    inner.add_node("ask", agent)
    inner.add_edge(START, "ask")
    store = InMemoryStore()
    graph = around(inner.compile() if wrapped else agent).compile(
        store=store, checkpointer=InMemorySaver()
    )

    paused = graph.invoke(said(f"I live in Lisbon. {DECISION}"), ANA)
    assert paused["__interrupt__"]
    assert asyncio.run(captures(store)) == []
    result = graph.invoke(Command(resume="yes"), ANA)

    assert [m.text for m in result["messages"]][-1] == "Done: yes"
    memory = memory_of(Owner("ana"), store)
    fact = asyncio.run(memory.facts.get("profile:city"))
    assert fact.history == ()
    assert len(asyncio.run(memory.ledger.recent())) == 2
    assert len(asyncio.run(memory.episodes.all())) == 1


def test_the_whole_graph_as_a_subgraph_uses_the_store_of_its_parent() -> None:
    parent = StateGraph(MessagesState)
    parent.add_node("assistant", builder.compile())
    parent.add_edge(START, "assistant")
    store = InMemoryStore()
    graph = parent.compile(store=store, checkpointer=InMemorySaver())

    graph.invoke(said("I live in Lisbon."), ANA)
    result = graph.invoke(said("Where do I live?"), ANA)

    assert "Lisbon" in result["messages"][-1].text


def test_our_own_graph_runs_without_an_event_loop(tmp_path) -> None:
    with SqliteStore.from_conn_string(str(tmp_path / "memory.sqlite")) as store:
        store.setup()
        graph = build_graph(store=store)
        for text in ("My cat Luna is 3.", "How old is Luna?"):
            result = graph.invoke(said(text), context=Context(user_id="ana"))

    assert "3" in result["messages"][-1].text


async def test_an_asynchronous_store_refuses_what_would_wait_for_itself() -> None:
    async with AsyncSqliteStore.from_conn_string(":memory:") as store:
        await store.setup()
        graph = build_graph(store=store)

        with pytest.raises(ConfigurationError, match=r"await graph\.ainvoke"):
            graph.invoke(said("I live in Lisbon."), context=Context(user_id="ana"))


async def test_an_asynchronous_store_may_be_used_from_a_thread_while_its_loop_runs() -> None:
    async with AsyncSqliteStore.from_conn_string(":memory:") as store:
        await store.setup()
        graph = build_graph(store=store)
        for text in ("I live in Lisbon.", "Where do I live?"):
            result = await asyncio.to_thread(
                graph.invoke, said(text), context=Context(user_id="ana")
            )

    assert "Lisbon" in result["messages"][-1].text


def test_an_agent_that_fails_is_not_hidden() -> None:
    def agent(state: MessagesState):
        raise LookupError("no such customer")

    with pytest.raises(LookupError):
        around(agent).compile(store=InMemoryStore()).invoke(said("hi"), ANA)


def test_an_unknown_agent_is_named() -> None:
    theirs = StateGraph(MessagesState)
    theirs.add_node("agent", lambda state: state)

    with pytest.raises(ConfigurationError, match=r"'agnt'.*it has: agent"):
        add_memory(theirs, "agnt")


def test_a_graph_without_a_start_starts_at_the_agent() -> None:
    theirs = StateGraph(MessagesState)
    theirs.add_node("agent", echoing([]))
    graph = add_memory(theirs).compile(store=InMemoryStore())

    assert graph.invoke(said("hi"), ANA)["messages"][-1].text == "ok"


def packaged_agents(model: ScriptedChat) -> list:
    return [create_agent(model, [], name="writer"), create_agent(model, [], name="painter")]


@pytest.mark.filterwarnings("ignore:create_react_agent")  # what that package is built on
async def test_a_supervisor_of_langgraph_supervisor() -> None:
    supervisor = pytest.importorskip("langgraph_supervisor")
    handoff = {"name": "transfer_to_writer", "args": {}, "id": "c1", "type": "tool_call"}
    model = ScriptedChat(replies=[AIMessage("", tool_calls=[handoff])], otherwise="Done.")
    workflow = supervisor.create_supervisor(packaged_agents(model), model=model)
    store = InMemoryStore()
    graph = add_memory(workflow, ["supervisor", "writer"]).compile(
        store=store, checkpointer=InMemorySaver()
    )

    result = await graph.ainvoke(said("I live in Lisbon. Write me a poem."), ANA)

    assert "system" not in {m.type for m in result["messages"]}
    assert len(model.prompts) == 3
    assert all("Lisbon" in notes_in(prompt) for prompt in model.prompts)
    assert len(await captures(store)) == 1


async def test_a_swarm_of_langgraph_swarm() -> None:
    swarm = pytest.importorskip("langgraph_swarm")
    model = ScriptedChat(
        replies=[
            AIMessage("", tool_calls=[{"name": "to_painter", "args": {}, "id": "c1"}]),
            "A painting.",
            "Another painting.",
        ]
    )
    to_painter = swarm.create_handoff_tool(agent_name="painter", name="to_painter")
    agents = [
        create_agent(model, [to_painter], name="writer"),
        create_agent(model, [], name="painter"),
    ]
    store = InMemoryStore()
    workflow = swarm.create_swarm(agents, default_active_agent="writer")
    graph = add_memory(workflow, ["writer", "painter"]).compile(
        store=store, checkpointer=InMemorySaver()
    )

    await graph.ainvoke(said("I live in Lisbon. Paint it."), ANA)
    result = await graph.ainvoke(said("Paint where I live again."), ANA)

    assert result["active_agent"] == "painter"
    assert "system" not in {m.type for m in result["messages"]}
    assert all("Lisbon" in notes_in(prompt) for prompt in model.prompts)
    assert len(await captures(store)) == 2
