"""Tools the agent may call."""

from collections.abc import Mapping
from typing import Literal

from langchain_core.tools import BaseTool

from memory_graph.tools import episodes
from memory_graph.tools.facts import FACT_TOOLS
from memory_graph.tools.patterns import LEARNING_TOOLS, PATTERN_TOOLS

Purpose = Literal["assistant", "facts", "episodes", "recording", "patterns", "all"]

_SETS: Mapping[Purpose, tuple[BaseTool, ...]] = {
    "assistant": tuple(tool for tool in FACT_TOOLS if tool.name != "correct_fact"),
    "facts": FACT_TOOLS,
    "episodes": episodes.SEARCH_TOOLS,
    "recording": (*episodes.EPISODE_TOOLS, *episodes.LIFECYCLE_TOOLS),
    "patterns": (*PATTERN_TOOLS, *episodes.DECISION_TOOLS, *LEARNING_TOOLS),
}


def memory_tools(*purposes: Purpose) -> list[BaseTool]:
    """Return memory tools by purpose, for an agent, for `ToolNode` or for the MCP server.

    Every tool is told to the model in every call, so the default set is small: what is known
    reaches the prompt without tools, and `remember_fact` corrects as well.

    Args:
        purposes: `assistant` (the default): remember, look up, forget. `facts`: also correct by
            id. `episodes`: search and retell what happened. `recording`: keep episodes by hand.
            `patterns`: what tends to work, and decisions. `all`: everything.
    """
    wanted = purposes or ("assistant",)
    chosen = [_SETS[each] for each in (_SETS if "all" in wanted else wanted)]
    return list({tool.name: tool for each in chosen for tool in each}.values())
