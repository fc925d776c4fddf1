"""Let the agent ask what it should know before it starts."""

from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel, Field

from memory_graph import clock
from memory_graph.steps.bootstrap import tell
from memory_graph.storage.scope import open_memory, run_context
from memory_graph.tools.calls import Runtime, answers_in_words


class BootstrapArgs(BaseModel):
    """Arguments of `bootstrap_context`."""

    task: str = Field(min_length=3, max_length=1000, description="What is about to be done.")
    token_budget: int | None = Field(
        default=None, ge=50, le=4000, description="Longest answer wanted; left out: as configured."
    )


@tool(args_schema=BootstrapArgs)
@answers_in_words
async def bootstrap_context(task: str, runtime: Runtime, token_budget: int | None = None) -> str:
    """Start a task with what memory knows about it: warnings, what worked, what is still open."""
    memory = open_memory(runtime, runtime.config)
    context = run_context(runtime, runtime.config)
    told = await tell(memory, task, context, clock.utc_now(), budget=token_budget)
    return told.text or "Memory holds nothing that fits this task."


BOOTSTRAP_TOOLS: tuple[BaseTool, ...] = (bootstrap_context,)
