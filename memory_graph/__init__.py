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
    from memory_graph.nodes.episodic_capture import episodic_capture
    from memory_graph.nodes.memory_context import memory_context
    from memory_graph.nodes.memory_hotpath import memory_hotpath
    from memory_graph.nodes.supervisor import supervisor
    from memory_graph.state import Conversation, MemoryState, State
    from memory_graph.store.configured import open_store
    from memory_graph.tools import memory_tools

    __version__: str

_HOMES = {
    "compose": ["add_memory"],
    "context": ["Context"],
    "errors": [
        "ConfigurationError",
        "EmbedderMismatchError",
        "ExtractionError",
        "MemoryGraphError",
        "MemoryOffError",
        "NoUserError",
        "PromptError",
        "RecordNotFoundError",
        "RefusedError",
        "StoreUnavailableError",
    ],
    "graph": ["build_graph", "builder"],
    "memory": ["Memory"],
    "middleware": ["MemoryMiddleware"],  # needs an extra, and says so
    "nodes": ["episodic_capture", "memory_context", "memory_hotpath", "supervisor"],
    "state": ["Conversation", "MemoryState", "State"],
    "store.configured": ["open_store"],
    "tools": ["memory_tools"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

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
    "State",
    "StoreUnavailableError",
    "add_memory",
    "build_graph",
    "builder",
    "episodic_capture",
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
    if name not in _HOME_OF:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 — rarely needed

    try:
        return version("langgraph-memory-nodes")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0+unknown"


def __dir__() -> list[str]:
    """Return the public names, also those that were not used yet."""
    return sorted({*globals(), *__all__})
