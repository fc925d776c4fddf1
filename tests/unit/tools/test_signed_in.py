"""A tool on a server with auth: the signed-in user's memory, whatever the client sends."""

from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.state import State
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.tools import memory_tools
from tests.examples import NOON, a_fact


async def call(store: InMemoryStore, tool: str, **args: object) -> str:
    """Call a tool as ana, who is signed in, with ben named by the client."""
    builder = StateGraph(State, context_schema=Context)
    builder.add_node("tools", ToolNode(memory_tools("all")))
    builder.add_edge(START, "tools")
    signed_in = SimpleNamespace(identity="ana", permissions=(), is_authenticated=True)
    asked = AIMessage("", tool_calls=[{"name": tool, "args": args, "id": "c1"}])
    result = await builder.compile(store=store).ainvoke(
        {"messages": [asked]},
        {
            "configurable": {
                "langgraph_auth_user": signed_in,
                "assistant_id": "a",
                "graph_id": "g",
                "user_id": "ben",
            }
        },
        context=Context(user_id="ben"),
    )
    return str(result["messages"][-1].content)


async def test_what_is_kept_is_the_signed_in_users(store: InMemoryStore) -> None:
    await call(store, "remember_fact", statement="The user lives in Lisbon.", attribute="city")

    assert len(await memory_of(Owner("ana"), store).facts.all()) == 1
    assert await memory_of(Owner("ben"), store).facts.all() == []


@pytest.mark.parametrize("tool", ["correct_fact", "forget_fact"])
async def test_another_users_fact_is_out_of_reach(store: InMemoryStore, tool: str) -> None:
    ben = memory_of(Owner("ben"), store)
    await ben.commit(await ben.facts.puts([a_fact()], NOON))
    more = {"statement": "The user lives in Rome."} if tool == "correct_fact" else {}

    told = await call(store, tool, fact_id="profile:city", **more)

    assert "profile:city" in told
    assert await ben.facts.all() == [a_fact()]


async def test_another_users_facts_are_not_recalled(store: InMemoryStore) -> None:
    ben = memory_of(Owner("ben"), store)
    await ben.commit(await ben.facts.puts([a_fact()], NOON))

    assert "Lisbon" not in await call(store, "recall_facts", query="Where do I live?")
