import asyncio

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.middleware import MemoryMiddleware
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.testing.scripted import ScriptedChat
from memory_graph.tools import memory_tools

ANA = {"configurable": {"user_id": "ana", "thread_id": "t1"}}


def said(text: str) -> dict[str, list[HumanMessage]]:
    return {"messages": [HumanMessage(text)]}


def said_last(prompt: list[AnyMessage]) -> str:
    """The user's last message as the model was shown it, with the notes in front."""
    return [str(m.text) for m in prompt if isinstance(m, HumanMessage)][-1]


def agent_with(model: ScriptedChat, store=None, **options):
    tools = options.pop("tools", [])
    return create_agent(
        model,
        tools,
        system_prompt="You are terse.",
        middleware=[MemoryMiddleware(**options)],
        store=store or InMemoryStore(),
        checkpointer=InMemorySaver(),
    )


@tool
def deploy(service: str) -> str:
    """Deploy a service."""
    return f"{service} deployed, all checks passed"


DEPLOY = AIMessage("", tool_calls=[{"name": "deploy", "args": {"service": "billing"}, "id": "c1"}])


@pytest.mark.parametrize("asynchronous", [False, True], ids=["invoke", "ainvoke"])
async def test_memory_reaches_every_model_call_and_is_never_stored(asynchronous: bool) -> None:
    model = ScriptedChat(replies=["Noted.", DEPLOY, "Done."])
    agent = agent_with(model, tools=[deploy])

    for text in ("I live in Lisbon.", "Deploy billing where I live."):
        if asynchronous:
            result = await agent.ainvoke(said(text), ANA)
        else:
            result = await asyncio.to_thread(agent.invoke, said(text), ANA)

    for prompt in model.prompts:
        assert prompt[0].text.startswith("You are terse.")
        assert [m.type for m in prompt].count("system") == 1
    assert "The user lives in Lisbon." in model.prompts[-1][0].text
    assert [m.type for m in result["messages"]] == ["human", "ai", "human", "ai", "tool", "ai"]
    assert set(result) == {"messages"}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["invoke", "ainvoke"])
async def test_tools_are_added_on_request(asynchronous: bool) -> None:
    call = {
        "name": "add_pattern",
        "args": {"name": "retry-on-timeout", "trigger": "a timeout", "action": "retry once"},
        "id": "c1",
    }
    store = InMemoryStore()
    model = ScriptedChat(replies=[AIMessage("", tool_calls=[call]), "Recorded."])
    agent = create_agent(
        model, [], middleware=[MemoryMiddleware(tools=memory_tools("all"))], store=store
    )

    if asynchronous:
        result = await agent.ainvoke(said("Remember to retry."), ANA)
    else:
        result = await asyncio.to_thread(agent.invoke, said("Remember to retry."), ANA)

    assert "Created" in result["messages"][2].text
    assert [p.name for p in await memory_of(Owner("ana"), store).patterns.all()] == [
        "retry-on-timeout"
    ]


async def test_the_agents_own_context_may_be_ours() -> None:
    store = InMemoryStore()
    agent = create_agent(
        ScriptedChat(replies=["Noted."]),
        [],
        middleware=[MemoryMiddleware()],
        store=store,
        context_schema=Context,
    )

    await agent.ainvoke(said("I live in Lisbon."), context=Context(user_id="eva"))

    assert await memory_of(Owner("eva"), store).facts.get("profile:city")
