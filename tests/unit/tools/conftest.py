"""Tools are called as an agent calls them: through a `ToolNode` in a graph with a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.base import BaseStore

from memory_graph.context import Context
from memory_graph.state import State
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of


@dataclass
class Caller:
    """Calls tools, and can make its last call again as a retry would."""

    store: BaseStore
    calls: int = 0
    last: AIMessage | None = None
    context: Context | None = None

    async def __call__(
        self,
        tool: BaseTool,
        /,
        user: str | None = "ana",
        context: Mapping[str, object] = MappingProxyType({}),
        **args: object,
    ) -> str:
        self.calls += 1
        self.context = Context(user_id=user, **context)
        calls = [{"name": tool.name, "args": args, "id": "call_0"}]
        self.last = AIMessage("", id=f"m{self.calls}", tool_calls=calls)
        return await self.repeat(tool)

    async def repeat(self, tool: BaseTool) -> str:
        builder = StateGraph(State, context_schema=Context)
        builder.add_node("tools", ToolNode([tool]))
        builder.add_edge(START, "tools")
        graph = builder.compile(store=self.store)
        result = await graph.ainvoke({"messages": [self.last]}, context=self.context)
        answer = result["messages"][-1]
        assert isinstance(answer, ToolMessage)
        return str(answer.content)


@pytest.fixture
def memory(store: BaseStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


@pytest.fixture
def call(store: BaseStore) -> Caller:
    return Caller(store)
