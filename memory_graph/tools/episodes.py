"""Tools that let the agent keep, look up, go on with and delete episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, TypeVar, get_args
from zoneinfo import ZoneInfo

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, JsonValue, StringConstraints, model_validator

from memory_graph import clock
from memory_graph.curation.forget import forget
from memory_graph.curation.lookup import SHORT_ID, find_episode
from memory_graph.episodes import stated as lifecycle
from memory_graph.episodes.rendering import (
    draw_mermaid,
    find_link_problems,
    is_numbered,
    permalink_of,
    render_arc,
    render_decisions,
    render_detail,
    render_entry,
    render_hit,
)
from memory_graph.episodes.search import (
    EpisodeQuery,
    EpisodesFound,
    Period,
    PeriodProblem,
    find_episodes,
    read_period,
    replay,
)
from memory_graph.episodes.stated import (
    Addition,
    KeptEpisode,
    StatedEpisode,
    draft_from,
    keep_episode,
)
from memory_graph.records import (
    Decision,
    DecisionType,
    Episode,
    Event,
    EventType,
    FactLink,
    Outcome,
    Share,
)
from memory_graph.store.scope import UserMemory
from memory_graph.tools._calls import Call, ToolArgs, also, memory_tool

LONGEST_CONTENT = 50_000
"""Searched to its end, by words and by meaning."""

Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]

Summary = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=lifecycle.LONGEST_SUMMARY)
]

Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=lifecycle.LONGEST_TITLE)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]
Content = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_CONTENT)]
Names = Annotated[list[Text], Field(max_length=50)]
Ids = Annotated[list[Id], Field(max_length=50)]
_BOUND = "ISO 8601 with or without a zone, a bare date, or words such as `yesterday`."
_PROJECT = "Only of this project; left out: the current one; `*`: of all."


class FactLinkArgs(ToolArgs):
    """A fact that came out of the episode."""

    fact_id: Id = Field(description="Id of the fact.")
    confidence: Share = Field(default=1.0, description="How sure the link is, 0 to 1.")


class DecisionArgs(ToolArgs):
    """A choice made in the episode."""

    id: Text = Field(default="", description="`d001`, …; left out: numbered.")
    timestamp: datetime | None = Field(default=None, description="When, ISO 8601.")
    title: Text = Field(default="", description="What it was about.")
    type: DecisionType = Field(default="design", description="Kind of decision.")
    context: Words = Field(default="", description="What had to be decided.")
    options: Names = Field(default=[], description="What could have been chosen.")
    chosen: Words = Field(min_length=1, description="What was chosen.")
    rationale: Words = Field(default="", description="Why.")
    outcome: Outcome = Field(default="unknown", description="What came of it.")
    effects: Ids = Field(default=[], description="Ids of the decisions and events it caused.")


class EventArgs(ToolArgs):
    """Something that happened in the episode."""

    id: Text = Field(default="", description="`e001`, …; left out: numbered.")
    timestamp: datetime | None = Field(default=None, description="When, ISO 8601.")
    type: EventType = Field(default="milestone", description="Kind of event.")
    content: Words = Field(min_length=1, description="What happened.")
    caused_by: Ids = Field(default=[], description="Ids of what caused it.")
    leads_to: Ids = Field(default=[], description="Ids of what it led to.")


Decisions = Annotated[list[DecisionArgs], Field(max_length=100)]
Events = Annotated[list[EventArgs], Field(max_length=200)]


class _StatedArgs(ToolArgs):
    content: Content = Field(default="", description="What happened, in full.")
    summary: Summary = Field(
        default="", description="One or two sentences; left out: the beginning."
    )
    title: Title = Field(default="", description="A few words; left out: the first sentence.")
    metadata: dict[str, JsonValue] = Field(
        default={},
        max_length=50,
        description="Anything else worth keeping: session_id, source, participants, ….",
    )
    project: Text = Field(
        default="",
        validation_alias=also("project", "context"),
        description="Project it belongs to; left out: the current.",
    )
    entity_ids: Ids = Field(
        default=[], description="Facts that came out of it, or whom and what it is about."
    )
    fact_links: list[FactLinkArgs] = Field(
        default=[], max_length=50, description="Facts that came out of it, in order."
    )
    parent_episode_id: Id | None = Field(
        default=None,
        validation_alias=also("parent_episode_id", "parent_id"),
        description="Episode it continues; left out: found by its theme.",
    )


class AddEpisodeArgs(_StatedArgs):
    """Arguments of `add_episode`."""

    content: Annotated[Content, Field(min_length=1)] = Field(description="What happened, in full.")


class StoreEpisodeArgs(_StatedArgs):
    """Arguments of `store_episode`."""

    session_id: Text = Field(default="", description="Such as `2026-01-21-session-42`.")
    task: Words = Field(default="", description="What was to be done.")
    outcome: Outcome = Field(default="unknown", description="How it ended.")
    decisions: Decisions = Field(default=[], description="What was decided.")
    events: Events = Field(default=[], description="What happened.")
    lessons: Names = Field(default=[], description="What was learnt.")
    metrics: dict[str, float] = Field(default={}, description="Numbers worth keeping, by name.")
    participants: Names = Field(default=[], description="Who took part.")
    tools_used: Names = Field(default=[], description="Which tools were used.")
    entities: Names = Field(default=[], description="Projects, systems and places it is about.")
    tags: Names = Field(default=[], description="Three to five keywords.")

    @model_validator(mode="after")
    def _tells_something(self) -> "StoreEpisodeArgs":
        if not (self.content or self.task):
            raise ValueError("`task` or `content` has to say what it was")
        return self


class QueryEpisodesArgs(ToolArgs):
    """Arguments of `query_episodes`."""

    outcome: Outcome | None = Field(default=None, description="Only with this outcome.")
    task: Text = Field(default="", description="Only with these words in its task or title.")
    time_start: Text = Field(
        default="",
        validation_alias=also("time_start", "since"),
        description=f"Not before this. {_BOUND}",
    )
    time_end: Text = Field(
        default="",
        validation_alias=also("time_end", "until"),
        description=f"Not after this. {_BOUND}",
    )
    when: Text = Field(default="", description="A time in words, such as `last week`.")
    project: Text = Field(
        default="", validation_alias=also("project", "context"), description=_PROJECT
    )
    tool: Text = Field(default="", description="Only where this tool was used.")
    participant: Text = Field(default="", description="Only where this person took part.")
    entity: Text = Field(default="", description="Only about this system, project or place.")
    tag: Text = Field(default="", description="Only with this tag.")
    fact_id: Text = Field(default="", description="Only those a fact came out of.")
    limit: int = Field(default=20, ge=1, le=100, description="How many to return at most.")


class SearchEpisodesArgs(QueryEpisodesArgs):
    """Arguments of `search_episodes`."""

    query: Text = Field(
        min_length=1, description="What it was about, in words; they may name a time, too."
    )
    limit: int = Field(default=10, ge=1, le=50, description="How many to return at most.")


class EpisodeIdArgs(ToolArgs):
    """Arguments of the tools that take one episode."""

    episode_id: Id = Field(
        validation_alias=also("episode_id", "id"),
        description="Id of the episode, or its session, from a search.",
    )


class GetEpisodeArgs(EpisodeIdArgs):
    """Arguments of `get_episode`."""

    include_facts: bool = Field(
        default=False,
        validation_alias=also("include_facts", "include_entities"),
        description="Add the facts that came out of it.",
    )


class ReplayTopicArgs(ToolArgs):
    """Arguments of `replay_topic`."""

    topic: Text = Field(min_length=1, description="The topic, in words.")
    limit: int = Field(default=5, ge=1, le=50, description="How many to return at most.")
    project: Text = Field(
        default="", validation_alias=also("project", "context"), description=_PROJECT
    )


@memory_tool
async def add_episode(args: AddEpisodeArgs, call: Call) -> str:
    """Keep something that happened as an episode, in your own words."""
    return await _keep(args, call)


@memory_tool
async def store_episode(args: StoreEpisodeArgs, call: Call) -> str:
    """Keep a session with its task, decisions, events, lessons, metrics and people."""
    return await _keep(args, call)


@memory_tool
async def get_episode(args: GetEpisodeArgs, call: Call) -> str:
    """Read everything that is kept of one episode, in full."""
    memory, episode = call.memory, await _named(call.memory, args.episode_id)
    known = await memory.facts.find(link.fact_id for link in episode.facts)
    facts = [
        (known[link.fact_id], link.position, link.confidence)
        for link in episode.facts
        if args.include_facts and link.fact_id in known
    ]
    await memory.commit(await memory.access.touch([episode.id], clock.utc_now()))
    return render_detail(episode, facts)


@memory_tool
async def delete_episode(args: EpisodeIdArgs, call: Call) -> str:
    """Delete one episode for good, with what patterns learnt from it."""
    episode = await _named(call.memory, args.episode_id)
    await forget(call.memory, episode, clock.utc_now())
    return f"Deleted the episode {episode.id}."


EPISODE_TOOLS: tuple[BaseTool, ...] = (add_episode, store_episode, get_episode, delete_episode)


async def _named(memory: UserMemory, given: str, project: str = "") -> Episode:
    return await find_episode(memory, given, project=project, shortest=SHORT_ID)


async def _keep(args: AddEpisodeArgs | StoreEpisodeArgs, call: Call) -> str:
    stated = await stated_from(args, call.memory, call.context.zone)
    stated = replace(stated, project=stated.project or call.context.project)
    zone, policy = call.context.zone, call.context.capture
    return _told(await keep_episode(call.memory, stated, call.change, zone, policy), call, "Kept")


def _told(kept: KeptEpisode, call: Call, done: str) -> str:
    call.report(kept.decision)
    return tell_kept(kept, done)


async def stated_from(
    args: AddEpisodeArgs | StoreEpisodeArgs, memory: UserMemory, zone: ZoneInfo
) -> StatedEpisode:
    """Return what a call states, as it is kept."""
    parent = args.parent_episode_id
    task = args.task if isinstance(args, StoreEpisodeArgs) else ""
    stated = StatedEpisode(
        content=args.content,
        draft=draft_from(args.content, title=args.title or task, summary=args.summary or task),
        metadata=without_outcome(args.metadata),
        facts=_links(args.fact_links),
        entity_ids=tuple(args.entity_ids),
        project=args.project or None,
        session_id=str(args.metadata.get("session_id") or "") or None,
        parent_id=(await _named(memory, parent)).id if parent else None,
    )
    told = stated.draft.model_copy(update={"outcome": _outcome_in(args.metadata)})
    stated = replace(stated, draft=told)
    return _with_structure(stated, args, zone) if isinstance(args, StoreEpisodeArgs) else stated


def _outcome_in(metadata: Mapping[str, JsonValue]) -> Outcome:
    """Return the outcome that metadata names, where some people put it."""
    named = metadata.get("outcome")
    return next((each for each in get_args(Outcome) if each == named), "unknown")


def without_outcome(metadata: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return metadata without an outcome that counts as the episode's own."""
    is_known = metadata.get("outcome") in get_args(Outcome)
    return {name: each for name, each in metadata.items() if name != "outcome" or not is_known}


