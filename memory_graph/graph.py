"""The graph: which nodes run, in which order, and what happens when one fails.

Nothing else lives here, so this file is the architecture at a glance. `graph` is for
`langgraph.json`: the server brings its own store and checkpointer. Everyone else calls
`build_graph`, or compiles `builder`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import RetryPolicy

from memory_graph import telemetry
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath, supervisor
from memory_graph.nodes.failure import DEADLINE_S
from memory_graph.state import MemoryState, State

MemoryGraph = CompiledStateGraph[State, Context, State, State]


def go_on_without_memory(
    state: State, runtime: Runtime[Context], error: NodeError
) -> dict[str, object]:
    """Let an outage cost the memory, never the reply; let a wiring mistake be seen."""
    if isinstance(error.error, ConfigurationError):
        raise error.error
    gave_up = telemetry.NodeGaveUp(node=error.node, error=type(error.error).__name__)
    telemetry.record(runtime, gave_up)
    return {}


def wire(
    model: BaseChatModel | None = None, tools: Sequence[BaseTool] = ()
) -> StateGraph[State, Context, State, State]:
    """Return the graph, not yet compiled.

    Memory nodes keep their own failures to themselves wherever they are used; the timeout
    and the handler here are the second belt. The agent's model is worth a second try.
    """
    builder = StateGraph(State, context_schema=Context)
    memory_nodes: dict[str, Callable[..., Awaitable[Mapping[str, object]]]] = {
        "memory_hotpath": partial(memory_hotpath, model=model),
        "memory_context": memory_context,
        "episodic_capture": partial(episodic_capture, model=model),
    }
    for name, node in memory_nodes.items():
        builder.add_node(
            name,
            node,
            input_schema=MemoryState,
            timeout=2 * DEADLINE_S,
            error_handler=go_on_without_memory,
        )
    builder.add_node(
        "supervisor",
        partial(supervisor, model=model, tools=tools),
        retry_policy=RetryPolicy(max_attempts=2, initial_interval=0.2),
    )
    builder.add_node("tools", ToolNode(tools))

    builder.add_edge(START, "memory_hotpath")
    builder.add_edge("memory_hotpath", "memory_context")
    builder.add_edge("memory_context", "supervisor")
    builder.add_conditional_edges(
        "supervisor", tools_condition, {"tools": "tools", END: "episodic_capture"}
    )
    builder.add_edge("tools", "supervisor")
    builder.add_edge("episodic_capture", END)
    return builder


def build_graph(
    *,
    store: BaseStore,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    model: BaseChatModel | None = None,
    tools: Sequence[BaseTool] = (),
) -> MemoryGraph:
    """Return the graph, ready to run on a store; with a chat model and tools of your own."""
    return wire(model, tools).compile(store=store, checkpointer=checkpointer, name="memory_graph")


builder = wire()
graph = builder.compile(name="memory_graph")
