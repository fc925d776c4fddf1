"""A message belongs to whose run brought it in: approvals, agents as tools, subagents."""

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, interrupt

from memory_graph import background
from memory_graph.compose import add_memory
from memory_graph.context import Context
from memory_graph.graph import build_graph
from memory_graph.middleware import MemoryMiddleware
from memory_graph.testing.scripted import ScriptedChat
from tests.faults.conftest import SURFACES, rows_of

PACE = {"capture": {"cooldown_turns": 0, "cooldown_minutes": 0}}
HERS = "My salary is 90000, I live in Rome and we decided to sell the house."
WORDS = ("90000", "Rome", "sell the house")
CONFIG = {"configurable": {"thread_id": "shared"}}


def as_(user_id: str) -> Context:
    return Context(user_id=user_id, policies=PACE)


@tool
def approve(what: str) -> str:
    """Ask a person."""
    return str(interrupt(what))


def asking() -> ScriptedChat:
    call = {"name": "approve", "args": {"what": "sell"}, "id": "c1"}
    ask = AIMessage("", tool_calls=[call])
    return ScriptedChat(replies=[ask, "I see.", "Fine.", "Good.", "Well."])


def composed(store):
    builder = StateGraph(MessagesState, context_schema=Context)
    chat = asking()
    builder.add_node("agent", lambda state: {"messages": [chat.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode([approve]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return add_memory(builder).compile(store=store, checkpointer=InMemorySaver())


APPROVALS = {
    "build_graph": lambda store: build_graph(
        store=store, checkpointer=InMemorySaver(), model=asking(), tools=[approve]
    ),
    "add_memory": composed,
    "middleware": lambda store: create_agent(
        asking(),
        [approve],
        middleware=[MemoryMiddleware()],
        context_schema=Context,
        store=store,
        checkpointer=InMemorySaver(),
    ),
}


@pytest.mark.parametrize("wiring", APPROVALS)
async def test_who_approves_gets_nothing_of_who_asked(wiring, store, monkeypatch):
    graph = APPROVALS[wiring](store)
    await graph.ainvoke({"messages": [HumanMessage(HERS)]}, CONFIG, context=as_("ana"))
    await graph.ainvoke(Command(resume="yes"), CONFIG, context=as_("ben"))
    said = {"messages": [HumanMessage("We decided to buy a bike.")]}
    await graph.ainvoke(said, CONFIG, context=as_("ben"))
    await background.drain()
    bens = await rows_of(store, "ben")
    assert "bike" in bens
    assert not [word for word in WORDS if word in bens]

    await graph.ainvoke({"messages": [HumanMessage("Thanks!")]}, CONFIG, context=as_("ana"))
    await background.drain()
    anas = await rows_of(store, "ana")
    assert not [word for word in WORDS if word not in anas]
    assert "bike" not in anas


@pytest.mark.parametrize("surface", ["nodes", "add_memory", "build_graph"], indirect=False)
async def test_who_goes_on_before_anything_was_read_gets_nothing(surface, store):
    graph = SURFACES[surface](store, None)
    said = {"messages": [HumanMessage(HERS)]}
    stop = ["memory_hotpath"]
    await graph.ainvoke(said, CONFIG, context=as_("ana"), interrupt_before=stop)
    await graph.ainvoke(None, CONFIG, context=as_("ben"))
    await graph.ainvoke(
        {"messages": [HumanMessage("We decided to buy a bike.")]}, CONFIG, context=as_("ben")
    )
    bens = await rows_of(store, "ben")
    assert "bike" in bens
    assert not [word for word in WORDS if word in bens]


TASK = "I live in Atlantis. My cat Nemo is 9. Plan a trip."


def planner(store, *, inherits: bool):
    """An agent as a tool: it reads its task, and sees the conversation where it inherits it."""
    inner = create_agent(
        ScriptedChat(replies=["A plan."] * 9),
        [],
        middleware=[MemoryMiddleware()],
        context_schema=Context,
        store=store,
    )

    @tool
    async def task(description: str) -> str:
        """Give a task to another agent."""
        before = [HumanMessage("I live in Porto.", id="m1")] if inherits else []
        answer = await inner.ainvoke({"messages": [*before, HumanMessage(description)]})
        return str(answer["messages"][-1].text)

    return task


def calling() -> ScriptedChat:
    call = {"name": "task", "args": {"description": TASK}, "id": "c1"}
    return ScriptedChat(replies=["I see.", AIMessage("", tool_calls=[call]), "Done.", "Fine."])


def composed_caller(store, tools):
    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("agent", create_agent(calling(), tools, context_schema=Context))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    return add_memory(builder).compile(store=store, checkpointer=InMemorySaver())


CALLERS = {
    "build_graph": lambda store, tools: build_graph(
        store=store, checkpointer=InMemorySaver(), model=calling(), tools=tools
    ),
    "add_memory": composed_caller,
    "middleware": lambda store, tools: create_agent(
        calling(),
        tools,
        middleware=[MemoryMiddleware()],
        context_schema=Context,
        store=store,
        checkpointer=InMemorySaver(),
    ),
}


@pytest.mark.parametrize("inherits", [False, True], ids=["task only", "inherits"])
@pytest.mark.parametrize("wiring", CALLERS)
async def test_what_an_agent_hands_to_another_is_nobodys(wiring, inherits, store):
    graph = CALLERS[wiring](store, [planner(store, inherits=inherits)])
    first = HumanMessage("I live in Porto.", id="m1")
    await graph.ainvoke({"messages": [first]}, CONFIG, context=as_("ana"))
    await graph.ainvoke({"messages": [HumanMessage("Plan a trip.")]}, CONFIG, context=as_("ana"))
    await graph.ainvoke({"messages": [HumanMessage("Thanks!")]}, CONFIG, context=as_("ana"))
    await background.drain()

    rows = await rows_of(store, "ana")
    assert "Porto" in rows
    assert "Atlantis" not in rows
    assert "Nemo" not in rows
