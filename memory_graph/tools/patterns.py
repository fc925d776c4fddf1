"""Tools with which the agent records and looks up what worked, and what leads to what."""

from typing import Annotated

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, model_validator

from memory_graph import clock
from memory_graph.curation.lookup import find_episode
from memory_graph.patterns import search, writing
from memory_graph.patterns.briefing import tell
from memory_graph.records import PatternDraft, PatternKind, Relation, RelationType, Share
from memory_graph.tools._calls import Also, Call, ToolArgs, memory_tool, text_of

Name = Annotated[str, text_of(120, 1)]
Words = Annotated[str, text_of(500)]
Project = Annotated[
    Words, Field(description="Only this project; default: the current one; `*`: all.")
]
_KINDS: dict[bool | None, PatternKind | None] = {None: None, True: "antipattern", False: "pattern"}
_DONE = {"create": "Created", "skip": "Already recorded"}


class RelationArgs(ToolArgs):
    """How a pattern acts on another."""

    type: RelationType = Field(description="What the pattern does to the target.")
    target: Name = Field(description="Name of the other pattern; it may not exist yet.")


class _AddPattern(ToolArgs):
    name: Name = Field(description="Short name in kebab-case, such as `retry-on-timeout`.")
    trigger: Words = Field("", description="When it applies. Required for a new name.")
    action: Words = Field("", description="What was done then. Required for a new name.")
    description: Words = Field("", description="Why it works or fails, if known.")
    success: bool | None = Field(
        None,
        description="Did it work this time? Default: yes for a pattern, no for an anti-pattern.",
    )
    success_rate: Share | None = Field(
        None, description="How far it worked this time, 0 to 1; instead of `success`."
    )
    evidence_episode: str | None = Field(
        None, description="The episode in which it was seen, by id or session."
    )
    relations: Annotated[list[RelationArgs], Also("causal_relationships")] = Field(
        [], max_length=20, description="How it acts on other patterns."
    )
    is_antipattern: bool | None = Field(
        None, description="True for something to avoid. Default: as it is known."
    )
    project: Name | None = Field(
        None, description="Project it was seen in; default: the current one."
    )

    @model_validator(mode="after")
    def _says_once_how_it_went(self) -> "_AddPattern":
        if self.success is not None and self.success_rate is not None:
            raise ValueError("`success` and `success_rate` both say how it went; give one of them")
        return self


class _QueryPatterns(ToolArgs):
    trigger: Words = Field("", description="The situation; empty for any.")
    min_success_rate: float = Field(0, ge=0, le=1, description="Least share that worked.")
    min_occurrences: int = Field(0, ge=0, description="Least number of times tried.")
    limit: int = Field(20, ge=1, le=100, description="How many to return at most.")
    project: Project = ""


class _CausalPath(ToolArgs):
    from_pattern: Name = Field(description="Name of the cause, or a part of it.")
    to_pattern: Name = Field(description="Name of the effect, or a part of it.")
    max_depth: int = Field(5, ge=1, le=10, description="Most steps between them.")
    project: Project = ""


class _Antipatterns(ToolArgs):
    max_success_rate: float | None = Field(
        None, ge=0, le=1, description="Largest share that worked; default: as configured."
    )
    min_occurrences: int | None = Field(
        None, ge=1, description="Least number of times tried; default: as configured."
    )
    project: Project = ""


class _Bootstrap(ToolArgs):
    task: str = Field(
        "",
        max_length=1000,
        description="The task; by default, what is latest in the project.",
    )
    token_budget: int | None = Field(
        None, ge=50, le=4000, description="Longest answer in tokens; default: as configured."
    )
    project: Project = ""


@memory_tool
async def add_pattern(args: _AddPattern, call: Call) -> str:
    """Record that something worked or failed: a new pattern, or one more try of a known one."""
    draft = PatternDraft(
        kind=_KINDS[args.is_antipattern],
        relations=tuple(Relation(type=r.type, target=r.target) for r in args.relations),
        project=args.project or call.context.project,
        **args.model_dump(include={"name", "trigger", "action", "description"}),
    )
    seen_in = args.evidence_episode
    pattern, decision = await writing.record_pattern(
        call.memory,
        draft,
        call.change,
        success=args.success if args.success_rate is None else args.success_rate,
        episode_id=(await find_episode(call.memory, seen_in)).id if seen_in else None,
    )
    call.report(decision)
    done = _DONE.get(decision.action, "Updated")
    title = search.pattern_title(pattern).lower()
    warning = await search.warn_of_unknown_targets(call.memory, pattern)
    lines = [f"{done}: patterns/{title}", search.render_in_full(pattern), warning]
    return "\n".join(filter(None, lines))


@memory_tool
async def query_patterns(args: _QueryPatterns, call: Call) -> str:
    """Look up what worked before in a situation like this one, with how often it worked."""
    query = search.PatternQuery(
        situation=args.trigger,
        project=call.project(args.project),
        **args.model_dump(include={"min_success_rate", "min_occurrences", "limit"}),
    )
    matched = await search.find_patterns(call.memory, query, clock.utc_now())
    lines = [search.render_in_full(each.pattern) for each in matched]
    return "\n".join(lines) or "No pattern is known that fits."


@memory_tool
async def get_causal_path(args: _CausalPath, call: Call) -> str:
    """Find how one pattern leads to another, and whether it promotes or prevents it."""
    ends, depth = (args.from_pattern, args.to_pattern), args.max_depth
    path = await search.find_causal_path(call.memory, *ends, depth, call.project(args.project))
    text = search.render_path(path, *ends, depth)
    if path.source.name is None or path.target.name is None:
        raise ToolException(text)
    return text


@memory_tool
async def get_antipatterns(args: _Antipatterns, call: Call) -> str:
    """List what was tried more than once and seldom worked, the worst first."""
    asked = {
        "antipattern_max_success": args.max_success_rate,
        "antipattern_min_occurrences": args.min_occurrences,
    }
    policy = call.context.policies.causality.model_copy(
        update={name: value for name, value in asked.items() if value is not None}
    )
    failing = await search.find_antipatterns(call.memory, policy, call.project(args.project))
    return "\n".join(map(search.render_pattern, failing)) or "No anti-pattern is known."


@memory_tool
async def bootstrap_context(args: _Bootstrap, call: Call) -> str:
    """Start a task with what memory knows about it: warnings, what worked, what is still open."""
    project = call.project(args.project) or None
    context = call.context.model_copy(update={"project": project})
    briefing = await tell(
        call.memory, args.task, context, clock.utc_now(), budget=args.token_budget
    )
    return briefing.text or "Memory holds nothing that fits this task."


PATTERN_TOOLS: tuple[BaseTool, ...] = (
    add_pattern,
    query_patterns,
    get_causal_path,
    get_antipatterns,
    bootstrap_context,
)
