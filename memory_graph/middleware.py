"""`MemoryMiddleware`: memory for agents made with `langchain.agents.create_agent`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, cast

from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.channels import UntrackedValue
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import override

try:
    from langchain.agents.middleware.types import (
        AgentMiddleware,
        AgentState,
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
        PrivateStateAttr,
        ToolCallRequest,
    )
except ModuleNotFoundError as error:
    if error.name and not error.name.startswith("langchain"):
        raise
    raise ImportError(
        "MemoryMiddleware needs an extra: pip install 'langgraph-memory-nodes[middleware]'."
    ) from error

from memory_graph import prompts
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath
from memory_graph.nodes._delegation import tool_wrappers
from memory_graph.nodes.supervisor import agent_memory, stable_notes, with_notes
from memory_graph.shape import Shape
from memory_graph.state import DecisionNote, MemoryState, RecallNote, Tax, ThreadNote
from memory_graph.store.gateway import check_synchronous_use

Update = dict[str, object]
ToolAnswer = ToolMessage | Command[Any]
Request = ModelRequest[Context]


class RememberingState(AgentState[object], total=False):
    """The agent's state, with the keys of `MemoryKeys` kept out of its input and output."""

    memory_graph: Annotated[ThreadNote, PrivateStateAttr]
    memory_context: Annotated[str, UntrackedValue, PrivateStateAttr]
    memory_profile: Annotated[str, UntrackedValue, PrivateStateAttr]
    memory_recall: Annotated[RecallNote, UntrackedValue, PrivateStateAttr]
    memory_decisions: Annotated[list[DecisionNote], UntrackedValue, PrivateStateAttr]
    memory_noted: Annotated[list[str], UntrackedValue, PrivateStateAttr]
    memory_tax: Annotated[Tax, UntrackedValue, PrivateStateAttr]


class MemoryMiddleware(AgentMiddleware[RememberingState, Context]):
    """Long-term memory for an agent: `create_agent(model, tools, middleware=[MemoryMiddleware()])`.

    It uses the nodes and policies of the graph. Recalled memory is put before the user's last
    message in every model call, and is never stored in `messages`. If memory fails, the reply
    goes on without it. The agent needs a store.

    It may be anywhere among other middleware. The message is read when the model is first called,
    after everything that redacts or summarises messages (`PIIMiddleware`,
    `SummarizationMiddleware`), and the system prompt is not changed (`dynamic_prompt`). Only
    middleware that answers in place of the model, such as a cache, must come after it: a message
    that reaches neither memory nor the model is not read for facts.
    """

    state_schema = RememberingState

    @property
    @override
    def name(self) -> str:
        """Its own name: deepagents has a `MemoryMiddleware`, too, and replaces by name."""
        return "memory_graph.MemoryMiddleware"

    def __init__(
        self,
        *,
        model: ModelLike | None = None,
        tools: Sequence[BaseTool] = (),
        reads: bool = True,
        shape: Shape | None = None,
    ) -> None:
        """Take a chat model for facts and episodes, and the memory tools the agent may call.

        Args:
            model: A chat model or its name, such as `ollama:…`; by default the one that the
                settings name, else rules.
            tools: For example `memory_tools()`.
            reads: Off for an agent whose messages no user wrote, such as a subagent of an agent
                without this middleware: memory is recalled for them, and nothing is kept.
            shape: What matters in the product, and what is never kept.
        """
        super().__init__()
        self._reads = reads
        models_for(
            Context(), model
        )  # an unusable name is reported at start, and an unusable prompt
        prompts.check_own()
        self.tools = list(tools)
        self._hotpath = memory_hotpath.using(model=model, shape=shape)
        self._context = memory_context.using(shape=shape)
        self._capture = episodic_capture.using(model=model, shape=shape)
        self._call_tool, self._acall_tool = tool_wrappers(shape)

    @override
    async def aafter_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        return dict(await self._captured(state, runtime, get_config()))

    @override
    def after_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        check_synchronous_use(runtime.store)
        config = get_config()
        return dict(run_sync(lambda: self._captured(state, runtime, config)))

    async def _captured(
        self, state: RememberingState, runtime: Runtime[Context], config: RunnableConfig
    ) -> Mapping[str, object]:
        if not self._reads:
            return {}
        return await self._capture(cast(MemoryState, state), runtime, config)

    @override
    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolAnswer]
    ) -> ToolAnswer:
        return self._call_tool(request, handler)

    @override
    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        return await self._acall_tool(request, handler)

    @override
    def wrap_model_call(
        self, request: Request, handler: Callable[[Request], ModelResponse[object]]
    ) -> ModelResponse[object] | ExtendedModelResponse[object]:
        if "memory_context" in request.state:
            return handler(_informed(request))
        check_synchronous_use(request.runtime.store)
        config = get_config()
        update = run_sync(lambda: self._recall(request, config))
        response = handler(_informed(request, update))
        return ExtendedModelResponse(model_response=response, command=Command(update=update))

    @override
    async def awrap_model_call(
        self, request: Request, handler: Callable[[Request], Awaitable[ModelResponse[object]]]
    ) -> ModelResponse[object] | ExtendedModelResponse[object]:
        if "memory_context" in request.state:
            return await handler(_informed(request))
        update = await self._recall(request, get_config())
        response = await handler(_informed(request, update))
        return ExtendedModelResponse(model_response=response, command=Command(update=update))

    async def _recall(self, request: Request, config: RunnableConfig) -> Update:
        """Keep the facts of the message, as other middleware left it, and recall."""
        state = cast(MemoryState, request.state)  # ours is a part of the agent's
        noted = await self._hotpath(state, request.runtime, config) if self._reads else {}
        state = cast(MemoryState, {**state, **noted})
        recalled = await self._context(state, request.runtime, config)
        return {"memory_context": "", **noted, **recalled}


def _informed(request: Request, update: Mapping[str, object] | None = None) -> Request:
    state = {**request.state, **(update or {})}
    if notes := agent_memory(state):
        request = request.override(messages=with_notes(request.messages, notes))
    if stable := stable_notes(state):
        system = request.system_message
        said = [system.text] if system else []
        request = request.override(system_message=SystemMessage("\n\n".join([*said, stable])))
    return request
