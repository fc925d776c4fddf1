"""Episodes that agents and people write themselves: added whole, or started and closed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from memory_graph.episodes.building import Occasion, Step, build_episode, dated, in_time
from memory_graph.episodes.chaining import Draft, choose_parent, related
from memory_graph.episodes.store import STATED
from memory_graph.episodes.themes import theme_of_episode
from memory_graph.keys import normalise, stable_id
from memory_graph.language.mentions import entities_in, keywords, people_in
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import shorten
from memory_graph.policies import CapturePolicy
from memory_graph.records import (
    Change,
    Decision,
    Episode,
    EpisodeDraft,
    EpisodeMetadata,
    Event,
    FactLink,
    MemoryDecision,
    Outcome,
)
from memory_graph.safety.secrets import without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.scope import (
    UserMemory,
    decision_for,
    receipt_of,
    user_lock_across_processes,
)

LONGEST_SUMMARY = 600
LONGEST_TITLE = 120
_MOST_NAMES = 12
_MOST_TAGS = 5
_LISTS = ("participants", "tools_used", "entities", "key_decisions", "tags")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


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
        occasion = _occasion(stated, change, zone)
        parent = await _parent(memory, stated, occasion, policy)
        built = build_episode(stated.draft, replace(occasion, parent_episode_id=parent))
        before = (await memory.episodes.find([built.id])).get(built.id)
        given = stated.metadata
        known = {name: _listed(given[name]) for name in _LISTS if name in given}
        own = {name: value for name, value in built.metadata.model_dump().items() if value}
        session = {"session_id": stated.session_id} if stated.session_id else {}
        episode = built.model_copy(
            update={
                "content": stated.content.strip(),
                "decisions": in_time(stated.decisions),
                "events": in_time(stated.events),
                "metrics": stated.metrics,
                "facts": links,
                "metadata": EpisodeMetadata.model_validate({**given, **own, **known, **session}),
                "created_at": before.created_at if before else built.created_at,
            }
        )
        kept = await _save(memory, before, episode, change, "stated")
    return replace(kept, missing_facts=missing)


async def _links(
    memory: UserMemory, stated: StatedEpisode
) -> tuple[tuple[FactLink, ...], tuple[str, ...]]:
    """Return the links to what is known, and what is not."""
    known = await memory.facts.find(link.fact_id for link in stated.facts)
    links = [link for link in stated.facts if link.fact_id in known]
    missing = [link.fact_id for link in stated.facts if link.fact_id not in known]
    current = await memory.facts.current() if stated.entity_ids else []
    for named in stated.entity_ids:
        bare = named.strip().removeprefix("entity:").removeprefix("fact:")
        exact = [fact for fact in current if fact.id == bare]
        about = [fact for fact in current if normalise(fact.entity) == normalise(bare)]
        for fact in exact or about:
            links.append(FactLink(fact_id=fact.id, position=len(links) + 1))
        missing += [] if exact or about else [named]
    by_fact = {link.fact_id: link for link in reversed(links)}
    return tuple(sorted(by_fact.values(), key=lambda link: link.position)), tuple(missing)


def _occasion(stated: StatedEpisode, change: Change, zone: ZoneInfo) -> Occasion:
    """Return when it took place: by its steps, or on the earlier day its session is named after."""
    times = _times([*stated.decisions, *stated.events])
    session = stated.session_id or ""
    if not times and (named := _DAY.match(session)):
        try:
            day = date.fromisoformat(named[0])
        except ValueError:
            day = date.max
        is_earlier = day < change.at.astimezone(zone).date()
        times = [datetime.combine(day, time(12), tzinfo=zone)] if is_earlier else []
    session_id = stable_id("session", stated.project or "", session.casefold())
    return Occasion(
        episode_id=f"ep-{session_id if session else change.id}",
        started_at=min(times, default=change.at),
        ended_at=max(times, default=change.at),
        now=change.at,
        zone=zone,
        source=change.source,
        project=stated.project,
        summariser=STATED,
    )


def _times(steps: Sequence[Decision | Event]) -> list[datetime]:
    return [each.timestamp for each in steps if each.timestamp]


async def _parent(
    memory: UserMemory, stated: StatedEpisode, occasion: Occasion, policy: CapturePolicy
) -> str | None:
    """Return the episode that it continues: the one that is named, or the one it is like."""
    draft, at = stated.draft, occasion.ended_at
    told, theme = f"{draft.topic}. {draft.summary}", theme_of_episode(draft)
    known = await related(memory, told, theme, at)
    place = Draft(
        episode_id=occasion.episode_id,
        now=at,
        entities=frozenset(draft.entities),
        project=occasion.project,
    )
    before = [each for each in known if each.episode.ended_at <= at]
    return choose_parent(place, before, policy, explicit_parent_id=stated.parent_id)[0]


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


async def _save(
    memory: UserMemory, before: Episode | None, episode: Episode, change: Change, reason: str
) -> KeptEpisode:
    after = without_secrets(episode, get_settings().admission.sensitive)
    decision = decision_for("update" if before else "create", reason, before=before, after=after)
    puts = await memory.episodes.puts([after], change.at)
    await memory.apply(change.by, [decision], puts, at=change.at, receipts=[receipt_of(change)])
    return KeptEpisode(after, decision)


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


async def add_to_episode(
    memory: UserMemory, episode_id: str, addition: Addition, change: Change, *, closing: bool
) -> KeptEpisode:
    """Add to an episode, whether it is still open or closed, and close it if `closing`.

    Raises:
        RecordNotFoundError: If this user has no such episode.
    """
    async with user_lock_across_processes(memory.scope):
        before = await memory.episodes.get(episode_id)
        after = _with_addition(before, addition, change.at)
        if closing:
            return await _save(memory, before, _closed(after), change, "closed")
        return await _save(memory, before, after, change, "added_to")


def _with_addition(episode: Episode, addition: Addition, now: datetime) -> Episode:
    """Return an episode that spans what was added; one that is over stays on its day.

    One that is open ends now, unless it was written down on a later day than its own.
    """
    known, added = episode.metadata, dict(addition.metadata)
    for name in set(_LISTS) & added.keys():
        more = map(str, _listed(added[name]))
        added[name] = list(dict.fromkeys([*getattr(known, name), *more]))
    zone, outcome = ZoneInfo(episode.time_zone), addition.outcome or episode.outcome
    title = shorten(addition.title.strip(), LONGEST_TITLE) or episode.title
    status = "active" if outcome == "ongoing" else episode.status
    happened, written = episode.started_at.astimezone(zone), episode.created_at.astimezone(zone)
    goes_on = status == "active" and happened.date() >= written.date()
    times = _times([*addition.decisions, *addition.events])
    end = max([episode.ended_at, *times, *([now] if goes_on else [])])
    return episode.model_copy(
        update={
            **dated(end.astimezone(zone), title),
            "content": "\n".join(filter(None, (episode.content, addition.content.strip()))),
            "title": title,
            "summary": shorten(addition.summary.strip(), LONGEST_SUMMARY) or episode.summary,
            "outcome": outcome,
            "status": status,
            "decisions": _joined(episode.decisions, addition.decisions),
            "events": _joined(episode.events, addition.events),
            "lessons": tuple(dict.fromkeys((*episode.lessons, *addition.lessons))),
            "next_steps": tuple(dict.fromkeys((*episode.next_steps, *addition.next_steps))),
            "metrics": {**episode.metrics, **addition.metrics},
            "metadata": EpisodeMetadata.model_validate({**known.model_dump(), **added}),
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


def _closed(episode: Episode) -> Episode:
    """Return an episode that is over: summarised, with metadata read from its own words."""
    known = episode.metadata
    texts = [text for text in (episode.content, *episode.lessons) if text]
    decided = tuple(each.chosen for each in episode.decisions)
    read = {
        "participants": known.participants or people_in(texts)[:_MOST_NAMES],
        "entities": known.entities or entities_in(texts)[:_MOST_NAMES],
        "key_decisions": known.key_decisions or decided[:_MOST_NAMES],
        "tags": known.tags or keywords(texts, _MOST_TAGS),
    }
    told = draft_from(episode.content).summary if episode.content else episode.summary
    return episode.model_copy(
        update={
            "status": "summarized",
            "outcome": "unknown" if episode.outcome == "ongoing" else episode.outcome,
            "summary": told if episode.summary == episode.title else episode.summary,
            "metadata": known.model_copy(update=read),
        }
    )
