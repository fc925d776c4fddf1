"""Let the agent learn from outcomes: what worked, what did not, and what leads to what."""

from langchain_core.tools import BaseTool, tool

from memory_graph import clock
from memory_graph.policy.pattern_rendering import render_pattern
from memory_graph.records import PatternDraft, PatternKind, Relation
from memory_graph.steps.pattern_queries import (
    PatternQuery,
    find_antipatterns,
    find_causal_path,
    find_patterns,
)
from memory_graph.steps.pattern_telling import REFUSALS, tell_path
from memory_graph.steps.patterns import Refused, record_pattern
from memory_graph.steps.telling import report
from memory_graph.storage.scope import open_memory, run_context
from memory_graph.tools.calls import Runtime, answers_in_words, change_of
from memory_graph.tools.pattern_args import (
    AddPatternArgs,
    AntipatternsArgs,
    CausalPathArgs,
    QueryPatternsArgs,
    RelationArgs,
)


@tool(args_schema=AddPatternArgs)
@answers_in_words
async def add_pattern(  # noqa: PLR0913 — the model fills these by name
    name: str,
    runtime: Runtime,
    trigger: str = "",
    action: str = "",
    description: str = "",
    success: bool | None = None,
    evidence_episode: str | None = None,
    relations: list[RelationArgs] | None = None,
    is_antipattern: bool | None = None,
) -> str:
    """Record that something worked or failed: a new pattern, or one more try of a known one."""
    draft = PatternDraft(
        name=name,
        trigger=trigger,
        action=action,
        description=description,
        kind=_kind(is_antipattern),
        relations=tuple(Relation(type=r.type, target=r.target) for r in relations or ()),
    )
    recorded = await record_pattern(
        open_memory(runtime, runtime.config),
        draft,
        change_of(runtime, "add_pattern"),
        success=success,
        episode_id=evidence_episode,
    )
    if isinstance(recorded, Refused):
        return f"{REFUSALS[recorded.problem]} Nothing was changed."
    report(runtime, "add_pattern", [recorded.decision])
    done = {"create": "Created", "skip": "Already recorded"}.get(
        recorded.decision.action, "Updated"
    )
    return f"{done}:\n{render_pattern(recorded.pattern)}"


@tool(args_schema=QueryPatternsArgs)
@answers_in_words
async def query_patterns(
    runtime: Runtime,
    trigger: str = "",
    min_success_rate: float = 0.0,
    min_occurrences: int = 0,
    limit: int = 20,
) -> str:
    """Look up what worked before in a situation like this one, with how often it worked."""
    query = PatternQuery(
        situation=trigger,
        min_success_rate=min_success_rate,
        min_occurrences=min_occurrences,
        limit=limit,
    )
    memory = open_memory(runtime, runtime.config)
    matched = await find_patterns(memory, query, clock.utc_now())
    if not matched:
        return "No pattern is known that fits. Do not invent one."
    return "\n".join(render_pattern(each.pattern) for each in matched)


@tool(args_schema=CausalPathArgs)
@answers_in_words
async def get_causal_path(
    from_pattern: str, to_pattern: str, runtime: Runtime, max_depth: int = 5
) -> str:
    """Find how one pattern leads to another, and whether it promotes or prevents it."""
    memory = open_memory(runtime, runtime.config)
    path = await find_causal_path(memory, from_pattern, to_pattern, max_depth)
    return tell_path(path, from_pattern, to_pattern, max_depth)


@tool(args_schema=AntipatternsArgs)
@answers_in_words
async def get_antipatterns(
    runtime: Runtime,
    max_success_rate: float | None = None,
    min_occurrences: int | None = None,
) -> str:
    """List what was tried more than once and seldom worked, the worst first."""
    asked = {
        "antipattern_max_success": max_success_rate,
        "antipattern_min_occurrences": min_occurrences,
    }
    policy = run_context(runtime, runtime.config).causality.model_copy(
        update={name: value for name, value in asked.items() if value is not None}
    )
    failing = await find_antipatterns(open_memory(runtime, runtime.config), policy)
    if not failing:
        return "No anti-pattern is known."
    return "\n".join(map(render_pattern, failing))


PATTERN_TOOLS: tuple[BaseTool, ...] = (
    add_pattern,
    query_patterns,
    get_causal_path,
    get_antipatterns,
)


def _kind(is_antipattern: bool | None) -> PatternKind | None:
    if is_antipattern is None:
        return None
    return "antipattern" if is_antipattern else "pattern"
