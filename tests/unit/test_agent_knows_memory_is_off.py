"""An agent whose run has no memory is told, so that it promises nothing."""

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, MemoryMiddleware, build_graph
from memory_graph.testing import ScriptedChat

OFF = "Memory is off in this conversation"
SAID = {"messages": [HumanMessage("Please remember that I live in Lisbon.")]}


@pytest.mark.parametrize(
    ("context", "is_off"),
    [
        (Context(), True),
        (Context(user_id="ana", memory=False), True),
        (Context(user_id="ana"), False),
    ],
)
async def test_the_graph_tells_its_agent(context: Context, is_off: bool) -> None:
    answer = {"facts": [], "ended": [], "wishes": [], "has_episode": False}
    model = ScriptedChat(otherwise="ok", answers={"MessageRead": answer})
    await build_graph(store=InMemoryStore(), model=model).ainvoke(SAID, context=context)
    assert (OFF in str(model.prompts[-1][0].content)) == is_off


async def test_the_middleware_tells_its_agent() -> None:
    model = ScriptedChat(otherwise="ok")
    agent = create_agent(
        model, middleware=[MemoryMiddleware()], store=InMemoryStore(), context_schema=Context
    )
    await agent.ainvoke(SAID, context=Context())
    assert OFF in str(model.prompts[-1][0].content)
