"""Close, archive, weaken and deduplicate episodes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory_graph.episodes.store import walk_chain
from memory_graph.language.words import words_of
from memory_graph.policies import UpkeepPolicy
from memory_graph.records import Episode, MemoryDecision
from memory_graph.store.changes import decision_for
from memory_graph.store.locks import user_lock_across_processes
from memory_graph.store.scope import UserMemory

UpkeepReason = Literal["stale", "old", "unused", "broken_parent", "took_in_duplicate", "duplicate"]


@dataclass(frozen=True)
class Upkeep:
    """One change to one episode; without an `after` it is taken away."""

    reason: UpkeepReason
    before: Episode
    after: Episode | None


def plan_upkeep(
    episodes: Sequence[Episode],
    last_used: Mapping[str, datetime],
    now: datetime,
    policy: UpkeepPolicy,
) -> tuple[Upkeep, ...]:
    """Return what has to change, in order; the same episode may change more than once.

    Planning again after the changes were made plans nothing.
    """
    standing = {each.id: each for each in episodes}
    changes: list[Upkeep] = []

    def change(reason: UpkeepReason, before: Episode, fields: Mapping[str, object]) -> None:
        after = before.model_copy(update={**fields, "updated_at": now})
        standing[before.id] = after
        changes.append(Upkeep(reason, before, after))

    kept_for: dict[str, str] = {}
    for keeper, extra in _duplicates(episodes):
        absorbed = (*standing[keeper.id].merged_from, extra.id, *extra.merged_from)
        merged = {"merged_from": tuple(dict.fromkeys(absorbed))}
        change("took_in_duplicate", standing[keeper.id], merged)
        changes.append(Upkeep("duplicate", standing.pop(extra.id), None))
        kept_for[extra.id] = keeper.id
    parents = {each.id: each.parent_episode_id for each in standing.values()}
    for each in list(standing.values()):
        above = each.parent_episode_id
        is_circle = above and parents.get(walk_chain(each.id, parents)[0]) == each.id
        if above and (is_circle or above not in standing):
            parent = kept_for.get(above)
            parents[each.id] = parent if parent != each.id else None
            change("broken_parent", each, {"parent_episode_id": parents[each.id]})
    for each in list(standing.values()):
        if due := _due(each, last_used.get(each.id), now, policy):
            change(due[0], each, due[1])
    return tuple(changes)


def _due(
    episode: Episode, used_at: datetime | None, now: datetime, policy: UpkeepPolicy
) -> tuple[UpkeepReason, dict[str, object]] | None:
    """Close, archive or weaken an episode; one step at a time, the first that is due."""
    if episode.pinned:
        return None
    idle = now - max(filter(None, (episode.updated_at, used_at)))
    if episode.status == "active" and idle >= timedelta(hours=policy.stale_after_hours):
        return "stale", {"status": "summarized"}
    may_age = episode.status == "summarized" and episode.importance < 5
    if may_age and now - episode.ended_at >= timedelta(days=policy.archive_after_days):
        return "old", {"status": "archived"}
    if episode.importance > 1 and idle >= timedelta(days=policy.decay_after_days):
        return "unused", {"importance": episode.importance - 1}
    return None


def _duplicates(episodes: Iterable[Episode]) -> list[tuple[Episode, Episode]]:
    """Return pairs that tell the same of the same day: the earliest of them, and another."""
    first: dict[tuple[str, frozenset[str]], Episode] = {}
    pairs = []
    for each in sorted(episodes, key=lambda one: (one.created_at, one.id)):
        told = (each.date_iso, frozenset(words_of(f"{each.title} {each.summary}")))
        keeper = first.setdefault(told, each)
        if keeper is not each and not each.pinned:
            pairs.append((keeper, each))
    return pairs


NODE = "memory_maintenance"


async def maintain(
    memory: UserMemory, policy: UpkeepPolicy, now: datetime, *, apply: bool
) -> tuple[MemoryDecision, ...]:
    """Return what has to change about a user's episodes; `apply` it, or leave it at that."""
    async with user_lock_across_processes(memory.scope):
        episodes = await memory.episodes.all()
        counters = await memory.access.find([each.id for each in episodes])
        used = {record_id: each.last_accessed_at for record_id, each in counters.items()}
        plan = plan_upkeep(episodes, used, now, policy)
        decisions = tuple(
            decision_for(
                "update" if each.after else "evict",
                each.reason,
                before=each.before,
                after=each.after,
            )
            for each in plan
        )
        if apply and plan:
            last = {each.before.id: each.after for each in plan}
            changed = [episode for episode in last.values() if episode]
            gone = [episode_id for episode_id, episode in last.items() if episode is None]
            puts = await memory.episodes.puts(changed, now)
            puts += memory.episodes.deletions(gone)
            await memory.apply(NODE, decisions, puts, at=now)
    return decisions
