"""The graph: which nodes run, in which order, and what happens when one fails.

Nothing else lives here, so this file is the architecture at a glance. `graph` is for
`langgraph.json`: the server brings its own store and checkpointer. Everyone else calls
`build_graph`, or compiles `builder`.
"""

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.store.base import BaseStore
from langgraph.types import RetryPolicy

from memory_graph.composition import add_memory_nodes
from memory_graph.context import Context
from memory_graph.nodes import supervisor
from memory_graph.state import State

MemoryGraph = CompiledStateGraph[State, Context, State, State]


def wire(
    model: BaseChatModel | None = None, tools: Sequence[BaseTool] = ()
) -> StateGraph[State, Context, State, State]:
    """Return the graph, not yet compiled.

    What happens when a memory node fails is in `composition.py`, for any graph. The agent's
    model is worth a second try.
    """
    builder = StateGraph(State, context_schema=Context)
    add_memory_nodes(builder, model)
    builder.add_node(
        "supervisor",
        supervisor.using(model=model, tools=tools),
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
