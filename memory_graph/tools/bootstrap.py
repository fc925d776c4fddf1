"""Let the agent ask what it should know before it starts."""

from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel, Field

from memory_graph import clock
from memory_graph.policy.bootstrap import render_briefing
from memory_graph.steps.bootstrap import brief
from memory_graph.storage.scope import open_memory, run_context
from memory_graph.tokens import count_tokens
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
    briefing = await brief(memory, task, context.bootstrap, context.causality, clock.utc_now())
    budget = token_budget or context.bootstrap.token_budget
    told = render_briefing(briefing, budget=budget, count=count_tokens)
    return told or "Memory holds nothing that fits this task."


BOOTSTRAP_TOOLS: tuple[BaseTool, ...] = (bootstrap_context,)
