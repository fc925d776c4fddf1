"""How does memory get into an agent made with `langchain.agents.create_agent`?"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, cast

from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.runtime import Runtime
from typing_extensions import override

from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath
from memory_graph.nodes.agent_memory import agent_memory
from memory_graph.state import DecisionNote, MemoryState, RecallNote, Tax
from memory_graph.storage.loops import check_synchronous_use

Update = dict[str, object]


class RememberingState(AgentState[object], total=False):
    """The agent's state, with our keys kept out of its input and output."""

    memory_context: Annotated[str, PrivateStateAttr]
    memory_recall: Annotated[RecallNote, PrivateStateAttr]
    memory_decisions: Annotated[list[DecisionNote], PrivateStateAttr]
    memory_noted: Annotated[list[str], PrivateStateAttr]
    memory_missed: Annotated[dict[str, str], PrivateStateAttr]
    memory_tax: Annotated[Tax, PrivateStateAttr]


class MemoryMiddleware(AgentMiddleware[RememberingState, Context]):
    """Long-term memory for an agent: `create_agent(model, tools, middleware=[MemoryMiddleware()])`.

    The nodes, the policies and what is written are those of the graph. What is recalled
    reaches every model call in the system message and is never stored in `messages`.
    Memory that fails costs the memory, never the reply. The agent needs a store.
    """

    state_schema = RememberingState

    def __init__(
        self, *, model: BaseChatModel | None = None, tools: Sequence[BaseTool] = ()
    ) -> None:
        """Take a chat model for facts and episodes, and the memory tools the agent may call.

        Args:
            model: The model settings name, if left out; by rules, if they name none.
            tools: Such as `memory_tools()`.
        """
        super().__init__()
        self.tools = list(tools)
        self._hotpath = memory_hotpath.using(model=model)
        self._capture = episodic_capture.using(model=model)

    @override
    async def abefore_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        return await self._recall(state, runtime, get_config())

    @override
    def before_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        check_synchronous_use(runtime.store)
        config = get_config()
        return run_sync(lambda: self._recall(state, runtime, config))

    @override
    async def aafter_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        return dict(await self._capture(_as_memory(state), runtime, get_config()))

    @override
    def after_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        check_synchronous_use(runtime.store)
        config = get_config()
        return dict(run_sync(lambda: self._capture(_as_memory(state), runtime, config)))

    @override
    def wrap_model_call(
        self,
        request: ModelRequest[Context],
        handler: Callable[[ModelRequest[Context]], ModelResponse[object]],
    ) -> ModelResponse[object]:
        return handler(_informed(request))

    @override
    async def awrap_model_call(
        self,
        request: ModelRequest[Context],
        handler: Callable[[ModelRequest[Context]], Awaitable[ModelResponse[object]]],
    ) -> ModelResponse[object]:
        return await handler(_informed(request))

    async def _recall(
        self, state: RememberingState, runtime: Runtime[Context], config: RunnableConfig
    ) -> Update:
        noted = await self._hotpath(_as_memory(state), runtime, config)
        recalled = await memory_context(_as_memory({**state, **noted}), runtime, config)
        return {**noted, **recalled}


def _as_memory(state: Mapping[str, object]) -> MemoryState:
    """Return the agent's state as the nodes read it; ours is a part of it."""
    return cast(MemoryState, state)


def _informed(request: ModelRequest[Context]) -> ModelRequest[Context]:
    state: Mapping[str, object] = request.state
    told = agent_memory(state)
    if not told:
        return request
    own = request.system_message.content if request.system_message else []
    blocks = own if isinstance(own, list) else [{"type": "text", "text": own}]
    system = SystemMessage([*blocks, {"type": "text", "text": told}])
    return request.override(system_message=system)
