"""How can a tool written as a coroutine be called by an agent that is not awaited?"""

from functools import wraps

from langchain_core.tools import BaseTool, StructuredTool

from memory_graph.background import run_sync


def callable_both_ways(tool: BaseTool) -> BaseTool:
    """Return the tool with a synchronous way in, beside its own."""
    if not isinstance(tool, StructuredTool) or tool.coroutine is None or tool.func is not None:
        return tool
    run = tool.coroutine

    @wraps(run)
    def waiting(*args: object, **kwargs: object) -> object:
        return run_sync(lambda: run(*args, **kwargs))  # type: ignore[arg-type, return-value]

    return tool.model_copy(update={"func": waiting})
