"""Let the agent ask what it should know before it starts."""

from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel, Field

from memory_graph import clock
from memory_graph.policy.bootstrap import BootstrapPolicy, render_briefing
from memory_graph.steps.bootstrap import brief
from memory_graph.storage.scope import open_memory
from memory_graph.tools.calls import Runtime, answers_in_words


class BootstrapArgs(BaseModel):
    """Arguments of `bootstrap_context`."""

    task: str = Field(min_length=3, max_length=1000, description="What is about to be done.")
    token_budget: int = Field(default=600, ge=50, le=4000, description="Longest answer wanted.")


@tool(args_schema=BootstrapArgs)
@answers_in_words
async def bootstrap_context(task: str, runtime: Runtime, token_budget: int = 600) -> str:
    """Start a task with what memory knows about it: warnings, what worked, what is still open."""
    memory = open_memory(runtime, runtime.config)
    policy = BootstrapPolicy(token_budget=token_budget)
    briefing = await brief(memory, task, policy, clock.utc_now())
    told = render_briefing(briefing, budget=policy.token_budget, count=_count_tokens)
    return told or "Memory holds nothing that fits this task."


BOOTSTRAP_TOOLS: tuple[BaseTool, ...] = (bootstrap_context,)


def _count_tokens(text: str) -> int:
    """Estimate tokens from above: English runs at four characters a token."""
    return len(text) // 3 + 1
