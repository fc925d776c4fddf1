"""Which earlier episode does an exchange belong to, or continue?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from memory_graph.policy.capture import CapturePolicy
from memory_graph.records import EpisodeStatus

MergeReason = Literal[
    "same_theme", "no_recent_episode", "different_theme", "different_event_date", "another_day"
]
ParentReason = Literal["explicit", "continues", "none_similar", "none_recent"]

_SITTING = timedelta(hours=4)


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


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """An earlier episode that may be related."""

    episode_id: str
    similarity: float
    """How surely it tells the story of the exchange at hand, 0–1 (`policy/themes.py`)."""

    ended_at: datetime
    status: EpisodeStatus = "summarized"
    event_dates: frozenset[date] = frozenset()
    entities: frozenset[str] = frozenset()
    parent_id: str | None = None
    """The episode it continues itself."""

    day: date | None = None
    """The user's local day on which it ended."""


@dataclass(frozen=True, kw_only=True)
class MergeChoice:
    """The episode an exchange becomes part of, if any, and why."""

    target_id: str | None
    reason: MergeReason
    scores: dict[str, float]
    thresholds: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class ParentChoice:
    """The episode that a new one continues, if any, and why."""

    parent_id: str | None
    reason: ParentReason
    scores: dict[str, float]
    thresholds: dict[str, float]


def choose_merge(
    draft: Draft, neighbours: Sequence[Neighbour], policy: CapturePolicy
) -> MergeChoice:
    """Return the latest episode on the same theme that may still take in the exchange.

    Episodes about different event dates stay apart, however alike they read. What goes on
    another day is not merged either: it becomes a link of its own in the chain.
    """
    window = timedelta(hours=policy.merge_window_hours)
    recent = [one for one in _others(draft, neighbours) if _is_within(one, draft.now, window)]
    related = [one for one in recent if one.similarity >= policy.merge_similarity]
    timely = [one for one in related if _is_same_sitting(draft, one)]
    fitting = [one for one in timely if _dates_agree(draft.event_dates, one.event_dates)]
    target = max(fitting, key=lambda one: (one.ended_at, one.similarity), default=None)
    return MergeChoice(
        target_id=target.episode_id if target else None,
        reason=_merge_reason(recent, related, timely, fitting),
        scores=_nearest(recent if target is None else [target]),
        thresholds={
            "merge_similarity": policy.merge_similarity,
            "merge_window_hours": policy.merge_window_hours,
        },
    )


def choose_parent(
    draft: Draft,
    neighbours: Sequence[Neighbour],
    policy: CapturePolicy,
    *,
    explicit_parent_id: str | None = None,
) -> ParentChoice:
    """Return the episode that a new one continues; a parent named by the caller wins.

    A story goes on where it ended: an episode that another candidate continues is no parent.
    Shared entities decide between episodes that are equally similar, then the later end.
    """
    window = timedelta(hours=policy.parent_window_hours)
    recent = [one for one in _others(draft, neighbours) if _is_within(one, draft.now, window)]
    similar = [one for one in recent if one.similarity > policy.parent_similarity]
    parent = max(_last_chapters(similar), key=lambda one: _closeness(draft, one), default=None)
    reason: ParentReason = "continues" if parent else "none_similar" if recent else "none_recent"
    parent_id = parent.episode_id if parent else None
    if explicit_parent_id not in (None, draft.episode_id):
        parent_id, reason = explicit_parent_id, "explicit"
    return ParentChoice(
        parent_id=parent_id,
        reason=reason,
        scores=_nearest(recent if parent is None else [parent]),
        thresholds={
            "parent_similarity": policy.parent_similarity,
            "parent_window_hours": policy.parent_window_hours,
        },
    )


def walk_chain(episode_id: str, parent_of: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the episodes that lead to `episode_id`, the first one first and itself last.

    A chain that runs in a circle is walked once; an unknown parent ends it.
    """
    chain: list[str] = []
    seen: set[str] = set()
    current: str | None = episode_id
    while current is not None and current in parent_of and current not in seen:
        chain.append(current)
        seen.add(current)
        current = parent_of[current]
    return tuple(reversed(chain))


def _others(draft: Draft, neighbours: Iterable[Neighbour]) -> tuple[Neighbour, ...]:
    return tuple(one for one in neighbours if one.episode_id != draft.episode_id)


def _is_within(one: Neighbour, now: datetime, window: timedelta) -> bool:
    return one.status != "archived" and now - one.ended_at <= window


def _dates_agree(ours: frozenset[date], theirs: frozenset[date]) -> bool:
    return not ours or not theirs or not ours.isdisjoint(theirs)


def _is_same_sitting(draft: Draft, one: Neighbour) -> bool:
    """Say whether both belong to one day, or to one evening that ran past midnight."""
    if draft.day is None or one.day is None or draft.day == one.day:
        return True
    return draft.now - one.ended_at <= _SITTING


def _last_chapters(similar: Sequence[Neighbour]) -> Sequence[Neighbour]:
    """Leave out what another one continues; in a circle of links all of them stay."""
    continued = {one.parent_id for one in similar}
    return [one for one in similar if one.episode_id not in continued] or similar


def _merge_reason(
    recent: Sequence[Neighbour],
    related: Sequence[Neighbour],
    timely: Sequence[Neighbour],
    fitting: Sequence[Neighbour],
) -> MergeReason:
    if fitting:
        return "same_theme"
    if related:
        return "different_event_date" if timely else "another_day"
    return "different_theme" if recent else "no_recent_episode"


def _closeness(draft: Draft, one: Neighbour) -> tuple[float, int, datetime]:
    shared = draft.entities & one.entities
    return round(one.similarity, 2), len(shared), one.ended_at


def _nearest(neighbours: Sequence[Neighbour]) -> dict[str, float]:
    if not neighbours:
        return {}
    return {"similarity": round(max(one.similarity for one in neighbours), 4)}
