"""Build an episode from a draft, or merge a draft into an episode."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory_graph.language.mentions import subject_words
from memory_graph.language.sentences import split_sentences
from memory_graph.records import (
    Decision,
    Episode,
    EpisodeDraft,
    EpisodeMetadata,
    Event,
    Importance,
    Outcome,
    Said,
    Share,
    Source,
)

_MOST_EVENTS = 20
"""Per episode; the newest are kept."""


def events_of(
    said: Sequence[Said], at: datetime, *, after: Sequence[Event] = ()
) -> tuple[Event, ...]:
    """Return `after` followed by one event per tool result, numbered on.

    A success names the failure right before it as its cause. Tool output is left out: it is
    long, and not the user's.
    """
    events = list(after)
    for one in said:
        if one.role == "tool":
            events.append(_event(one, at, previous=events[-1] if events else None))
    return tuple(events[-_MOST_EVENTS:])


def _event(one: Said, at: datetime, *, previous: Event | None) -> Event:
    number = 1 + (_number(previous) if previous else 0)
    overcame = previous is not None and previous.type == "error"
    return Event(
        id=f"e{number:03d}",
        timestamp=at,
        type="error" if one.is_error else "tool_call",
        content=f"{one.tool or 'tool'} {'failed' if one.is_error else 'succeeded'}",
        caused_by=(previous.id,) if previous and overcame else (),
    )


def _number(event: Event) -> int:
    return int(event.id[1:]) if event.id[1:].isdigit() else 0


_SAME_SUBJECT = 0.5
"""Above this share of common words, two statements are about the same thing."""


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


_MOST_NAMES = 12
"""Per list of metadata, so that an episode merged for weeks stays readable."""


_MOST_STATEMENTS = 10
"""Per list of decisions, lessons and next steps; the newest are kept."""


_SUMMARY_SENTENCES = 8
"""Of a merged summary."""


_APPROACH = " Approach: "


_NO_SOURCE = Source()


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
    week = _iso_week(occasion)
    decisions = _decisions(draft.decisions, occasion.ended_at)
    episode = Episode(
        id=occasion.episode_id,
        title=draft.topic,
        summary=draft.summary,
        human_line=human_line(draft.topic, draft.approach, occasion),
        started_at=occasion.started_at,
        ended_at=occasion.ended_at,
        created_at=occasion.now,
        updated_at=occasion.now,
        date_iso=_local_end(occasion).date().isoformat(),
        week=week[1],
        year=week[0],
        time_zone=occasion.zone.key,
        status="active" if draft.outcome == "ongoing" else "summarized",
        parent_episode_id=occasion.parent_episode_id,
        project=occasion.project,
        outcome=draft.outcome,
        decisions=decisions,
        events=events_of(occasion.said, occasion.ended_at),
        lessons=draft.lessons,
        next_steps=draft.next_steps,
        metadata=_metadata(draft),
        importance=occasion.importance,
        novelty=occasion.novelty,
        source=occasion.source,
        summariser=occasion.summariser,
    )
    return _with_content(episode)


def merge_episodes(old: Episode, draft: EpisodeDraft, occasion: Occasion) -> Episode:
    """Return `old` with a later exchange on the same theme taken in.

    The theme, the start and the links of `old` stay; its title may tell the end. Its dates,
    week and human line move to the day of the later exchange. Where the two disagree the later
    one wins and the earlier statement is dropped; an unknown outcome disagrees with nothing. An
    exchange that was taken in before changes nothing.
    """
    if occasion.episode_id in (old.id, *old.merged_from):
        return old
    later = build_episode(draft, occasion)
    merged = later.model_copy(
        update={
            "id": old.id,
            "title": _later_title(old, draft),
            "summary": _merged_summary(old.summary, draft.summary),
            "human_line": human_line(
                _later_title(old, draft), draft.approach or approach_of(old), occasion
            ),
            "started_at": old.started_at,
            "created_at": old.created_at,
            "parent_episode_id": old.parent_episode_id,
            "project": occasion.project or old.project,
            "outcome": _later_outcome(old.outcome, draft.outcome),
            "decisions": _merged_decisions(old.decisions, draft.decisions, occasion.ended_at),
            "events": events_of(occasion.said, occasion.ended_at, after=old.events),
            "lessons": _merged(old.lessons, draft.lessons),
            "next_steps": _merged(old.next_steps, draft.next_steps),
            "metrics": old.metrics,
            "metadata": _merged_metadata(old.metadata, later.metadata),
            "importance": max(old.importance, occasion.importance),
            "novelty": old.novelty,
            "merged_from": _union(old.merged_from, (occasion.episode_id,)),
            "facts": old.facts,
            "source": _merged_source(old.source, occasion.source),
        }
    )
    return _with_content(merged)


def human_line(topic: str, approach: str, occasion: Occasion) -> str:
    """Return the one line by which a person recognises the episode.

    `On 2026-11-16 (W47, 2026) we discussed {topic}. Approach: {approach}.`; without an approach
    the line ends after the topic. Week and year are ISO's, so that the last days of December may
    belong to week 1 of the next year.
    """
    year, week = _iso_week(occasion)
    day = _local_end(occasion).date().isoformat()
    line = f"On {day} (W{week:02d}, {year}) we discussed {_without_stop(topic)}."
    return f"{line}{_APPROACH}{_without_stop(approach)}." if _without_stop(approach) else line


def approach_of(episode: Episode) -> str:
    """Return the approach an episode's human line tells, or nothing."""
    return _without_stop(episode.human_line.partition(_APPROACH)[2])


