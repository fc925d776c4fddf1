"""Find the episode that an exchange becomes part of, and the one it continues."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.episodes.themes import SITTING, Theme, match_stories
from memory_graph.language.times import event_dates
from memory_graph.policies import CapturePolicy
from memory_graph.records import Episode
from memory_graph.store.scope import UserMemory

MergeReason = Literal[
    "same_theme",
    "no_recent_episode",
    "different_theme",
    "different_event_date",
    "different_project",
    "another_day",
]
ParentReason = Literal["explicit", "continues", "none_similar", "none_recent"]

_DAY_HOURS = 24
"""From here on a merge window reaches over midnight; a shorter one ends with the day."""

_CANDIDATES = 24
"""Looked at more closely: two days of one story are seldom nearest by meaning alone."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The exchange at hand, as far as it matters to its place among episodes."""

    episode_id: str
    now: datetime
    event_dates: frozenset[date] = frozenset()
    """Days the exchange speaks of, other than the day it took place."""

    entities: frozenset[str] = frozenset()
    day: date | None = None
    """The user's local day on which the exchange took place."""

    project: str | None = None
    joins: str | None = None
    """The episode of what was said just before on the same topic; it takes this in, too."""


@dataclass(frozen=True, kw_only=True)
class Related:
    """An earlier episode, and how it may be related to the exchange at hand."""

    episode: Episode
    meaning: float
    """How close in meaning, 0–1."""

    similarity: float
    """How surely it tells the story of the exchange at hand, 0–1 (`match_themes`)."""

    event_dates: frozenset[date] = frozenset()


async def related(
    memory: UserMemory, text: str, theme: Theme, at: datetime, *, dated: bool = True
) -> list[Related]:
    """Return the episodes close in meaning, each with how surely it tells the same story.

    What names no day itself need not know which days they name: not `dated`.
    """
    similar = await memory.episodes.similar(text, _CANDIDATES)
    found = []
    for (episode, meaning), alike in zip(similar, match_stories(theme, similar, at), strict=True):
        one = Related(episode=episode, meaning=meaning, similarity=alike)
        if dated:
            told, zone = episode.content, ZoneInfo(episode.time_zone)
            days = event_dates(told, now=episode.ended_at, zone=zone)
            one = replace(one, event_dates=days)
        found.append(one)
    return found


class MergeChoice(NamedTuple):
    """The episode an exchange becomes part of, if any, why, and how like the nearest one it is."""

    target: Episode | None
    reason: MergeReason
    scores: dict[str, float]


def choose_merge(draft: Draft, known: Sequence[Related], policy: CapturePolicy) -> MergeChoice:
    """Return the latest episode of the story at hand that may still take in the exchange.

    Where another story fits better, it is that one's.
    """
    recent = _recent(draft, known, policy.merge_window_hours)
    rivals = [one for one in _recent(draft, known, None) if _same_project(draft, one)]
    best = max((one.similarity for one in rivals), default=0.0)
    alike = [
        one
        for one in recent
        if one.similarity >= max(policy.merge_similarity, best)
        or (one.episode.id == draft.joins and best < policy.merge_similarity)
    ]
    own = [one for one in alike if _same_project(draft, one)]
    timely = [one for one in own if _is_timely(draft, one, policy)]
    fitting = still_open(draft, timely, policy)
    reasons: tuple[tuple[MergeReason, Sequence[Related]], ...] = (
        ("same_theme", fitting),
        ("different_event_date", timely),
        ("another_day", own),
        ("different_project", alike),
        ("different_theme", recent),
    )
    reason: MergeReason = next((why for why, left in reasons if left), "no_recent_episode")
    target = max(fitting, key=lambda one: one.episode.ended_at, default=None)
    nearest_one = max((one.similarity for one in ([target] if target else recent)), default=None)
    scores = {} if nearest_one is None else {"similarity": round(nearest_one, 4)}
    return MergeChoice(target.episode if target else None, reason, scores)


def still_open(draft: Draft, known: Sequence[Related], policy: CapturePolicy) -> list[Related]:
    """Return the episodes that may take in the exchange, whatever they tell of.

    Episodes of another project or about different event dates stay apart, however alike they
    read. Unless the window reaches over midnight, what goes on another day becomes a link of
    its own in the chain.
    """
    return [
        one
        for one in _recent(draft, known, policy.merge_window_hours)
        if _same_project(draft, one)
        and _is_timely(draft, one, policy)
        and not (
            draft.event_dates and one.event_dates and draft.event_dates.isdisjoint(one.event_dates)
        )
    ]


def _is_timely(draft: Draft, one: Related, policy: CapturePolicy) -> bool:
    return (
        policy.merge_window_hours >= _DAY_HOURS
        or draft.day in (None, date.fromisoformat(one.episode.date_iso))
        or draft.now - one.episode.ended_at <= SITTING  # an evening that ran past midnight
    )


_NEAR = 6
"""Events that a model is shown. A limit: bounds the prompt."""


def nearest(draft: Draft, known: Sequence[Related]) -> list[Related]:
    """Return the events of any day that the exchange may go on with, the likeliest first."""
    own = [one for one in _recent(draft, known, None) if _same_project(draft, one)]
    return sorted(own, key=lambda one: (one.similarity, one.meaning), reverse=True)[:_NEAR]


def choose_parent(
    draft: Draft,
    known: Sequence[Related],
    policy: CapturePolicy,
    *,
    explicit_parent_id: str | None = None,
) -> tuple[str | None, ParentReason]:
    """Return the episode that a new one continues, and why; a parent named by the caller wins.

    A story goes on where it ended: an episode that another candidate continues is no parent.
    Shared entities decide between episodes that are equally similar, then the later end.
    Another project is another story.
    """
    if explicit_parent_id not in (None, draft.episode_id):
        return explicit_parent_id, "explicit"
    within = _recent(draft, known, policy.parent_window_hours)
    recent = [one for one in within if _same_project(draft, one)]
    similar = [one for one in recent if one.similarity > policy.parent_similarity]
    if not similar:
        return None, "none_similar" if recent else "none_recent"

    def closeness(one: Related) -> tuple[float, int, datetime]:
        shared = draft.entities.intersection(one.episode.metadata.entities)
        return round(one.similarity, 2), len(shared), one.episode.ended_at

    continued = {one.episode.parent_episode_id for one in similar}
    ends = [one for one in similar if one.episode.id not in continued] or similar
    closest = max(ends, key=closeness)
    return _last_chapter(closest.episode, [one.episode for one in recent]).id, "continues"


def _recent(draft: Draft, known: Iterable[Related], hours: float | None) -> list[Related]:
    """Return the other episodes that are not archived and ended so many hours ago at most."""
    return [
        one
        for one in known
        if one.episode.id != draft.episode_id
        and one.episode.status != "archived"
        and (hours is None or draft.now - one.episode.ended_at <= timedelta(hours=hours))
    ]


def _same_project(draft: Draft, one: Related) -> bool:
    """Say whether nothing tells that the two belong to different projects."""
    ours, theirs = draft.project, one.episode.project
    return ours is None or theirs is None or ours.casefold() == theirs.casefold()


def _last_chapter(one: Episode, recent: Sequence[Episode]) -> Episode:
    """Follow a story to where it ended, though its last day may share no word with this one."""
    last, seen = one, {one.id}
    while following := [each for each in recent if each.parent_episode_id == last.id]:
        last = max(following, key=lambda each: each.ended_at)
        if last.id in seen:
            return one
        seen.add(last.id)
    return last
