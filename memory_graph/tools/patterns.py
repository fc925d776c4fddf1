"""Tools that let the agent record what worked, what did not, and what leads to what."""

from typing import Annotated

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, StringConstraints, model_validator

from memory_graph import clock
from memory_graph.curation.lookup import find_episode
from memory_graph.patterns import writing as patterns
from memory_graph.patterns.rendering import (
    REFUSALS,
    pattern_title,
    render_in_full,
    render_pattern,
    tell_path,
    tell_unknown_targets,
)
from memory_graph.patterns.search import (
    PatternQuery,
    find_antipatterns,
    find_causal_path,
    find_patterns,
    is_of,
)
from memory_graph.patterns.writing import Refused, record_pattern
from memory_graph.recall.briefing import tell
from memory_graph.records import PatternDraft, PatternKind, Relation, RelationType, Share
from memory_graph.tools._calls import Call, ToolArgs, also, memory_tool

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
_PROJECT = "Only of this project; left out: the current one; `*`: of all."


class ProposedPatternsArgs(ToolArgs):
    """Arguments of `get_proposed_patterns`."""

    project: Words = Field(default="", description=_PROJECT)


class RelationArgs(ToolArgs):
    """How a pattern acts on another."""

    type: RelationType = Field(description="What the pattern does to the target.")
    target: Name = Field(description="Name of the other pattern; it may not exist yet.")


class AddPatternArgs(ToolArgs):
    """Arguments of `add_pattern`."""

    name: Name = Field(description="Short name in kebab-case, such as `retry-on-timeout`.")
    trigger: Words = Field(default="", description="When it applies. Required for a new name.")
    action: Words = Field(default="", description="What was done then. Required for a new name.")
    description: Words = Field(default="", description="Why it works or fails, if known.")
    success: bool | None = Field(
        default=None,
        description="Did it work this time? Left out: yes for a pattern, no for an anti-pattern.",
    )
    success_rate: Share | None = Field(
        default=None, description="How far it worked this time, 0 to 1, in place of `success`."
    )
    evidence_episode: str | None = Field(
        default=None, description="The episode in which it was seen, by id or session."
    )
    relations: list[RelationArgs] = Field(
        default=[],
        max_length=20,
        validation_alias=also("relations", "causal_relationships"),
        description="How it acts on other patterns.",
    )
    is_antipattern: bool | None = Field(
        default=None, description="True for something to avoid. Left out: as it is known."
    )
    project: Name | None = Field(
        default=None, description="Project it was seen in; left out: the current."
    )

    @model_validator(mode="after")
    def _says_once_how_it_went(self) -> "AddPatternArgs":
        if self.success is not None and self.success_rate is not None:
            raise ValueError("`success` and `success_rate` both say how it went; give one of them")
        return self


class QueryPatternsArgs(ToolArgs):
    """Arguments of `query_patterns`."""

    trigger: Words = Field(default="", description="The situation; empty for any.")
    min_success_rate: float = Field(default=0, ge=0, le=1, description="Least share that worked.")
    min_occurrences: int = Field(default=0, ge=0, description="Least number of times tried.")
    limit: int = Field(default=20, ge=1, le=100, description="How many to return at most.")
    project: Words = Field(default="", description=_PROJECT)


class CausalPathArgs(ToolArgs):
    """Arguments of `get_causal_path`."""

    from_pattern: Name = Field(description="Name of the cause, or a part of it.")
    to_pattern: Name = Field(description="Name of the effect, or a part of it.")
    max_depth: int = Field(default=5, ge=1, le=10, description="Most steps between them.")
    project: Words = Field(default="", description=_PROJECT)


class AntipatternsArgs(ToolArgs):
    """Arguments of `get_antipatterns`."""

    max_success_rate: float | None = Field(
        default=None, ge=0, le=1, description="Largest share that worked; left out: as configured."
    )
    min_occurrences: int | None = Field(
        default=None, ge=1, description="Least number of times tried; left out: as configured."
    )
    project: Words = Field(default="", description=_PROJECT)


class PatternNameArgs(ToolArgs):
    """Arguments of the tools that take one pattern."""

    name: Name = Field(description="The pattern's full name.")


