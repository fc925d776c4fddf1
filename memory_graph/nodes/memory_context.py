"""The node that recalls memories for the message, and says whether they answer it."""

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph.context import Context
from memory_graph.nodes._node import as_node
from memory_graph.nodes._recalling import recall_for
from memory_graph.state import MemoryKeys, MemoryState


@as_node
async def memory_context(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryKeys:
    """Recall what bears on the user's message, and who they are, never into `messages`."""
    return await recall_for(state, runtime, config)
