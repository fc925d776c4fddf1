"""Tools the agent may call."""

from langchain_core.tools import BaseTool

from memory_graph.tools.bootstrap import BOOTSTRAP_TOOLS
from memory_graph.tools.decisions import DECISION_TOOLS
from memory_graph.tools.episode_search import EPISODE_SEARCH_TOOLS
from memory_graph.tools.episodes import EPISODE_TOOLS
from memory_graph.tools.learning import LEARNING_TOOLS
from memory_graph.tools.patterns import PATTERN_TOOLS
from memory_graph.tools.synchronous import callable_both_ways

_ALL = (
    *EPISODE_TOOLS,
    *EPISODE_SEARCH_TOOLS,
    *PATTERN_TOOLS,
    *DECISION_TOOLS,
    *LEARNING_TOOLS,
    *BOOTSTRAP_TOOLS,
)


def memory_tools() -> list[BaseTool]:
    """Return every memory tool, for an agent, for `ToolNode` or for the MCP server."""
    return [callable_both_ways(tool) for tool in _ALL]
