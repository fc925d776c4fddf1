"""The tools that an agent may call, in sets by purpose."""

from collections.abc import Mapping
from typing import get_args

from langchain_core.tools import BaseTool

from memory_graph.errors import ConfigurationError
from memory_graph.records import ToolSet
from memory_graph.tools.episodes import (
    SEARCH_TOOLS,
    delete_episode,
    get_decision_sequence,
    get_episode,
)
from memory_graph.tools.facts import FACT_TOOLS, forget_fact, recall_facts, remember_fact
from memory_graph.tools.patterns import PATTERN_TOOLS
from memory_graph.tools.recording import RECORDING_TOOLS, add_episode

_SETS: Mapping[ToolSet, tuple[BaseTool, ...]] = {
    "assistant": (remember_fact, recall_facts, forget_fact),
    "facts": FACT_TOOLS,
    "episodes": (*SEARCH_TOOLS, get_episode, add_episode, delete_episode),
    "recording": RECORDING_TOOLS,
    "patterns": (*PATTERN_TOOLS, get_decision_sequence),
}


def tools_named(sets: str) -> list[BaseTool]:
    """Return the tools of some sets by their names, as `assistant,episodes`.

    Raises:
        ConfigurationError: If there is no such set.
    """
    names = [each for part in sets.split(",") if (each := part.strip())]
    if unknown := [each for each in names if each not in get_args(ToolSet)]:
        known = ", ".join(get_args(ToolSet))
        raise ConfigurationError(f"No set of tools {', '.join(unknown)}; there are: {known}.")
    return memory_tools(*(each for each in get_args(ToolSet) if each in names))


def memory_tools(*purposes: ToolSet) -> list[BaseTool]:
    """Return memory tools by purpose, for an agent, for `ToolNode` or for the MCP server.

    Every model call describes every tool, so the default set is small: known facts reach the
    prompt without tools, and `remember_fact` also corrects.

    Args:
        purposes: `assistant` (the default): remember, look up and forget facts. `facts`: also
            correct a fact by id. `episodes`: search and retell episodes. `recording`: write
            episodes. `patterns`: patterns and decisions. `all`: every tool.
    """
    wanted = purposes or ("assistant",)
    chosen = [_SETS[each] for each in (_SETS if "all" in wanted else wanted)]
    return list({tool.name: tool for each in chosen for tool in each}.values())
