"""Long-term memory for LangGraph agents that people can read, test and trust."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_graph.composition import add_memory
    from memory_graph.context import Context
    from memory_graph.errors import (
        ConfigurationError,
        EmbedderMismatchError,
        ExtractionError,
        MemoryGraphError,
        NoUserError,
        PromptError,
        RecordNotFoundError,
        StoreUnavailableError,
    )
    from memory_graph.graph import build_graph, builder
    from memory_graph.middleware import MemoryMiddleware as MemoryMiddleware
    from memory_graph.nodes.episodic_capture import episodic_capture
    from memory_graph.nodes.memory_context import memory_context
    from memory_graph.nodes.memory_hotpath import memory_hotpath
    from memory_graph.nodes.supervisor import supervisor
    from memory_graph.state import MemoryState, State
    from memory_graph.tools import memory_tools

_HOMES = {
    "composition": ["add_memory"],
    "context": ["Context"],
    "errors": [
        "ConfigurationError",
        "EmbedderMismatchError",
        "ExtractionError",
        "MemoryGraphError",
        "NoUserError",
        "PromptError",
        "RecordNotFoundError",
        "StoreUnavailableError",
    ],
    "graph": ["build_graph", "builder"],
    "middleware": ["MemoryMiddleware"],  # needs an extra, so it is not in `__all__`
    "nodes": ["episodic_capture", "memory_context", "memory_hotpath", "supervisor"],
    "state": ["MemoryState", "State"],
    "tools": ["memory_tools"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ConfigurationError",
    "Context",
    "EmbedderMismatchError",
    "ExtractionError",
    "MemoryGraphError",
    "MemoryState",
    "NoUserError",
    "PromptError",
    "RecordNotFoundError",
    "State",
    "StoreUnavailableError",
    "add_memory",
    "build_graph",
    "builder",
    "episodic_capture",
    "memory_context",
    "memory_hotpath",
    "memory_tools",
    "supervisor",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package is quick."""
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
