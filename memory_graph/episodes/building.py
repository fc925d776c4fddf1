"""Build an episode from a draft, or merge a draft into an episode."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from memory_graph.episodes.store import STATED
from memory_graph.language.mentions import subject_words
from memory_graph.records import (
    Decision,
    Episode,
    EpisodeDraft,
    EpisodeMetadata,
    Event,
    Importance,
    Said,
    Share,
    Source,
)

_MOST_EVENTS = 20
"""Per episode; the newest are kept."""

_MOST_NAMES = 12
"""Per list of metadata, so that an episode merged for weeks stays readable."""

_MOST_STATEMENTS = 10
"""Per list of decisions, lessons and next steps; the newest are kept."""

_SAME_SUBJECT = 0.5
"""Above this share of common words, two statements are about the same thing."""

_NAMES = ("participants", "tools_used", "entities", "tags")
_APPROACH = " Approach: "
_RESOLVED = frozenset({"success", "partial"})
_NO_SOURCE = Source()

Step = TypeVar("Step", Decision, Event)


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """When and how an exchange took place: all that a draft does not say."""

    episode_id: str
    """The id the exchange has, or would have, as an episode of its own."""

    started_at: datetime
    ended_at: datetime
    now: datetime
    zone: ZoneInfo
    """The user's zone: it decides which day, week and year the exchange belongs to."""

    said: Sequence[Said] = ()
    """What was said and done; tool results become events."""

    source: Source = _NO_SOURCE
    parent_episode_id: str | None = None
    project: str | None = None
    importance: Importance = 3
    novelty: Share = 1.0
    summariser: str = "extractive/1"


def build_episode(draft: EpisodeDraft, occasion: Occasion) -> Episode:
    """Return a new episode, dated by the local day on which the exchange ended."""
    names = {name: getattr(draft, name)[:_MOST_NAMES] for name in _NAMES}
    metadata = {**names, "key_decisions": draft.decisions[:_MOST_NAMES]}
    episode = Episode.model_validate(
        {
            **dated(occasion.ended_at.astimezone(occasion.zone), draft.topic, draft.approach),
            "id": occasion.episode_id,
            "title": draft.topic,
            "summary": draft.summary,
            "goal": draft.goal,
            "quality": draft.quality,
            "started_at": occasion.started_at,
            "ended_at": occasion.ended_at,
            "created_at": occasion.now,
            "updated_at": occasion.now,
            "time_zone": occasion.zone.key,
            "status": "active" if draft.outcome == "ongoing" else "summarized",
            "parent_episode_id": occasion.parent_episode_id,
            "project": occasion.project,
            "outcome": draft.outcome,
            "decisions": _decisions(draft.decisions, occasion.ended_at),
            "events": _events(occasion),
            "lessons": draft.lessons,
            "next_steps": draft.next_steps,
            "metadata": metadata,
            "importance": occasion.importance,
            "novelty": occasion.novelty,
            "source": occasion.source,
            "summariser": occasion.summariser,
        }
    )
    return in_full(episode)


def merge_episodes(old: Episode, draft: EpisodeDraft, occasion: Occasion) -> Episode:
    """Return `old` with a later exchange on the same theme taken in; the draft tells both.

    The theme, the start and the links of `old` stay, and what somebody stated or wrote of it; its
    title may tell the end. Its dates,
    week and human line move to the day of the later exchange. Where the two disagree the later
    one wins and the earlier statement is dropped; an unknown outcome disagrees with nothing. An
    exchange that was taken in before changes nothing.
    """
    if occasion.episode_id in (old.id, *old.merged_from):
        return old
    later = build_episode(draft, occasion)
    title = _later_title(old, draft)
    decided = set(standing((one.chosen for one in old.decisions), draft.decisions))
    stay = [one for one in old.decisions if one.chosen in decided]
    new = _decisions(draft.decisions, occasion.ended_at, 1 + _last_number(old.decisions))
    day = occasion.ended_at.astimezone(occasion.zone)
    is_stated = old.summariser == STATED
    merged = old.model_copy(
        update={
            **dated(day, title, draft.approach or approach_of(old)),
            "title": title,
            "summary": draft.summary,
            "goal": draft.goal or old.goal,
            "quality": draft.quality,
            "days": _days(old, later),
            "ended_at": later.ended_at,
            "updated_at": later.updated_at,
            "time_zone": later.time_zone,
            "status": later.status,
            "project": later.project or old.project,
            "outcome": old.outcome if draft.outcome == "unknown" else draft.outcome,
            "decisions": (*stay, *new)[-_MOST_STATEMENTS:],
            "events": _events(occasion, after=old.events),
            "lessons": _merged(old.lessons, draft.lessons),
            "next_steps": _merged(old.next_steps, draft.next_steps),
            "metadata": _merged_metadata(old.metadata, later.metadata),
            "importance": max(old.importance, later.importance),
            "merged_from": _union(old.merged_from, (later.id,)),
            "source": Source(
                thread_id=later.source.thread_id or old.source.thread_id,
                run_id=later.source.run_id or old.source.run_id,
                message_ids=_union(old.source.message_ids, later.source.message_ids),
            ),
            "summariser": STATED if is_stated else later.summariser,
        }
    )
    if is_stated:
        return merged.model_copy(update={"content": f"{old.content}\n{later.content}"})
    return in_full(merged)