def _local_end(occasion: Occasion) -> datetime:
    return occasion.ended_at.astimezone(occasion.zone)


def _iso_week(occasion: Occasion) -> tuple[int, int]:
    calendar = _local_end(occasion).isocalendar()
    return calendar.year, calendar.week


def _without_stop(text: str) -> str:
    return text.strip().rstrip(".!?… ")


def _metadata(draft: EpisodeDraft) -> EpisodeMetadata:
    return EpisodeMetadata(
        participants=draft.participants[:_MOST_NAMES],
        tools_used=draft.tools_used[:_MOST_NAMES],
        entities=draft.entities[:_MOST_NAMES],
        key_decisions=draft.decisions[:_MOST_NAMES],
        tags=draft.tags[:_MOST_NAMES],
    )


def _merged_metadata(old: EpisodeMetadata, new: EpisodeMetadata) -> EpisodeMetadata:
    return EpisodeMetadata(
        participants=_union(new.participants, old.participants)[:_MOST_NAMES],
        tools_used=_union(new.tools_used, old.tools_used)[:_MOST_NAMES],
        entities=_union(new.entities, old.entities)[:_MOST_NAMES],
        key_decisions=_merged(old.key_decisions, new.key_decisions),
        tags=_union(new.tags, old.tags)[:_MOST_NAMES],
    )


def _merged_source(old: Source, new: Source) -> Source:
    message_ids = _union(old.message_ids, new.message_ids)
    return Source(
        thread_id=new.thread_id or old.thread_id,
        run_id=new.run_id or old.run_id,
        message_ids=message_ids,
    )


def _merged_summary(old: str, new: str) -> str:
    newer = split_sentences(new)
    kept = standing(split_sentences(old), newer)
    return " ".join((*kept, *newer)[-_SUMMARY_SENTENCES:]) or new


def _merged(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    return (*standing(old, new), *new)[-_MOST_STATEMENTS:]


def _decisions(chosen: Iterable[str], at: datetime, *, first: int = 1) -> tuple[Decision, ...]:
    return tuple(
        Decision(id=f"d{number:03d}", timestamp=at, chosen=one)
        for number, one in enumerate(chosen, start=first)
    )


def _merged_decisions(
    old: Sequence[Decision], chosen: Sequence[str], at: datetime
) -> tuple[Decision, ...]:
    kept = set(standing((one.chosen for one in old), chosen))
    first = 1 + max((int(one.id[1:]) for one in old if one.id[1:].isdigit()), default=0)
    stay = tuple(one for one in old if one.chosen in kept)
    return (*stay, *_decisions(chosen, at, first=first))[-_MOST_STATEMENTS:]


_RESOLVED = frozenset({"success", "partial"})


def _later_title(old: Episode, draft: EpisodeDraft) -> str:
    """Return the title of a merged episode: how it ended, once that is known.

    An end that shares no word with what it ends would not tell a reader of what: then the
    theme stays.
    """
    ends = old.outcome not in _RESOLVED and draft.outcome in _RESOLVED
    shared = subject_words(draft.topic) & subject_words(f"{old.title} {old.summary}")
    return draft.topic if ends and shared else old.title


def _later_outcome(old: Outcome, new: Outcome) -> Outcome:
    return old if new == "unknown" else new


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _with_content(episode: Episode) -> Episode:
    """Return `episode` with the text by which it is found: all it tells, without its dates."""
    parts = [episode.title, episode.summary]
    parts += [f"Decided: {one.chosen}" for one in episode.decisions]
    parts += [f"Learned: {one}" for one in episode.lessons]
    parts += [f"Next: {one}" for one in episode.next_steps]
    return episode.model_copy(update={"content": "\n".join(parts)})
