"""Tools with which the agent adds, searches, continues and deletes episodes."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, TypeVar, get_args
from zoneinfo import ZoneInfo

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, JsonValue, StringConstraints, model_validator

from memory_graph import clock, records
from memory_graph.curation.forget import forget
from memory_graph.curation.lookup import SHORT_ID, find_episode
from memory_graph.episodes import rendering, search, stated
from memory_graph.store.scope import UserMemory
from memory_graph.tools._calls import Also, Call, ToolArgs, memory_tool

LONGEST_CONTENT = 50_000  # searched to its end, by words and by meaning


def _text(longest: int, shortest: int = 0) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=shortest or None, max_length=longest)


Id = Annotated[str, _text(200, 1)]
Text = Annotated[str, _text(500)]
Summary = Annotated[str, _text(stated.LONGEST_SUMMARY)]
Title = Annotated[str, _text(stated.LONGEST_TITLE)]
Words = Annotated[str, _text(2000)]
Content = Annotated[str, _text(LONGEST_CONTENT)]
Names = Annotated[list[Text], Field(max_length=50)]
Ids = Annotated[list[Id], Field(max_length=50)]
Metadata = Annotated[dict[str, JsonValue], Field(max_length=50)]
Session = Annotated[Text, Field(description="Such as `2026-01-21-session-42`.")]
ParentId = Annotated[Id | None, Also("parent_id")]
OwnProject = Annotated[
    Text, Also("context"), Field(description="Project it belongs to; default: the current one.")
]
Project = Annotated[
    Text,
    Also("context"),
    Field(description="Only this project; default: the current one; `*`: all."),
]
_BOUND = "ISO 8601 with or without a zone, a bare date, or words such as `yesterday`."
_MOST = "How many to return at most."
_NUMBERS = "Numbers worth keeping, by name."


class FactLinkArgs(ToolArgs):
    """A fact that came from the episode."""

    fact_id: Id = Field(description="Id of the fact.")
    confidence: records.Share = Field(1.0, description="How sure the link is, 0 to 1.")


class StepArgs(ToolArgs):
    """What decisions and events have in common."""

    id: Text = Field("", description="`d001`, `e001`, …; numbered by default.")
    timestamp: datetime | None = Field(None, description="When, ISO 8601.")


class DecisionArgs(StepArgs):
    """A choice made in the episode."""

    title: Text = Field("", description="What it was about.")
    type: records.DecisionType = Field("design", description="Kind of decision.")
    context: Words = Field("", description="What had to be decided.")
    options: Names = Field([], description="What could have been chosen.")
    chosen: Words = Field(min_length=1, description="What was chosen.")
    rationale: Words = Field("", description="Why.")
    outcome: records.Outcome = Field("unknown", description="How it turned out.")
    effects: Ids = Field([], description="Ids of the decisions and events it caused.")


class EventArgs(StepArgs):
    """Something that happened in the episode."""

    type: records.EventType = Field("milestone", description="Kind of event.")
    content: Words = Field(min_length=1, description="What happened.")
    caused_by: Ids = Field([], description="Ids of what caused it.")
    leads_to: Ids = Field([], description="Ids of what it led to.")


Decisions = Annotated[list[DecisionArgs], Field(max_length=100)]
Events = Annotated[list[EventArgs], Field(max_length=200)]


class _StatedArgs(ToolArgs):
    content: Content = Field("", description="What happened, in full.")
    summary: Summary = Field("", description="One or two sentences; default: the beginning.")
    title: Title = Field("", description="A few words; default: the first sentence.")
    metadata: Metadata = Field(
        {}, description="Anything else worth keeping: session_id, source, participants, …."
    )
    project: OwnProject = ""
    entity_ids: Ids = Field(
        [], description="Facts that came from it, or people and things it is about."
    )
    fact_links: list[FactLinkArgs] = Field(
        [], max_length=50, description="Facts that came from it, in order."
    )
    parent_episode_id: ParentId = Field(
        None, description="Episode it continues; by default found by its theme."
    )


class _AddEpisode(_StatedArgs):
    content: Annotated[Content, Field(min_length=1)] = Field(description="What happened, in full.")


class StoreEpisodeArgs(_StatedArgs):
    """Arguments of `store_episode`."""

    session_id: Session = ""
    task: Words = Field("", description="What was to be done.")
    outcome: records.Outcome = Field("unknown", description="How it ended.")
    decisions: Decisions = Field([], description="What was decided.")
    events: Events = Field([], description="What happened.")
    lessons: Names = Field([], description="What was learnt.")
    metrics: dict[str, float] = Field({}, description=_NUMBERS)
    participants: Names = Field([], description="Who took part.")
    tools_used: Names = Field([], description="Which tools were used.")
    entities: Names = Field([], description="Projects, systems and places it is about.")
    tags: Names = Field([], description="Three to five keywords.")

    @model_validator(mode="after")
    def _tells_something(self) -> "StoreEpisodeArgs":
        if not (self.content or self.task):
            raise ValueError("`task` or `content` has to say what it was")
        return self


class _QueryEpisodes(ToolArgs):
    outcome: records.Outcome | None = Field(None, description="Only with this outcome.")
    task: Text = Field("", description="Only with these words in its task or title.")
    time_start: Annotated[Text, Also("since")] = Field("", description=f"Not before this. {_BOUND}")
    time_end: Annotated[Text, Also("until")] = Field("", description=f"Not after this. {_BOUND}")
    when: Text = Field("", description="A time in words, such as `last week`.")
    project: Project = ""
    tool: Text = Field("", description="Only where this tool was used.")
    participant: Text = Field("", description="Only where this person took part.")
    entity: Text = Field("", description="Only about this system, project or place.")
    tag: Text = Field("", description="Only with this tag.")
    fact_id: Text = Field("", description="Only episodes that this fact came from.")
    limit: int = Field(20, ge=1, le=100, description=_MOST)


class _SearchEpisodes(_QueryEpisodes):
    query: Text = Field(
        min_length=1, description="What it was about, in words; they may also name a time."
    )
    limit: int = Field(10, ge=1, le=50, description=_MOST)


class _EpisodeId(ToolArgs):
    episode_id: Annotated[Id, Also("id")] = Field(
        description="Id of the episode, or its session, from a search."
    )


class _GetEpisode(_EpisodeId):
    include_facts: Annotated[bool, Also("include_entities")] = Field(
        False, description="Add the facts that came from it."
    )


class _ReplayTopic(ToolArgs):
    topic: Text = Field(min_length=1, description="The topic, in words.")
    limit: int = Field(5, ge=1, le=50, description=_MOST)
    project: Project = ""


class _DecisionSequence(_EpisodeId):
    project: Text = Field("", description="Of this project, if several have the session.")


class _StartEpisode(ToolArgs):
    topic: Title = Field(min_length=1, description="What it is about.")
    content: Content = Field("", description="What happened so far.")
    session_id: Session = ""
    project: OwnProject = ""
    parent_episode_id: ParentId = Field(
        None, description="Episode it continues; by default found by its topic."
    )


class _UpdateEpisode(_EpisodeId):
    content: Content = Field("", description="What happened since; added to the end.")
    title: Title = Field("", description="A better title.")
    summary: Summary = Field("", description="A better summary.")
    outcome: records.Outcome | None = Field(None, description="How it stands.")
    decisions: Decisions = Field([], description="What was decided since.")
    events: Events = Field([], description="What happened since.")
    lessons: Names = Field([], description="What was learnt.")
    next_steps: Names = Field([], description="What is to be done next.")
    metrics: dict[str, float] = Field({}, description=_NUMBERS)
    metadata: Metadata = Field({}, description="participants, tools_used, entities, tags, ….")


# — kept, read and deleted —
@memory_tool
async def add_episode(args: _AddEpisode, call: Call) -> str:
    """Keep something that happened as an episode, in your own words."""
    return await _store(StoreEpisodeArgs.model_validate(dict(args)), call)


@memory_tool
async def store_episode(args: StoreEpisodeArgs, call: Call) -> str:
    """Keep a session with its task, decisions, events, lessons, metrics and people."""
    return await _store(args, call)


async def _store(args: StoreEpisodeArgs, call: Call) -> str:
    """Keep a stated episode; its outcome may be in the metadata."""
    metadata, zone = dict(args.metadata), call.context.zone
    outcome: JsonValue = args.outcome
    if metadata.get("outcome") in get_args(records.Outcome):
        named = metadata.pop("outcome")
        outcome = named if args.outcome == "unknown" else args.outcome
    lists = ("lessons", "participants", "tools_used", "entities", "tags")
    known = {name: tuple(values) for name in lists if (values := getattr(args, name))}
    draft = stated.draft_from(
        args.content, title=args.title or args.task, summary=args.summary or args.task
    )
    task = {"task": args.task} if len(args.task) > len(draft.topic) else {}
    links = (
        records.FactLink(fact_id=each.fact_id, position=position, confidence=each.confidence)
        for position, each in enumerate(args.fact_links, start=1)
    )
    episode = stated.StatedEpisode(
        content=args.content,
        draft=draft.model_copy(update={"outcome": outcome, **known}),
        decisions=_steps(args.decisions, records.Decision, zone),
        events=_steps(args.events, records.Event, zone),
        metrics=args.metrics,
        metadata={**task, **metadata},
        facts=tuple(links),
        entity_ids=tuple(args.entity_ids),
        project=args.project or call.context.project,
        session_id=args.session_id or str(metadata.get("session_id") or "") or None,
        parent_id=await _parent(call.memory, args.parent_episode_id),
    )
    return await _keep(episode, call)


async def _keep(episode: stated.StatedEpisode, call: Call, done: str = "Kept") -> str:
    zone, policy = call.context.zone, call.context.policies.capture
    kept = await stated.keep_episode(call.memory, episode, call.change, zone, policy)
    call.report(kept.decision)
    return _render_kept(kept, done)


async def _parent(memory: UserMemory, given: str | None) -> str | None:
    return (await _named(memory, given)).id if given else None


async def _named(memory: UserMemory, given: str, project: str = "") -> records.Episode:
    return await find_episode(memory, given, project=project, shortest=SHORT_ID)


StepT = TypeVar("StepT", records.Decision, records.Event)


def _steps(given: Sequence[StepArgs], record: type[StepT], zone: ZoneInfo) -> tuple[StepT, ...]:
    """Return steps, numbered if they have no id, with time zones."""
    letter = record.__name__[0].lower()
    names = [each.id or f"{letter}{number:03d}" for number, each in enumerate(given, 1)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ToolException(f"Nothing was done. These ids come twice: {', '.join(twice)}.")
    steps = []
    for name, each in zip(names, given, strict=True):
        at = each.timestamp
        at = at.replace(tzinfo=zone) if at and at.tzinfo is None else at
        steps.append(record.model_validate({**each.model_dump(), "id": name, "timestamp": at}))
    return tuple(steps)


def _render_kept(kept: stated.KeptEpisode, done: str) -> str:
    """Return what was done with a stated episode, and its broken links."""
    episode, session = kept.episode, kept.episode.metadata.session_id
    if kept.decision.action == "update" and done == "Kept":
        done = "Kept in place of what was stored of this session"
    lines = [f"{done}:", rendering.render_entry(episode), f"  Linked facts: {len(episode.facts)}"]
    if session and rendering.is_numbered(session):
        lines.append(f"  Permalink: {rendering.permalink_of(session)}")
    if missing := ", ".join(kept.missing_facts):
        lines.append(f"Not linked, because nothing is known of it: {missing}.")
    return "\n".join([*lines, *rendering.render_link_problems(episode)])


@memory_tool
async def get_episode(args: _GetEpisode, call: Call) -> str:
    """Read one episode in full."""
    memory, episode = call.memory, await _named(call.memory, args.episode_id)
    known = await memory.facts.find(link.fact_id for link in episode.facts)
    facts = [
        (known[link.fact_id], link.position, link.confidence)
        for link in episode.facts
        if args.include_facts and link.fact_id in known
    ]
    await memory.commit(await memory.access.touch([episode.id], clock.utc_now()))
    return rendering.render_detail(episode, facts)


@memory_tool
async def delete_episode(args: _EpisodeId, call: Call) -> str:
    """Delete one episode for good, with its evidence for patterns."""
    episode = await _named(call.memory, args.episode_id)
    await forget(call.memory, episode, clock.utc_now())
    return f"Deleted the episode {episode.id}."


# — found —
_PROBLEMS: dict[search.PeriodProblem, str] = {
    "unreadable_start": "`time_start` is not a time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_end": "`time_end` is not a time. Write it like 2026-11-16 or 2026-11-16T09:00.",
    "unreadable_when": "`when` names no time in the past. Try `last week` or use `time_start`.",
    "end_before_start": "`time_end` is before `time_start`. Swap them or widen the range.",
}
_FILTERS = {"outcome", "task", "tool", "participant", "entity", "tag", "fact_id", "limit"}


@memory_tool
async def search_episodes(args: _SearchEpisodes, call: Call) -> str:
    """Find episodes by what they were about, and when, where or with whom they happened."""
    return await _search(args, call, args.query)


@memory_tool
async def query_episodes(args: _QueryEpisodes, call: Call) -> str:
    """List the latest episodes that match all filters."""
    return await _search(args, call, "")


async def _search(args: _QueryEpisodes, call: Call, text: str) -> str:
    zone, now = call.context.zone, clock.utc_now()
    period = search.read_period(args.time_start, args.time_end, args.when, now=now, zone=zone)
    if not isinstance(period, search.Period):
        raise ToolException(f"Nothing was done. {_PROBLEMS[period]}")
    asked = search.EpisodeQuery(
        text=text,
        period=period,
        project=call.project(args.project),
        **args.model_dump(include=_FILTERS),
    )
    found = await search.find_episodes(call.memory, asked, now, zone)
    if not found.hits:
        return "No episode fits."
    lines = [rendering.render_hit(e, found.arcs.get(e.record.id, ())) for e in found.hits]
    if found.phrase:
        outside = f"Nothing of {found.phrase!r} fits; these are of other times."
        lines = [outside if found.is_outside else f"Of {found.phrase!r}:", *lines]
    return "\n".join([*lines, *_rest(found)])


def _rest(found: search.EpisodesFound) -> list[str]:
    return [f"{found.more} more fit: raise `limit`, or say more."] if found.more else []


@memory_tool
async def get_episode_chain(args: _EpisodeId, call: Call) -> str:
    """Show the whole arc that an episode is part of, oldest first."""
    episode = await _named(call.memory, args.episode_id)
    chain = await call.memory.episodes.chain(episode.id)
    return "\n".join([rendering.render_arc(chain), *map(rendering.render_entry, chain)])


@memory_tool
async def replay_topic(args: _ReplayTopic, call: Call) -> str:
    """Replay what happened about a topic over time, oldest first."""
    project = call.project(args.project)
    asked = search.EpisodeQuery(text=args.topic, limit=args.limit, project=project)
    found = await search.replay(call.memory, asked, clock.utc_now(), call.context.zone)
    episodes = [each.record for each in found.hits]
    if not episodes:
        return f"No episodes found for topic: {args.topic}"
    entries = map(rendering.render_entry, episodes)
    return "\n".join([rendering.render_arc(episodes), *entries, *_rest(found)])


@memory_tool
async def get_decision_sequence(args: _DecisionSequence, call: Call) -> str:
    """Show the decisions of one episode in order, each with its outcome and effects."""
    episode = await _named(call.memory, args.episode_id, call.project(args.project))
    return rendering.render_decisions(episode)


# — under way —
@memory_tool
async def start_episode(args: _StartEpisode, call: Call) -> str:
    """Start an episode; `update_episode` adds to it, `close_episode` ends it."""
    draft = stated.draft_from(args.content, title=args.topic)
    episode = stated.StatedEpisode(
        content=args.content,
        draft=draft.model_copy(update={"outcome": "ongoing"}),
        project=args.project or call.context.project,
        session_id=args.session_id or None,
        parent_id=await _parent(call.memory, args.parent_episode_id),
    )
    return await _keep(episode, call, "Started")


@memory_tool
async def update_episode(args: _UpdateEpisode, call: Call) -> str:
    """Add to an episode: what happened since, what was decided, who took part."""
    return await _add(args, call, closing=False)


@memory_tool
async def close_episode(args: _UpdateEpisode, call: Call) -> str:
    """Close an episode with its outcome; people and topics are read from its content."""
    return await _add(args, call, closing=True)


async def _add(args: _UpdateEpisode, call: Call, *, closing: bool) -> str:
    episode = await _named(call.memory, args.episode_id)
    zone = ZoneInfo(episode.time_zone)
    addition = stated.Addition(
        decisions=_steps(args.decisions, records.Decision, zone),
        events=_steps(args.events, records.Event, zone),
        lessons=tuple(args.lessons),
        next_steps=tuple(args.next_steps),
        **args.model_dump(
            include={"content", "title", "summary", "outcome", "metrics", "metadata"}
        ),
    )
    kept = await stated.add_to_episode(
        call.memory, episode.id, addition, call.change, closing=closing
    )
    call.report(kept.decision)
    return _render_kept(kept, "Closed" if closing else "Updated")


EPISODE_TOOLS: tuple[BaseTool, ...] = (add_episode, store_episode, get_episode, delete_episode)
SEARCH_TOOLS: tuple[BaseTool, ...] = (
    search_episodes,
    query_episodes,
    get_episode_chain,
    replay_topic,
)
LIFECYCLE_TOOLS: tuple[BaseTool, ...] = (start_episode, update_episode, close_episode)
