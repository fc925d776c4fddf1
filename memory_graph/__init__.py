"""Long-term memory for LangGraph agents that people can read, test and trust."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_graph.compose import add_memory
    from memory_graph.context import Context
    from memory_graph.errors import (
        ConfigurationError,
        EmbedderMismatchError,
        ExtractionError,
        MemoryGraphError,
        MemoryOffError,
        NoUserError,
        PromptError,
        RecordNotFoundError,
        RefusedError,
        StoreUnavailableError,
    )
    from memory_graph.graph import build_graph, builder
    from memory_graph.memory import Memory
    from memory_graph.middleware import MemoryMiddleware
    from memory_graph.nodes._delegation import amark_tool_call, mark_tool_call
    from memory_graph.nodes.episodic_capture import episodic_capture
    from memory_graph.nodes.memory_context import memory_context
    from memory_graph.nodes.memory_hotpath import memory_hotpath
    from memory_graph.nodes.supervisor import supervisor
    from memory_graph.shape.definition import Shape
    from memory_graph.state import Conversation, MemoryState, State
    from memory_graph.store.configured import open_store
    from memory_graph.tools import memory_tools

    __version__: str

_HOMES = {
    "Context": "context",
    "Conversation": "state",
    "Memory": "memory",
    "MemoryMiddleware": "middleware",  # needs an extra, and says so
    "MemoryState": "state",
    "Shape": "shape",
    "State": "state",
    "add_memory": "compose",
    "amark_tool_call": "nodes._delegation",
    "build_graph": "graph",
    "builder": "graph",
    "episodic_capture": "nodes",
    "mark_tool_call": "nodes._delegation",
    "memory_context": "nodes",
    "memory_hotpath": "nodes",
    "memory_tools": "tools",
    "open_store": "store.configured",
    "supervisor": "nodes",
}
"""The modules of public names; errors are in `errors`."""

__all__ = [
    "ConfigurationError",
    "Context",
    "Conversation",
    "EmbedderMismatchError",
    "ExtractionError",
    "Memory",
    "MemoryGraphError",
    "MemoryMiddleware",
    "MemoryOffError",
    "MemoryState",
    "NoUserError",
    "PromptError",
    "RecordNotFoundError",
    "RefusedError",
    "Shape",
    "State",
    "StoreUnavailableError",
    "add_memory",
    "amark_tool_call",
    "build_graph",
    "builder",
    "episodic_capture",
    "mark_tool_call",
    "memory_context",
    "memory_hotpath",
    "memory_tools",
    "open_store",
    "supervisor",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that importing the package is quick."""
    if name == "__version__":
        return _version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 — rarely needed

    try:
        return version("langgraph-memory-nodes")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0+unknown"


def __dir__() -> list[str]:
    """Return the public names, also those that were not used yet."""
    return sorted({*globals(), *__all__})
