"""The graph: its nodes, their order, and what happens when one fails.

`langgraph.json` names `graph`: the server brings its own store and checkpointer. Everyone else
calls `build_graph`, or compiles `builder`.
"""

from collections.abc import Sequence

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.store.base import BaseStore
from langgraph.types import RetryPolicy
from typing_extensions import override

from memory_graph import prompts
from memory_graph.compose import add_memory_nodes
from memory_graph.context import Context
from memory_graph.embedding import use_embedder
from memory_graph.llm.models import ModelLike, load_model, models_for
from memory_graph.nodes import supervisor
from memory_graph.nodes._delegation import tool_wrappers
from memory_graph.shape import Shape
from memory_graph.state import Conversation, State
from memory_graph.tools import memory_tools

MemoryGraph = CompiledStateGraph[State, Context, Conversation, Conversation]


class ToolsOrEnd(Runnable[State, str]):
    """`tools_condition` for both ways of a run: LangGraph gives a plain function a thread."""

    name = "tools_condition"

    @override
    def invoke(self, input: State, config: RunnableConfig | None = None, **kwargs: object) -> str:
        return tools_condition(dict(input))

    @override
    async def ainvoke(
        self, input: State, config: RunnableConfig | None = None, **kwargs: object
    ) -> str:
        return tools_condition(dict(input))


def wire(
    model: ModelLike | None = None,
    tools: Sequence[BaseTool] | None = None,
    shape: Shape | None = None,
) -> StateGraph[State, Context, Conversation, Conversation]:
    """Return the graph, not yet compiled; without tools of one's own, with memory's.

    Which of memory's tools the agent may call, each run says (`Context.tools`).

    A memory node that fails does not fail the reply (`nodes/_node.py`). The agent's model is
    retried once. What memory did is in the thread's state and on the custom stream.
    """
    load_model(model)  # an unusable name is reported at start
    builder = StateGraph(
        State, context_schema=Context, input_schema=Conversation, output_schema=Conversation
    )
    add_memory_nodes(builder, model, shape=shape)
    builder.add_node(
        "supervisor",
        supervisor.using(model=model, tools=_chosen if tools is None else tools),
        retry_policy=RetryPolicy(max_attempts=2, initial_interval=0.2),
    )
    known = memory_tools("all") if tools is None else tools
    one, other = tool_wrappers(shape)
    builder.add_node("tools", ToolNode(known, wrap_tool_call=one, awrap_tool_call=other))

    builder.add_edge(START, "memory_hotpath")
    builder.add_edge("memory_hotpath", "memory_context")
    builder.add_edge("memory_context", "supervisor")
    builder.add_conditional_edges(
        "supervisor", ToolsOrEnd(), {"tools": "tools", END: "episodic_capture"}
    )
    builder.add_edge("tools", "supervisor")
    builder.add_edge("episodic_capture", END)
    return builder


def _chosen(context: Context) -> Sequence[BaseTool]:
    return memory_tools(*context.tools) if context.tools else ()


def build_graph(  # noqa: PLR0913 — what a developer may bring along
    *,
    store: BaseStore,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    model: ModelLike | None = None,
    tools: Sequence[BaseTool] | None = (),
    embedder: object = None,
    shape: Shape | None = None,
) -> MemoryGraph:
    """Return the graph, ready to run on a store; with a chat model and tools of your own.

    Args:
        store: Any `BaseStore`.
        checkpointer: Keeps threads.
        model: A chat model or its name, such as `anthropic:…` or `ollama:…`; by default the one
            that the settings name, if any.
        tools: What the agent may call, such as `memory_tools()`; `None`: memory's own, by the
            `Context.tools` of each run.
        embedder: LangChain's `Embeddings`, a function from texts to vectors, or a name; by
            default the settings' one, else that of the store's own index, else the built-in.
        shape: What matters in the product, and what is never kept; a run may name another one
            (`Context.shape`).

    Raises:
        ConfigurationError: If the model cannot be loaded; the message says what is missing.
    """
    models_for(Context(), model)
    prompts.check_own()
    if embedder is not None:
        use_embedder(store, embedder)
    wired = wire(model, tools, shape)
    return wired.compile(store=store, checkpointer=checkpointer, name="memory_graph")


builder = wire()
graph = builder.compile(name="memory_graph")