def _with_structure(stated: StatedEpisode, args: StoreEpisodeArgs, zone: ZoneInfo) -> StatedEpisode:
    lists = ("lessons", "participants", "tools_used", "entities", "tags")
    known = {name: tuple(values) for name in lists if (values := getattr(args, name))}
    task = {"task": args.task} if len(args.task) > len(stated.draft.topic) else {}
    outcome = stated.draft.outcome if args.outcome == "unknown" else args.outcome
    return replace(
        stated,
        draft=stated.draft.model_copy(update={"outcome": outcome, **known}),
        decisions=read_decisions(args.decisions, zone),
        events=read_events(args.events, zone),
        metrics=args.metrics,
        metadata={**task, **stated.metadata},
        session_id=args.session_id or stated.session_id,
    )


def tell_kept(kept: KeptEpisode, done: str = "Kept") -> str:
    """Return what became of a stated episode, and what of it leads nowhere."""
    episode = kept.episode
    lines = [f"{done}:", render_entry(episode), f"  Linked facts: {len(episode.facts)}"]
    if episode.metadata.session_id and is_numbered(episode.metadata.session_id):
        lines.append(f"  Permalink: {permalink_of(episode.metadata.session_id)}")
    if kept.decision.action == "update" and done == "Kept":
        lines[0] = "Kept in place of what was stored of this session:"
    if kept.missing_facts:
        lines.append(
            f"Not linked, because nothing is known of it: {', '.join(kept.missing_facts)}."
        )
    if problems := find_link_problems(episode):
        broken = ", ".join(f"{each.source} {each.field} {each.target}" for each in problems)
        lines.append(f"Links that lead nowhere: {broken}.")
    return "\n".join(lines)


