"""Mistakes that `add_memory` finds, and what of a graph it leaves as it was."""

import operator
from typing import Annotated

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import interrupt
from typing_extensions import TypedDict

from memory_graph.compose import add_memory
from memory_graph.errors import ConfigurationError
from memory_graph.testing.scripted import ScriptedChat

ANA = {"configurable": {"user_id": "ana", "thread_id": "t1"}}


class Talkative(TypedDict):
    question: str


class Dicts(TypedDict):
    messages: list[dict[str, str]]


class Anything(TypedDict):
    messages: Annotated[list, operator.add]


class Plain(TypedDict):
    messages: list[AnyMessage]


def graph_of(state: type, node=lambda state: {}) -> StateGraph:
    builder = StateGraph(state)
    builder.add_node("agent", node)
    builder.add_edge(START, "agent")
    return builder


@pytest.mark.parametrize(
    ("state", "says"),
    [
        pytest.param(Talkative, r"has no `messages`.*add_messages", id="no messages"),
        pytest.param(Dicts, r"may be dicts.*add_messages", id="dicts"),
        pytest.param(Anything, r"may be dicts.*add_messages", id="anything"),
    ],
)
def test_a_state_that_memory_cannot_read_is_refused(state: type, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        add_memory(graph_of(state))


@pytest.mark.parametrize("state", [Plain, MessagesState])
def test_a_state_of_messages_is_accepted_with_and_without_a_reducer(state: type) -> None:
    add_memory(graph_of(state)).compile(store=InMemoryStore())


def test_a_graph_without_a_named_agent_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Name the node"):
        add_memory(graph_of(MessagesState), [])


def test_memory_is_added_once() -> None:
    builder = add_memory(graph_of(MessagesState))

    with pytest.raises(ConfigurationError, match=r"already.*once"):
        add_memory(builder)


def test_a_compiled_graph_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"before it is compiled.*\.builder"):
        add_memory(graph_of(MessagesState).compile())


def test_an_agent_that_could_not_be_told_is_refused() -> None:
    class Other(MessagesState):
        question: str

    def agent(state: Talkative):
        return {}

    with pytest.raises(ConfigurationError, match="'agent' reads neither `messages` nor"):
        add_memory(graph_of(Other, agent))


def test_a_refused_graph_is_left_as_it_was() -> None:
    builder = graph_of(MessagesState)
    with pytest.raises(ConfigurationError):
        add_memory(builder, ["agent", "agnt"])

    assert set(builder.nodes) == {"agent"}
    assert builder.compile().invoke({"messages": [HumanMessage("hi")]})["messages"]


def asking() -> StateGraph:
    def ask(state: MessagesState):
        return {"messages": [AIMessage(f"Done: {interrupt('sure?')}")]}

    inner = StateGraph(MessagesState)
    inner.add_node("ask", ask)
    inner.add_edge(START, "ask")
    return inner


def test_the_agents_subgraph_is_found_as_without_memory() -> None:
    inner = asking().compile()
    compiled = add_memory(graph_of(MessagesState, inner)).compile(
        store=InMemoryStore(), checkpointer=InMemorySaver()
    )

    assert [name for name, _ in compiled.get_subgraphs(recurse=True)] == ["agent"]
    assert "agent:ask" in compiled.get_graph(xray=True).nodes
    compiled.invoke({"messages": [HumanMessage("hi")]}, ANA)
    [task] = compiled.get_state(ANA, subgraphs=True).tasks
    assert task.state.next == ("ask",)


def test_the_nodes_of_a_packaged_agent_are_seen_too() -> None:
    agent = create_agent(ScriptedChat(replies=["hi"]), [])
    compiled = add_memory(graph_of(MessagesState, agent)).compile(store=InMemoryStore())

    assert "agent:model" in compiled.get_graph(xray=True).nodes
    streamed = [
        space
        for space, _ in compiled.stream(
            {"messages": [HumanMessage("hi")]}, ANA, stream_mode="updates", subgraphs=True
        )
    ]
    assert any(space and space[0].startswith("agent:") for space in streamed)


def test_the_drawing_shows_the_memory_nodes_and_no_others() -> None:
    drawn = add_memory(graph_of(MessagesState)).compile().get_graph().nodes

    memory = {"memory_hotpath", "memory_context", "episodic_capture"}
    assert set(drawn) == {"__start__", "agent", "__end__"} | memory
