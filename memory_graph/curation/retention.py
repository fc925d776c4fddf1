"""How long memories are kept: what is past its time is forgotten, unless a pin holds it."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from memory_graph.curation.forget import forget
from memory_graph.episodes.upkeep import NODE, maintain
from memory_graph.keys import stable_id
from memory_graph.patterns.writing import move_evidence
from memory_graph.policies import UpkeepPolicy, VerbatimPolicy
from memory_graph.records import Change, Episode, Fact, MemoryDecision
from memory_graph.store.scope import UserMemory, kind_of
from memory_graph.turns.keeping import expired_turns, held_messages


def expired(
    records: Sequence[Fact | Episode], days: float | None, now: datetime, held: Collection[str]
) -> list[Fact | Episode]:
    """Return what is past its time; what shares a message with a pinned memory is held, too."""
    if days is None:
        return []
    oldest = now - timedelta(days=days)
    return [
        each
        for each in records
        if _last(each) < oldest
        and not each.pinned
        and not set(held).intersection(each.source.message_ids)
    ]


def _last(record: Fact | Episode) -> datetime:
    """Return when a memory was last said to be so."""
    if isinstance(record, Fact):
        return max(record.updated_at, record.last_verified_at)
    return record.ended_at


async def look_after_user(
    memory: UserMemory,
    policy: UpkeepPolicy,
    verbatim: VerbatimPolicy,
    now: datetime,
    *,
    apply: bool,
) -> tuple[MemoryDecision, ...]:
    """Return what upkeep and retention change in a user's memory; `apply` it, or leave it."""
    gone = await _expired(memory, policy, now)
    turns = await expired_turns(memory, verbatim, now)
    decisions = [
        MemoryDecision(kind=kind_of(each), action="evict", reason="expired", memory_id=each.id)
        for each in gone
    ]
    if apply:
        for record in gone:
            await forget(memory, record, now, reason="expired")
        await memory.commit(memory.turns.deletions(turns))
    decisions += [
        MemoryDecision(kind="turn", action="evict", reason="expired", memory_id=turn)
        for turn in turns
    ]
    upkept = await maintain(memory, policy, now, apply=apply)
    moved = await _move_evidence(memory, upkept, now) if apply else ()
    return (*decisions, *upkept, *moved)


async def _move_evidence(
    memory: UserMemory, upkept: Sequence[MemoryDecision], now: datetime
) -> list[MemoryDecision]:
    """Let what duplicates said about patterns count for the episodes that took them in."""
    gone = {str(each.memory_id) for each in upkept if each.reason == "duplicate"}
    moved: list[MemoryDecision] = []
    for kept in (each for each in upkept if each.reason == "took_in_duplicate"):
        merged = Episode.model_validate(kept.after).merged_from
        for episode_id in (each for each in merged if each in gone):
            change = Change(id=stable_id("evidence", episode_id), by=NODE, at=now)
            moved += await move_evidence(memory, episode_id, str(kept.memory_id), change)
        gone -= {*merged}
    return moved


async def _expired(memory: UserMemory, policy: UpkeepPolicy, now: datetime) -> list[Fact | Episode]:
    if policy.forget_facts_after_days is None and policy.forget_episodes_after_days is None:
        return []
    held = await held_messages(memory)
    facts = [*await memory.facts.all(), *await memory.archive.all()]
    return [
        *expired(facts, policy.forget_facts_after_days, now, held),
        *expired(await memory.episodes.all(), policy.forget_episodes_after_days, now, held),
    ]