def _links(links: Sequence[FactLinkArgs]) -> tuple[FactLink, ...]:
    return tuple(
        FactLink(fact_id=each.fact_id, position=position, confidence=each.confidence)
        for position, each in enumerate(links, start=1)
    )


Given = TypeVar("Given", DecisionArgs, EventArgs)


def read_decisions(given: Sequence[DecisionArgs], zone: ZoneInfo) -> tuple[Decision, ...]:
    """Return decisions with their ids and times."""
    return tuple(
        Decision.model_validate({**each.model_dump(), "id": name, "timestamp": at})
        for each, name, at in _steps(given, "d", zone)
    )


def read_events(given: Sequence[EventArgs], zone: ZoneInfo) -> tuple[Event, ...]:
    """Return events with their ids and times."""
    return tuple(
        Event.model_validate({**each.model_dump(), "id": name, "timestamp": at})
        for each, name, at in _steps(given, "e", zone)
    )


def _steps(
    given: Sequence[Given], letter: str, zone: ZoneInfo
) -> list[tuple[Given, str, datetime | None]]:
    """Return each step with its id, numbered where it has none, and its time with a zone."""
    names = [each.id or f"{letter}{number:03d}" for number, each in enumerate(given, 1)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ToolException(f"Nothing was done. These ids come twice: {', '.join(twice)}.")
    return [
        (each, name, _in_zone(each.timestamp, zone))
        for each, name in zip(given, names, strict=True)
    ]


def _in_zone(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    return moment.replace(tzinfo=zone) if moment and moment.tzinfo is None else moment


_PROBLEMS: dict[PeriodProblem, str] = {
    "unreadable_start": "`time_start` is no time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_end": "`time_end` is no time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_when": "`when` names no time in the past. Try `last week` or use `time_start`.",
    "end_before_start": "`time_end` is before `time_start`. Swap them or widen the range.",
}

_NONE = "No episode fits."


@memory_tool
async def search_episodes(args: SearchEpisodesArgs, call: Call) -> str:
    """Find episodes by what they were about, and when, where or with whom they happened."""
    return await _search(args, call, args.query)


@memory_tool
async def query_episodes(args: QueryEpisodesArgs, call: Call) -> str:
    """List the latest episodes that have all of what you name."""
    return await _search(args, call, "")


@memory_tool
async def get_episode_chain(args: EpisodeIdArgs, call: Call) -> str:
    """Retrace the whole arc an episode is part of, its first part first."""
    episode = await _named(call.memory, args.episode_id)
    chain = await call.memory.episodes.chain(episode.id)
    return "\n".join([render_arc(chain), *map(render_entry, chain)])


@memory_tool
async def replay_topic(args: ReplayTopicArgs, call: Call) -> str:
    """Replay what happened about a topic over time, oldest first."""
    project = call.project(args.project)
    asked = EpisodeQuery(text=args.topic, limit=args.limit, project=project)
    found = await replay(call.memory, asked, clock.utc_now(), call.context.zone)
    episodes = [each.record for each in found.hits]
    if not episodes:
        return f"No episodes found for topic: {args.topic}"
    return "\n".join([render_arc(episodes), *map(render_entry, episodes), *_rest(found)])


EPISODE_SEARCH_TOOLS: tuple[BaseTool, ...] = (
    search_episodes,
    query_episodes,
    get_episode_chain,
    replay_topic,
)


async def _search(args: QueryEpisodesArgs, call: Call, text: str) -> str:
    zone, now = call.context.zone, clock.utc_now()
    period = read_period(args.time_start, args.time_end, args.when, now=now, zone=zone)
    if not isinstance(period, Period):
        raise ToolException(f"Nothing was done. {_PROBLEMS[period]}")
    asked = EpisodeQuery(
        text=text,
        period=period,
        project=call.project(args.project),
        **args.model_dump(
            include={"outcome", "task", "tool", "participant", "entity", "tag", "fact_id", "limit"}
        ),
    )
    found = await find_episodes(call.memory, asked, now, zone)
    if not found.hits:
        return _NONE
    hits = (render_hit(each, found.arcs.get(each.record.id, ())) for each in found.hits)
    return "\n".join([*_time_read(found), *hits, *_rest(found)])


def _time_read(found: EpisodesFound) -> list[str]:
    if not found.phrase:
        return []
    if found.is_outside:
        return [f"Nothing of {found.phrase!r} fits; these are of other times."]
    return [f"Of {found.phrase!r}:"]


def _rest(found: EpisodesFound) -> list[str]:
    return [f"{found.more} more fit: raise `limit`, or say more."] if found.more else []


class DecisionSequenceArgs(EpisodeIdArgs):
    """Arguments of `get_decision_sequence`."""

    project: Text = Field(default="", description="Of this project, if several have the session.")
    diagram: bool = Field(default=False, description="Add causes and effects as a Mermaid chart.")


@memory_tool
async def get_decision_sequence(args: DecisionSequenceArgs, call: Call) -> str:
    """Retrace the decisions of one episode in order, each with its outcome and effects."""
    episode = await _named(call.memory, args.episode_id, call.project(args.project))
    told = render_decisions(episode)
    return f"{told}\n{draw_mermaid(episode)}" if args.diagram and episode.decisions else told


DECISION_TOOLS: tuple[BaseTool, ...] = (get_decision_sequence,)


# — an episode that is under way —
class StartEpisodeArgs(ToolArgs):
    """Arguments of `start_episode`."""

    topic: Title = Field(min_length=1, description="What it is about.")
    content: Content = Field(default="", description="What happened so far.")
    session_id: Text = Field(default="", description="Such as `2026-01-21-session-42`.")
    project: Text = Field(
        default="",
        validation_alias=also("project", "context"),
        description="Project it belongs to; left out: the current.",
    )
    parent_episode_id: Id | None = Field(
        default=None,
        validation_alias=also("parent_episode_id", "parent_id"),
        description="Episode it continues; left out: found by its topic.",
    )


class UpdateEpisodeArgs(EpisodeIdArgs):
    """Arguments of `update_episode`."""

    content: Content = Field(default="", description="What happened since; added to the end.")
    title: Title = Field(default="", description="A better title.")
    summary: Summary = Field(default="", description="A better summary.")
    outcome: Outcome | None = Field(default=None, description="How it stands.")
    decisions: Decisions = Field(default=[], description="What was decided since.")
    events: Events = Field(default=[], description="What happened since.")
    lessons: Names = Field(default=[], description="What was learnt.")
    next_steps: Names = Field(default=[], description="What is to be done next.")
    metrics: dict[str, float] = Field(default={}, description="Numbers worth keeping, by name.")
    metadata: dict[str, JsonValue] = Field(
        default={}, max_length=50, description="participants, tools_used, entities, tags, …."
    )


@memory_tool
async def start_episode(args: StartEpisodeArgs, call: Call) -> str:
    """Open an episode that goes on; `update_episode` adds to it, `close_episode` ends it."""
    parent = args.parent_episode_id
    stated = StatedEpisode(
        content=args.content,
        draft=draft_from(args.content, title=args.topic),
        project=args.project or call.context.project,
        session_id=args.session_id or None,
        parent_id=(await _named(call.memory, parent)).id if parent else None,
    )
    kept = await lifecycle.start_episode(
        call.memory, stated, call.change, call.context.zone, call.context.capture
    )
    return _told(kept, call, "Started")


@memory_tool
async def update_episode(args: UpdateEpisodeArgs, call: Call) -> str:
    """Add to an episode: what happened since, what was decided, who took part."""
    episode = await _named(call.memory, args.episode_id)
    kept = await lifecycle.update_episode(
        call.memory, episode.id, _addition(args, episode), call.change
    )
    return _told(kept, call, "Updated")


@memory_tool
async def close_episode(args: UpdateEpisodeArgs, call: Call) -> str:
    """Close an episode: how it ended; who and what it was about is read from its content."""
    episode = await _named(call.memory, args.episode_id)
    kept = await lifecycle.close_episode(
        call.memory, episode.id, _addition(args, episode), call.change
    )
    return _told(kept, call, "Closed")


LIFECYCLE_TOOLS: tuple[BaseTool, ...] = (start_episode, update_episode, close_episode)


def _addition(args: UpdateEpisodeArgs, episode: Episode) -> Addition:
    zone = ZoneInfo(episode.time_zone)
    return Addition(
        decisions=read_decisions(args.decisions, zone),
        events=read_events(args.events, zone),
        lessons=tuple(args.lessons),
        next_steps=tuple(args.next_steps),
        metadata=args.metadata,
        **args.model_dump(include={"content", "title", "summary", "outcome", "metrics"}),
    )
