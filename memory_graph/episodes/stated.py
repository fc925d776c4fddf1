"""Episodes that agents and people write themselves: added whole, or started and closed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import TypeVar
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from memory_graph.episodes.building import Occasion, build_episode, human_line
from memory_graph.episodes.chaining import Draft, choose_parent, related, theme_of_episode
from memory_graph.episodes.store import STATED
from memory_graph.keys import normalise, stable_id
from memory_graph.language.headlines import shorten
from memory_graph.language.mentions import entities_in, keywords, people_in
from memory_graph.language.sentences import split_sentences
from memory_graph.policies import CapturePolicy
from memory_graph.records import (
    Change,
    Decision,
    Episode,
    EpisodeDraft,
    EpisodeMetadata,
    Event,
    Fact,
    FactLink,
    MemoryDecision,
    Outcome,
    Source,
)
from memory_graph.safety.secrets import without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.scope import UserMemory, receipt_of, user_lock_across_processes

LONGEST_SUMMARY = 600
LONGEST_TITLE = 120
_MOST_NAMES = 12
_MOST_TAGS = 5

Step = TypeVar("Step", Decision, Event)


@dataclass(frozen=True, kw_only=True)
class StatedEpisode:
    """An episode in somebody's own words, with what they know about it."""

    content: str
    draft: EpisodeDraft
    decisions: tuple[Decision, ...] = ()
    events: tuple[Event, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    """Anything else they name; the known fields among it count as such."""

    facts: tuple[FactLink, ...] = ()
    entity_ids: tuple[str, ...] = ()
    """Facts by id, or people and things by name: whatever is known of them is linked."""

    project: str | None = None
    session_id: str | None = None
    parent_id: str | None = None


@dataclass(frozen=True)
class KeptEpisode:
    """The episode as it is kept now; links to facts that do not exist were left out."""

    episode: Episode
    decision: MemoryDecision
    missing_facts: tuple[str, ...] = ()


def draft_from(content: str, *, title: str = "", summary: str = "") -> EpisodeDraft:
    """Return the draft of a stated episode; its first sentence stands in for a title."""
    told = summary.strip() or content.strip() or title.strip()
    first = next(iter(split_sentences(told)), told)
    return EpisodeDraft(
        summary=shorten(told, LONGEST_SUMMARY),
        topic=shorten(title.strip() or first.rstrip(".!?"), LONGEST_TITLE),
    )


async def keep_episode(
    memory: UserMemory,
    stated: StatedEpisode,
    change: Change,
    zone: ZoneInfo,
    policy: CapturePolicy,
) -> KeptEpisode:
    """Keep a stated episode, linked to its facts and to the one it continues.

    A session that is stored again replaces what was stored of it.

    Raises:
        RecordNotFoundError: If the parent it names does not exist.
    """
    async with user_lock_across_processes(memory.scope):
        if stated.parent_id:
            await memory.episodes.get(stated.parent_id)
        links, missing = await _links(memory, stated)
        built = await _built(memory, stated, change, zone, policy)
        before = (await memory.episodes.find([built.id])).get(built.id)
        episode = built.model_copy(
            update={
                "content": stated.content.strip(),
                "decisions": in_time(stated.decisions),
                "events": in_time(stated.events),
                "metrics": stated.metrics,
                "facts": links,
                "metadata": _metadata(built.metadata, stated),
                "created_at": before.created_at if before else built.created_at,
            }
        )
        episode = without_secrets(episode, get_settings().admission.sensitive)
        decision = await _save(memory, before, episode, change, "stated")
    return KeptEpisode(episode, decision, missing)


def in_time(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps by their time; one without a time stays after the one before it."""
    placed: list[tuple[float, Step]] = []
    latest = 0.0
    for each in steps:
        latest = each.timestamp.timestamp() if each.timestamp else latest
        placed.append((latest, each))
    return tuple(each for _, each in sorted(placed, key=lambda pair: pair[0]))


async def _links(
    memory: UserMemory, stated: StatedEpisode
) -> tuple[tuple[FactLink, ...], tuple[str, ...]]:
    """Return the links to what is known, and what is not."""
    known = await memory.facts.find(link.fact_id for link in stated.facts)
    links = [link for link in stated.facts if link.fact_id in known]
    missing = [link.fact_id for link in stated.facts if link.fact_id not in known]
    current = await memory.facts.current() if stated.entity_ids else []
    for named in stated.entity_ids:
        found = _facts_about(named, current)
        links += (FactLink(fact_id=fact.id, position=len(links) + 1) for fact in found)
        missing += [] if found else [named]
    by_fact = {link.fact_id: link for link in reversed(links)}
    return tuple(sorted(by_fact.values(), key=lambda link: link.position)), tuple(missing)


def _facts_about(named: str, current: Sequence[Fact]) -> list[Fact]:
    bare = named.strip().removeprefix("entity:").removeprefix("fact:")
    exact = [fact for fact in current if fact.id == bare]
    return exact or [fact for fact in current if normalise(fact.entity) == normalise(bare)]


async def _built(
    memory: UserMemory,
    stated: StatedEpisode,
    change: Change,
    zone: ZoneInfo,
    policy: CapturePolicy,
) -> Episode:
    draft = stated.draft
    stamps = [
        *(each.timestamp for each in stated.decisions),
        *(each.timestamp for each in stated.events),
    ]
    times = [each for each in stamps if each] or _day_of(stated, change, zone)
    occasion = Occasion(
        episode_id=_id_of(stated, change),
        started_at=min(times, default=change.at),
        ended_at=max(times, default=change.at),
        now=change.at,
        zone=zone,
        source=change.source,
        project=stated.project,
        summariser=STATED,
    )
    parent = await _parent(memory, draft, occasion, policy, stated.parent_id)
    return build_episode(draft, replace(occasion, parent_episode_id=parent))


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _day_of(stated: StatedEpisode, change: Change, zone: ZoneInfo) -> list[datetime]:
    """Return the earlier day that a session is named after, as its time."""
    named = _DAY.match(stated.session_id or "")
    try:
        day = date.fromisoformat(named[0]) if named else None
    except ValueError:
        day = None
    is_earlier = day is not None and day < change.at.astimezone(zone).date()
    return [datetime.combine(day, time(12), tzinfo=zone)] if day and is_earlier else []


async def _parent(
    memory: UserMemory,
    draft: EpisodeDraft,
    occasion: Occasion,
    policy: CapturePolicy,
    named: str | None,
) -> str | None:
    """Return the episode that it continues: the one that is named, or the one it is like."""
    told, theme = f"{draft.topic}. {draft.summary}", theme_of_episode(draft)
    known = await related(memory, told, theme, occasion.ended_at)
    place = Draft(
        episode_id=occasion.episode_id,
        now=occasion.ended_at,
        entities=frozenset(draft.entities),
        project=occasion.project,
    )
    before = [each for each in known if each.episode.ended_at <= occasion.ended_at]
    return choose_parent(place, before, policy, explicit_parent_id=named)[0]


def _id_of(stated: StatedEpisode, change: Change) -> str:
    if not stated.session_id:
        return f"ep-{change.id}"
    return f"ep-{stable_id('session', stated.project or '', stated.session_id.casefold())}"


def _metadata(built: EpisodeMetadata, stated: StatedEpisode) -> EpisodeMetadata:
    """Return what was built, with what somebody named beside it; a single name is a list of one."""
    known = {
        name: _listed(stated.metadata[name])
        for name in ("participants", "tools_used", "entities", "key_decisions", "tags")
        if name in stated.metadata
    }
    free = {name: value for name, value in stated.metadata.items() if name not in known}
    session = {"session_id": stated.session_id} if stated.session_id else {}
    own = {name: value for name, value in built.model_dump(mode="json").items() if value}
    return EpisodeMetadata.model_validate({**free, **own, **known, **session})


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


async def _save(
    memory: UserMemory, before: Episode | None, after: Episode, change: Change, reason: str
) -> MemoryDecision:
    decision = MemoryDecision(
        kind="episode",
        action="update" if before else "create",
        reason=reason,
        memory_id=after.id,
        before=before.model_dump(mode="json") if before else None,
        after=after.model_dump(mode="json"),
    )
    puts = await memory.episodes.puts([after], change.at)
    await memory.apply(change.by, [decision], puts, at=change.at, receipts=[receipt_of(change)])
    return decision


# — an episode that is under way —
@dataclass(frozen=True, kw_only=True)
class Addition:
    """What somebody adds to an episode; whatever is left empty stays as it is."""

    content: str = ""
    """Added to the end of what it holds."""

    title: str = ""
    summary: str = ""
    outcome: Outcome | None = None
    decisions: tuple[Decision, ...] = ()
    events: tuple[Event, ...] = ()
    lessons: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


async def start_episode(
    memory: UserMemory,
    stated: StatedEpisode,
    change: Change,
    zone: ZoneInfo,
    policy: CapturePolicy,
) -> KeptEpisode:
    """Open an episode that goes on; what it continues is named, or found by its topic.

    Raises:
        RecordNotFoundError: If the parent it names does not exist.
    """
    ongoing = stated.draft.model_copy(update={"outcome": "ongoing"})
    return await keep_episode(memory, replace(stated, draft=ongoing), change, zone, policy)


async def update_episode(
    memory: UserMemory, episode_id: str, addition: Addition, change: Change
) -> KeptEpisode:
    """Add to an episode, whether it is still open or closed.

    Raises:
        RecordNotFoundError: If this user has no such episode.
    """
    async with user_lock_across_processes(memory.scope):
        before = await memory.episodes.get(episode_id)
        added = with_addition(before, addition, change.at)
        after = without_secrets(added, get_settings().admission.sensitive)
        return KeptEpisode(after, await _save(memory, before, after, change, "added_to"))


async def close_episode(
    memory: UserMemory, episode_id: str, addition: Addition, change: Change
) -> KeptEpisode:
    """Close an episode: summarised, with metadata read from what it holds.

    Raises:
        RecordNotFoundError: If this user has no such episode.
    """
    async with user_lock_across_processes(memory.scope):
        before = await memory.episodes.get(episode_id)
        added = closed(with_addition(before, addition, change.at))
        after = without_secrets(added, get_settings().admission.sensitive)
        return KeptEpisode(after, await _save(memory, before, after, change, "closed"))


def with_addition(episode: Episode, addition: Addition, now: datetime) -> Episode:
    """Return an episode with what was added, and with `now` as its end if it goes on now."""
    metadata = {
        **episode.metadata.model_dump(mode="json"),
        **{name: value for name, value in addition.metadata.items()},
    }
    lists = ("participants", "tools_used", "entities", "key_decisions", "tags")
    for name in set(lists) & addition.metadata.keys():
        added = _listed(addition.metadata[name])
        metadata[name] = list(dict.fromkeys([*getattr(episode.metadata, name), *map(str, added)]))
    outcome = addition.outcome or episode.outcome
    changed = episode.model_copy(
        update={
            "content": "\n".join(filter(None, (episode.content, addition.content.strip()))),
            "title": shorten(addition.title.strip(), LONGEST_TITLE) or episode.title,
            "summary": shorten(addition.summary.strip(), LONGEST_SUMMARY) or episode.summary,
            "outcome": outcome,
            "status": "active" if outcome == "ongoing" else episode.status,
            "decisions": _joined(episode.decisions, addition.decisions),
            "events": _joined(episode.events, addition.events),
            "lessons": tuple(dict.fromkeys((*episode.lessons, *addition.lessons))),
            "next_steps": tuple(dict.fromkeys((*episode.next_steps, *addition.next_steps))),
            "metrics": {**episode.metrics, **addition.metrics},
            "metadata": EpisodeMetadata.model_validate(metadata),
        }
    )
    return _ended(changed, addition, now)


def closed(episode: Episode) -> Episode:
    """Return an episode that is over, with what its own words tell about it."""
    metadata = episode.metadata
    texts = [text for text in (episode.content, *episode.lessons) if text]
    read = {
        "participants": metadata.participants or people_in(texts)[:_MOST_NAMES],
        "entities": metadata.entities or entities_in(texts)[:_MOST_NAMES],
        "key_decisions": metadata.key_decisions
        or tuple(each.chosen for each in episode.decisions)[:_MOST_NAMES],
        "tags": metadata.tags or keywords(texts, _MOST_TAGS),
    }
    told = draft_from(episode.content).summary if episode.content else episode.summary
    return episode.model_copy(
        update={
            "status": "summarized",
            "outcome": "unknown" if episode.outcome == "ongoing" else episode.outcome,
            "summary": told if episode.summary == episode.title else episode.summary,
            "metadata": metadata.model_copy(update=read),
        }
    )


def _joined(old: tuple[Step, ...], new: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return steps together by time; one that comes under a known id replaces it."""
    replaced = {each.id for each in new}
    return in_time(tuple(each for each in old if each.id not in replaced) + new)


def _ended(episode: Episode, addition: Addition, now: datetime) -> Episode:
    """Return an episode that spans what was added; one that is over stays on its day."""
    zone = ZoneInfo(episode.time_zone)
    steps: tuple[Decision | Event, ...] = (*addition.decisions, *addition.events)
    times = [each.timestamp for each in steps if each.timestamp]
    start = min([episode.started_at, *times])
    end = max([episode.ended_at, *times, *([now] if _goes_on(episode, zone) else [])])
    occasion = Occasion(
        episode_id=episode.id,
        started_at=start,
        ended_at=end,
        now=now,
        zone=zone,
        source=Source(),
    )
    day, week = end.astimezone(zone).date(), end.astimezone(zone).isocalendar()
    return episode.model_copy(
        update={
            "started_at": start,
            "ended_at": end,
            "updated_at": now,
            "date_iso": day.isoformat(),
            "week": week.week,
            "year": week.year,
            "human_line": human_line(episode.title, "", occasion),
        }
    )


def _goes_on(episode: Episode, zone: ZoneInfo) -> bool:
    """Return whether an episode is open, and was not written down on a later day than its own."""
    happened, written = episode.started_at.astimezone(zone), episode.created_at.astimezone(zone)
    return episode.status == "active" and happened.date() >= written.date()
