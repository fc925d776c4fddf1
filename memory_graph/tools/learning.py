"""Let the user decide, through the agent, which proposed patterns count."""

from langchain_core.tools import BaseTool, tool

from memory_graph.policy.pattern_rendering import render_pattern
from memory_graph.steps import patterns
from memory_graph.steps.telling import report
from memory_graph.storage.scope import open_memory
from memory_graph.tools.calls import Runtime, answers_in_words, change_of
from memory_graph.tools.pattern_args import PatternNameArgs


@tool
@answers_in_words
async def get_proposed_patterns(runtime: Runtime) -> str:
    """List patterns that memory noticed by counting, and that nobody has confirmed yet."""
    waiting = await open_memory(runtime, runtime.config).patterns.proposed()
    if not waiting:
        return "No pattern waits to be confirmed."
    return "\n".join(map(render_pattern, waiting))


@tool(args_schema=PatternNameArgs)
@answers_in_words
async def confirm_pattern(name: str, runtime: Runtime) -> str:
    """Let a proposed pattern count from now on. Only when the user agrees with it."""
    memory = open_memory(runtime, runtime.config)
    change = change_of(runtime, "confirm_pattern")
    recorded = await patterns.confirm_pattern(memory, name, change)
    report(runtime, "confirm_pattern", [recorded.decision])
    return f"Confirmed:\n{render_pattern(recorded.pattern)}"


@tool(args_schema=PatternNameArgs)
@answers_in_words
async def reject_pattern(name: str, runtime: Runtime) -> str:
    """Drop a pattern that the user finds wrong; it will not be proposed again."""
    memory = open_memory(runtime, runtime.config)
    change = change_of(runtime, "reject_pattern")
    recorded = await patterns.reject_pattern(memory, name, change)
    report(runtime, "reject_pattern", [recorded.decision])
    return f"Rejected: {recorded.pattern.name}."


LEARNING_TOOLS: tuple[BaseTool, ...] = (get_proposed_patterns, confirm_pattern, reject_pattern)