@memory_tool
async def add_pattern(args: AddPatternArgs, call: Call) -> str:
    """Record that something worked or failed: a new pattern, or one more try of a known one."""
    draft = PatternDraft(
        kind=_KINDS[args.is_antipattern],
        relations=tuple(Relation(type=r.type, target=r.target) for r in args.relations),
        project=args.project or call.context.project,
        **args.model_dump(include={"name", "trigger", "action", "description"}),
    )
    seen_in = args.evidence_episode
    recorded = await record_pattern(
        call.memory,
        draft,
        call.change,
        success=args.success if args.success_rate is None else args.success_rate,
        episode_id=(await find_episode(call.memory, seen_in)).id if seen_in else None,
    )
    if isinstance(recorded, Refused):
        raise ToolException(f"{REFUSALS[recorded.problem]} Nothing was changed.")
    call.report(recorded.decision)
    done = _DONE.get(recorded.decision.action, "Updated")
    title = pattern_title(recorded.pattern)
    told = f"{done}: patterns/{title.lower()}\n{render_in_full(recorded.pattern)}"
    warning = await tell_unknown_targets(call.memory, recorded.pattern)
    return f"{told}\n{warning}" if warning else told


_KINDS: dict[bool | None, PatternKind | None] = {None: None, True: "antipattern", False: "pattern"}
_DONE = {"create": "Created", "skip": "Already recorded"}


@memory_tool
async def query_patterns(args: QueryPatternsArgs, call: Call) -> str:
    """Look up what worked before in a situation like this one, with how often it worked."""
    query = PatternQuery(
        situation=args.trigger,
        project=call.project(args.project),
        **args.model_dump(include={"min_success_rate", "min_occurrences", "limit"}),
    )
    matched = await find_patterns(call.memory, query, clock.utc_now())
    lines = [render_in_full(each.pattern) for each in matched]
    return "\n".join(lines) or "No pattern is known that fits."


@memory_tool
async def get_causal_path(args: CausalPathArgs, call: Call) -> str:
    """Find how one pattern leads to another, and whether it promotes or prevents it."""
    ends, depth = (args.from_pattern, args.to_pattern), args.max_depth
    path = await find_causal_path(call.memory, *ends, depth, call.project(args.project))
    told = tell_path(path, *ends, depth)
    if path.source.name is None or path.target.name is None:
        raise ToolException(told)
    return told


@memory_tool
async def get_antipatterns(args: AntipatternsArgs, call: Call) -> str:
    """List what was tried more than once and seldom worked, the worst first."""
    asked = {
        "antipattern_max_success": args.max_success_rate,
        "antipattern_min_occurrences": args.min_occurrences,
    }
    policy = call.context.causality.model_copy(
        update={name: value for name, value in asked.items() if value is not None}
    )
    failing = await find_antipatterns(call.memory, policy, call.project(args.project))
    return "\n".join(map(render_pattern, failing)) or "No anti-pattern is known."


PATTERN_TOOLS: tuple[BaseTool, ...] = (
    add_pattern,
    query_patterns,
    get_causal_path,
    get_antipatterns,
)


@memory_tool
async def get_proposed_patterns(args: ProposedPatternsArgs, call: Call) -> str:
    """List patterns that memory noticed by counting, and that nobody has confirmed yet."""
    proposed = await call.memory.patterns.proposed()
    waiting = [each for each in proposed if is_of(each, call.project(args.project))]
    return "\n".join(map(render_pattern, waiting)) or "No pattern waits to be confirmed."


@memory_tool
async def confirm_pattern(args: PatternNameArgs, call: Call) -> str:
    """Let a proposed pattern count from now on. Only when the user agrees with it."""
    recorded = await patterns.confirm_pattern(call.memory, args.name, call.change)
    call.report(recorded.decision)
    return f"Confirmed:\n{render_pattern(recorded.pattern)}"


@memory_tool
async def reject_pattern(args: PatternNameArgs, call: Call) -> str:
    """Drop a pattern that the user finds wrong; it will not be proposed again."""
    recorded = await patterns.reject_pattern(call.memory, args.name, call.change)
    call.report(recorded.decision)
    return f"Rejected: {recorded.pattern.name}."


LEARNING_TOOLS: tuple[BaseTool, ...] = (get_proposed_patterns, confirm_pattern, reject_pattern)


class BootstrapArgs(ToolArgs):
    """Arguments of `bootstrap_context`."""

    task: str = Field(
        default="",
        max_length=1000,
        description="What is about to be done; left out: the latest of the project.",
    )
    token_budget: int | None = Field(
        default=None, ge=50, le=4000, description="Longest answer wanted; left out: as configured."
    )
    project: Words = Field(default="", description=_PROJECT)


@memory_tool
async def bootstrap_context(args: BootstrapArgs, call: Call) -> str:
    """Start a task with what memory knows about it: warnings, what worked, what is still open."""
    project = call.project(args.project) or None
    context = call.context.model_copy(update={"project": project})
    told = await tell(call.memory, args.task, context, clock.utc_now(), budget=args.token_budget)
    return told.text or "Memory holds nothing that fits this task."


BOOTSTRAP_TOOLS: tuple[BaseTool, ...] = (bootstrap_context,)