def _days(old: Episode, later: Episode) -> tuple[str, ...]:
    days = _union(old.days or (old.date_iso,), (later.date_iso,))
    return days if len(days) > 1 else ()


def _merged_metadata(old: EpisodeMetadata, new: EpisodeMetadata) -> EpisodeMetadata:
    lists = {name: _union(getattr(new, name), getattr(old, name))[:_MOST_NAMES] for name in _NAMES}
    decided = _merged(old.key_decisions, new.key_decisions)
    return old.model_copy(update={**lists, "key_decisions": decided})


def dated(at: datetime, topic: str, approach: str = "") -> dict[str, JsonValue]:
    """Return how an episode of a local time is dated, with the line by which people know it.

    `On 2026-11-16 (W47, 2026) we discussed {topic}. Approach: {approach}.`; without an approach
    the line ends after the topic. Week and year are ISO's, so that the last days of December may
    belong to week 1 of the next year.
    """
    day, week, how = at.date().isoformat(), at.isocalendar(), _without_stop(approach)
    line = f"On {day} (W{week.week:02d}, {week.year}) we discussed {_without_stop(topic)}."
    return {
        "human_line": f"{line}{_APPROACH}{how}." if how else line,
        "date_iso": day,
        "week": week.week,
        "year": week.year,
    }


def approach_of(episode: Episode) -> str:
    """Return the approach an episode's human line tells, or nothing."""
    return _without_stop(episode.human_line.partition(_APPROACH)[2])


def _without_stop(text: str) -> str:
    return text.strip().rstrip(".!?… ")


def _events(occasion: Occasion, after: Sequence[Event] = ()) -> tuple[Event, ...]:
    """Return `after` followed by one event per tool result, numbered on.

    A success names the failure right before it as its cause. Tool output is left out: it is
    long, and not the user's.
    """
    events = list(after)
    for one in occasion.said:
        if one.role == "tool":
            failures = [each.id for each in events[-1:] if each.type == "error"]
            event = Event(
                id=f"e{1 + _last_number(events[-1:]):03d}",
                timestamp=occasion.ended_at,
                type="error" if one.is_error else "tool_call",
                content=f"{one.tool or 'tool'} {'failed' if one.is_error else 'succeeded'}",
                caused_by=tuple(failures),
            )
            events.append(event)
    return tuple(events[-_MOST_EVENTS:])


def _decisions(chosen: Iterable[str], at: datetime, first: int = 1) -> list[Decision]:
    return [
        Decision(id=f"d{number:03d}", timestamp=at, chosen=one)
        for number, one in enumerate(chosen, start=first)
    ]


def in_time(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return steps by their time; one without a time stays after the one before it."""
    placed: list[tuple[float, Step]] = []
    latest = 0.0
    for each in steps:
        latest = each.timestamp.timestamp() if each.timestamp else latest
        placed.append((latest, each))
    return tuple(each for _, each in sorted(placed, key=lambda pair: pair[0]))


def _last_number(steps: Iterable[Decision | Event]) -> int:
    return max((int(one.id[1:]) for one in steps if one.id[1:].isdigit()), default=0)


def _later_title(old: Episode, draft: EpisodeDraft) -> str:
    """Return the title of a merged episode: how it ended, once that is known.

    An end that shares no word with what it ends would not tell a reader of what: then the
    theme stays.
    """
    ends = old.outcome not in _RESOLVED and draft.outcome in _RESOLVED
    shared = subject_words(draft.topic) & subject_words(f"{old.title} {old.summary}")
    return draft.topic if ends and shared else old.title


def standing(older: Iterable[str], newer: Sequence[str]) -> tuple[str, ...]:
    """Return the older statements that no newer one repeats or replaces."""
    return tuple(one for one in older if not any(is_superseded(one, by) for by in newer))


def is_superseded(older: str, newer: str) -> bool:
    """Return whether `newer` speaks of what `older` spoke of, so that only `newer` may stay.

    Dates and numbers do not count as subject: they are what changes. A bare choice ("Porto it
    is") has no subject of its own: it replaces the bare choice before it, and nothing longer.
    """
    old, new = subject_words(older), subject_words(newer)
    if len(old) <= 1 or len(new) <= 1:
        return old <= new or len(old) <= 1 >= len(new)
    return len(old & new) / min(len(old), len(new)) > _SAME_SUBJECT


def _merged(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    return (*standing(old, new), *new)[-_MOST_STATEMENTS:]


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def in_full(episode: Episode) -> Episode:
    """Return `episode` with the text by which it is found: all it tells, without its dates."""
    parts = [episode.title, episode.summary]
    parts += [f"Decided: {one.chosen}" for one in episode.decisions]
    parts += [f"Learned: {one}" for one in episode.lessons]
    parts += [f"Next: {one}" for one in episode.next_steps]
    return episode.model_copy(update={"content": "\n".join(parts)})
