"""`MemoryMiddleware`: memory for agents made with `langchain.agents.create_agent`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, cast

from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
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
    )
except ModuleNotFoundError as error:
    raise ImportError(
        "MemoryMiddleware needs an extra: pip install 'langgraph-memory-nodes[middleware]'."
    ) from error

from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath
from memory_graph.nodes.supervisor import agent_memory, stable_notes, with_notes
from memory_graph.state import DecisionNote, MemoryState, Missed, OffNote, RecallNote, Tax
from memory_graph.store.gateway import check_synchronous_use

Update = dict[str, object]
Request = ModelRequest[Context]


class RememberingState(AgentState[object], total=False):
    """The agent's state, with our keys kept out of its input and output."""

    memory_context: Annotated[str, PrivateStateAttr]
    memory_profile: Annotated[str, PrivateStateAttr]
    memory_profile_since: Annotated[str, PrivateStateAttr]
    memory_recall: Annotated[RecallNote, PrivateStateAttr]
    memory_decisions: Annotated[list[DecisionNote], PrivateStateAttr]
    memory_noted: Annotated[list[str], PrivateStateAttr]
    memory_missed: Annotated[dict[str, Missed], PrivateStateAttr]
    memory_handled: Annotated[dict[str, str], PrivateStateAttr]
    memory_parties: Annotated[list[str], PrivateStateAttr]
    memory_erasure: Annotated[str | None, PrivateStateAttr]
    memory_off: Annotated[OffNote | None, PrivateStateAttr]
    memory_tax: Annotated[Tax, PrivateStateAttr]
    memory_is_recalled: Annotated[bool, PrivateStateAttr]
    """Whether this turn's message was read; the agent may ask its model many times in a turn."""


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

    def __init__(self, *, model: ModelLike | None = None, tools: Sequence[BaseTool] = ()) -> None:
        """Take a chat model for facts and episodes, and the memory tools the agent may call.

        Args:
            model: A chat model or its name, such as `ollama:…`; by default the one that the
                settings name, else rules.
            tools: For example `memory_tools()`.
        """
        super().__init__()
        models_for(Context(), model)  # an unusable name is reported at start
        self.tools = list(tools)
        self._hotpath = memory_hotpath.using(model=model)
        self._capture = episodic_capture.using(model=model)

    @override
    def before_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        return {"memory_is_recalled": False}

    @override
    async def aafter_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        return dict(await self._capture(cast(MemoryState, state), runtime, get_config()))

    @override
    def after_agent(self, state: RememberingState, runtime: Runtime[Context]) -> Update:
        check_synchronous_use(runtime.store)
        config = get_config()
        return dict(run_sync(lambda: self._capture(cast(MemoryState, state), runtime, config)))

    @override
    def wrap_model_call(
        self, request: Request, handler: Callable[[Request], ModelResponse[object]]
    ) -> ModelResponse[object] | ExtendedModelResponse[object]:
        if request.state.get("memory_is_recalled"):
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
        if request.state.get("memory_is_recalled"):
            return await handler(_informed(request))
        update = await self._recall(request, get_config())
        response = await handler(_informed(request, update))
        return ExtendedModelResponse(model_response=response, command=Command(update=update))

    async def _recall(self, request: Request, config: RunnableConfig) -> Update:
        """Keep the facts of the message, as other middleware left it, and recall."""
        state = cast(MemoryState, request.state)  # ours is a part of the agent's
        noted = await self._hotpath(state, request.runtime, config)
        state = cast(MemoryState, {**state, **noted})
        recalled = await memory_context(state, request.runtime, config)
        return {**noted, **recalled, "memory_is_recalled": True}


def _informed(request: Request, update: Mapping[str, object] | None = None) -> Request:
    state = {**request.state, **(update or {})}
    if notes := agent_memory(state):
        request = request.override(messages=with_notes(request.messages, notes))
    if stable := stable_notes(state):
        system = request.system_message
        said = [system.text] if system else []
        request = request.override(system_message=SystemMessage("\n\n".join([*said, stable])))
    return request
