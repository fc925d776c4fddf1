"""Tools with which the agent writes episodes: adds them whole, or starts, continues and closes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import Annotated, TypeVar, get_args
from zoneinfo import ZoneInfo

from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, JsonValue, model_validator

from memory_graph import records
from memory_graph.episodes import rendering
from memory_graph.episodes.building import Occasion, build_episode, dated, in_time
from memory_graph.episodes.chaining import Draft, choose_parent, related
from memory_graph.episodes.closing import closed
from memory_graph.episodes.store import STATED
from memory_graph.episodes.themes import theme_of_episode
from memory_graph.episodes.writing import writer_for
from memory_graph.keys import normalise, stable_id
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import shorten
from memory_graph.llm.models import models_for
from memory_graph.safety.secrets import without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.changes import decision_for, receipt_of
from memory_graph.store.locks import user_lock_across_processes
from memory_graph.tools._calls import Also, Call, ToolArgs, memory_tool, text_of
from memory_graph.tools.episodes import (
    EpisodeRef,
    Id,
    Text,
    delete_episode,
    find_named,
    get_episode,
)

LONGEST_CONTENT = 50_000  # searched to its end, by words and by meaning
_LONGEST_SUMMARY = 600
_LONGEST_TITLE = 120
_LISTS = ("participants", "tools_used", "entities", "key_decisions", "tags")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBERS = "Numbers worth keeping, by name."

Summary = Annotated[str, text_of(_LONGEST_SUMMARY)]
Title = Annotated[str, text_of(_LONGEST_TITLE)]
Words = Annotated[str, text_of(2000)]
Content = Annotated[str, text_of(LONGEST_CONTENT)]
Names = Annotated[list[Text], Field(max_length=50)]
Ids = Annotated[list[Id], Field(max_length=50)]
Metadata = Annotated[dict[str, JsonValue], Field(max_length=50)]
Session = Annotated[Text, Field(description="Such as `2026-01-21-session-42`.")]
ParentId = Annotated[Id | None, Also("parent_id")]
OwnProject = Annotated[
    Text, Also("context"), Field(description="Project it belongs to; default: the current one.")
]


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


class _Session(_StatedArgs):
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


class StoreEpisodeArgs(_Session):
    """Arguments of `store_episode`."""

    @model_validator(mode="after")
    def _tells_something(self) -> "StoreEpisodeArgs":
        if not (self.content or self.task):
            raise ValueError("`task` or `content` has to say what it was")
        return self


class _StartEpisode(ToolArgs):
    topic: Title = Field(min_length=1, description="What it is about.")
    content: Content = Field("", description="What happened so far.")
    session_id: Session = ""
    project: OwnProject = ""
    parent_episode_id: ParentId = Field(
        None, description="Episode it continues; by default found by its topic."
    )


class _UpdateEpisode(ToolArgs):
    episode_id: EpisodeRef
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


# — added whole —
@memory_tool
async def add_episode(args: _AddEpisode, call: Call) -> str:
    """Keep something that happened as an episode, in your own words."""
    return await _keep(_Session.model_validate(dict(args)), call)


@memory_tool
async def store_episode(args: StoreEpisodeArgs, call: Call) -> str:
    """Keep a session with its task, decisions, events, lessons, metrics and people."""
    return await _keep(args, call)


@memory_tool
async def start_episode(args: _StartEpisode, call: Call) -> str:
    """Start an episode; `update_episode` adds to it, `close_episode` ends it."""
    given = args.model_dump(exclude={"topic"})
    started = _Session.model_validate({**given, "title": args.topic, "outcome": "ongoing"})
    return await _keep(started, call, "Started")


async def _keep(args: _Session, call: Call, done: str = "Kept") -> str:
    """Keep a stated episode, linked to its facts and to the one it continues.

    A session that is stored again replaces what was stored of it.
    """
    decisions = _steps(args.decisions, records.Decision, call.context.zone)
    events = _steps(args.events, records.Event, call.context.zone)
    given, draft = _read(args)
    occasion = _occasion(args, given, [*decisions, *events], call)
    async with user_lock_across_processes(call.memory.scope):
        parent = await _parent(args, draft, occasion, call)
        links, missing = await _links(args, call)
        built = build_episode(draft, replace(occasion, parent_episode_id=parent))
        before = (await call.memory.episodes.find([built.id])).get(built.id)
        listed = {name: _listed(given[name]) for name in _LISTS if name in given}
        own = {name: value for name, value in built.metadata.model_dump().items() if value}
        metadata = {**given, **own, **listed}
        episode = built.model_copy(
            update={
                "content": args.content,
                "decisions": in_time(decisions),
                "events": in_time(events),
                "metrics": args.metrics,
                "facts": links,
                "metadata": records.EpisodeMetadata.model_validate(metadata),
                "created_at": before.created_at if before else built.created_at,
            }
        )
        kept = await _save(before, episode, call, "stated")
    if before and done == "Kept":
        done = "Kept in place of what was stored of this session"
    return _told(kept, done, missing)


def _read(args: _Session) -> tuple[dict[str, JsonValue], records.EpisodeDraft]:
    """Return the metadata, which may name the outcome, and the draft.

    The first sentence stands in for a title.
    """
    given: dict[str, JsonValue] = dict(args.metadata)
    outcome: JsonValue = args.outcome
    if given.get("outcome") in get_args(records.Outcome):
        named = given.pop("outcome")
        outcome = named if outcome == "unknown" else outcome
    lists = ("lessons", "participants", "tools_used", "entities", "tags")
    known = {name: tuple(values) for name in lists if (values := getattr(args, name))}
    title = args.title or args.task
    told = args.summary or args.task or args.content or title
    first = next(iter(split_sentences(told)), told).rstrip(".!?")
    draft = records.EpisodeDraft(
        summary=shorten(told, _LONGEST_SUMMARY),
        topic=shorten(title or first, _LONGEST_TITLE),
    )
    given |= {"session_id": args.session_id or str(given.get("session_id") or "") or None}
    task = {"task": args.task} if len(args.task) > len(draft.topic) else {}
    return {**task, **given}, draft.model_copy(update={"outcome": outcome, **known})


def _occasion(
    args: _Session,
    given: Mapping[str, JsonValue],
    steps: Sequence[records.Decision | records.Event],
    call: Call,
) -> Occasion:
    """Return when it took place: by its steps, or on the earlier day its session is named after."""
    change, zone, project = call.change, call.context.zone, args.project or call.context.project
    session = str(given["session_id"] or "")
    times = [each.timestamp for each in steps if each.timestamp]
    if not times and (named := _DAY.match(session)):
        try:
            day = date.fromisoformat(named[0])
        except ValueError:
            day = date.max
        is_earlier = day < change.at.astimezone(zone).date()
        times = [datetime.combine(day, time(12), tzinfo=zone)] if is_earlier else []
    session_id = stable_id("session", project or "", session.casefold())
    return Occasion(
        episode_id=f"ep-{session_id if session else change.id}",
        started_at=min(times, default=change.at),
        ended_at=max(times, default=change.at),
        now=change.at,
        zone=zone,
        source=change.source,
        project=project,
        summariser=STATED,
    )


async def _parent(
    args: _Session, draft: records.EpisodeDraft, occasion: Occasion, call: Call
) -> str | None:
    """Return the episode that it continues: the one that is named, or the one it is like."""
    at, named = occasion.ended_at, args.parent_episode_id
    told, theme = f"{draft.topic}. {draft.summary}", theme_of_episode(draft)
    known = await related(call.memory, told, theme, at)
    place = Draft(
        episode_id=occasion.episode_id,
        now=at,
        entities=frozenset(draft.entities),
        project=occasion.project,
    )
    before = [each for each in known if each.episode.ended_at <= at]
    parent = (await find_named(call.memory, named)).id if named else None
    return choose_parent(place, before, call.context.policies.capture, explicit_parent_id=parent)[0]


async def _links(args: _Session, call: Call) -> tuple[tuple[records.FactLink, ...], list[str]]:
    """Return the links to what is known, and what is not."""
    facts = call.memory.facts
    known = await facts.find(link.fact_id for link in args.fact_links)
    links = [
        records.FactLink(fact_id=link.fact_id, position=position, confidence=link.confidence)
        for position, link in enumerate(args.fact_links, start=1)
        if link.fact_id in known
    ]
    missing = [link.fact_id for link in args.fact_links if link.fact_id not in known]
    current = await facts.current() if args.entity_ids else []
    for named in args.entity_ids:
        bare = named.strip().removeprefix("entity:").removeprefix("fact:")
        exact = [fact for fact in current if fact.id == bare]
        about = [fact for fact in current if normalise(fact.entity) == normalise(bare)]
        for fact in exact or about:
            links.append(records.FactLink(fact_id=fact.id, position=len(links) + 1))
        missing += [] if exact or about else [named]
    by_fact = {link.fact_id: link for link in reversed(links)}
    return tuple(sorted(by_fact.values(), key=lambda link: link.position)), missing


Step = TypeVar("Step", records.Decision, records.Event)


def _steps(given: Sequence[StepArgs], record: type[Step], zone: ZoneInfo) -> tuple[Step, ...]:
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


async def _save(
    before: records.Episode | None, episode: records.Episode, call: Call, reason: str
) -> records.Episode:
    """Write an episode, and return it as it is kept."""
    after = without_secrets(episode, get_settings().admission.sensitive)
    decision = decision_for("update" if before else "create", reason, before=before, after=after)
    puts = await call.memory.episodes.puts([after], call.change.at)
    receipts = [receipt_of(call.change)]
    await call.memory.apply(call.tool, [decision], puts, at=call.change.at, receipts=receipts)
    call.report(decision)
    return after


def _told(episode: records.Episode, done: str, missing: Sequence[str] = ()) -> str:
    """Return what was done with an episode, and which of its links are broken."""
    session = episode.metadata.session_id
    lines = [f"{done}:", rendering.render_entry(episode), f"  Linked facts: {len(episode.facts)}"]
    if session and rendering.is_numbered(session):
        lines.append(f"  Permalink: {rendering.permalink_of(session)}")
    if missing:
        lines.append(f"Not linked, because nothing is known of it: {', '.join(missing)}.")
    return "\n".join([*lines, *rendering.render_link_problems(episode)])


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


# — under way —
@memory_tool
async def update_episode(args: _UpdateEpisode, call: Call) -> str:
    """Add to an episode: what happened since, what was decided, who took part."""
    async with user_lock_across_processes(call.memory.scope):
        before = await find_named(call.memory, args.episode_id)
        after = _with_addition(before, args, call.change.at)
        return _told(await _save(before, after, call, "added_to"), "Updated")


@memory_tool
async def close_episode(args: _UpdateEpisode, call: Call) -> str:
    """Close an episode with its outcome; people and topics are read from its content."""
    async with user_lock_across_processes(call.memory.scope):
        before = await find_named(call.memory, args.episode_id)
        added = _with_addition(before, args, call.change.at)
        writer = writer_for(models_for(call.context).episode)
        after = await closed(added, writer, call.change.at)
        return _told(await _save(before, after, call, "closed"), "Closed")


def _with_addition(
    episode: records.Episode, args: _UpdateEpisode, now: datetime
) -> records.Episode:
    """Return an episode that spans what was added; one that is over stays on its day.

    One that is open ends now, unless it was written down on a later day than its own.
    """
    known, added = episode.metadata, dict(args.metadata)
    for name in set(_LISTS) & added.keys():
        more = map(str, _listed(added[name]))
        added[name] = list(dict.fromkeys([*getattr(known, name), *more]))
    zone, outcome = ZoneInfo(episode.time_zone), args.outcome or episode.outcome
    decisions = _steps(args.decisions, records.Decision, zone)
    events = _steps(args.events, records.Event, zone)
    title = args.title or episode.title
    status = "active" if outcome == "ongoing" else episode.status
    happened, written = episode.started_at.astimezone(zone), episode.created_at.astimezone(zone)
    goes_on = status == "active" and happened.date() >= written.date()
    stamps = (*(each.timestamp for each in decisions), *(each.timestamp for each in events))
    times = [each for each in stamps if each]
    end = max([episode.ended_at, *times, *([now] if goes_on else [])])
    return episode.model_copy(
        update={
            **dated(end.astimezone(zone), title),
            "content": "\n".join(filter(None, (episode.content, args.content))),
            "title": title,
            "summary": args.summary or episode.summary,
            "outcome": outcome,
            "status": status,
            "decisions": _joined(episode.decisions, decisions),
            "events": _joined(episode.events, events),
            "lessons": tuple(dict.fromkeys((*episode.lessons, *args.lessons))),
            "next_steps": tuple(dict.fromkeys((*episode.next_steps, *args.next_steps))),
            "metrics": {**episode.metrics, **args.metrics},
            "metadata": records.EpisodeMetadata.model_validate({**known.model_dump(), **added}),
            "started_at": min([episode.started_at, *times]),
            "ended_at": end,
            "updated_at": now,
        }
    )


def _joined(old: Sequence[Step], new: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps together by time; one that comes under a known id replaces it."""
    replaced = {each.id for each in new}
    kept: list[Step] = [each for each in old if each.id not in replaced]
    return in_time(kept + list(new))


RECORDING_TOOLS: tuple[BaseTool, ...] = (
    add_episode,
    store_episode,
    get_episode,
    delete_episode,
    start_episode,
    update_episode,
    close_episode,
)
