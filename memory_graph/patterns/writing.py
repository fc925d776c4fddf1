"""Writes patterns: tried, confirmed, rejected, or without their evidence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from langgraph.store.base import PutOp

from memory_graph.patterns.evidence import (
    DraftProblem,
    find_problem,
    normalise_name,
    observe,
    reassign,
    success_rate,
    take_in,
    trust,
    withdraw,
)
from memory_graph.records import (
    Change,
    MemoryDecision,
    Observation,
    Pattern,
    PatternDraft,
    PatternStatus,
)
from memory_graph.store.scope import UserMemory, receipt_of, user_lock

_HALF = 0.5


@dataclass(frozen=True)
class Recorded:
    """A pattern as it is kept now, and why it changed."""

    pattern: Pattern
    decision: MemoryDecision


@dataclass(frozen=True)
class Refused:
    """Why a draft was not kept."""

    problem: DraftProblem


async def record_pattern(
    memory: UserMemory,
    draft: PatternDraft,
    change: Change,
    *,
    success: float | None,
    episode_id: str | None = None,
) -> Recorded | Refused:
    """Keep a pattern, or add one observation to the one that has its name.

    Unless somebody says so, a pattern worked when it is recorded and an anti-pattern did not;
    a number says how far, where that was neither all nor nothing.
    A retry of the same change changes nothing.

    Raises:
        RecordNotFoundError: If the episode named as evidence does not exist.
    """
    name = normalise_name(draft.name)
    async with user_lock(memory.scope.root):
        known = (await memory.patterns.find([name])).get(name) if name else None
        if problem := find_problem(draft, known):
            return Refused(problem)
        if known and any(each.id == change.id for each in known.evidence):
            return Recorded(known, _repeated(known))
        if episode_id:
            await memory.episodes.get(episode_id)
        stated = take_in(draft, known, change.at)
        seen = Observation(
            id=change.id,
            success=(stated.kind == "pattern" if success is None else success >= _HALF),
            at=change.at,
            episode_id=episode_id,
            rate=None if success in (None, 0, 1) else success,
        )
        pattern = observe(stated, seen)
        if known is None:
            pattern = pattern.model_copy(update={"source": change.source})
        return await _save(memory, known, pattern, change, "observed" if known else "stated")


async def confirm_pattern(memory: UserMemory, name: str, change: Change) -> Recorded:
    """Let a pattern count from now on, whoever proposed it.

    Raises:
        RecordNotFoundError: If this user has no such pattern.
    """
    return await _set_status(memory, name, "confirmed", change)


async def reject_pattern(memory: UserMemory, name: str, change: Change) -> Recorded:
    """Let a pattern no longer count; it is kept so that nobody proposes it again.

    Raises:
        RecordNotFoundError: If this user has no such pattern.
    """
    return await _set_status(memory, name, "rejected", change)


async def _set_status(
    memory: UserMemory, name: str, status: PatternStatus, change: Change
) -> Recorded:
    async with user_lock(memory.scope.root):
        known = await memory.patterns.get(normalise_name(name))
        after = known.model_copy(update={"status": status, "updated_at": change.at})
        return await _save(memory, known, after, change, status)


async def withdraw_episode(
    memory: UserMemory, episode_id: str, change: Change
) -> tuple[MemoryDecision, ...]:
    """Take back what an episode said about patterns, because it is being deleted."""
    lessened = partial(withdraw, episode_id=episode_id)
    return await _change_evidence(memory, lessened, change, "evidence_deleted")


async def move_evidence(
    memory: UserMemory, merged: str, into: str, change: Change
) -> tuple[MemoryDecision, ...]:
    """Let what one episode said about patterns count on, once it is part of another."""
    moved = partial(reassign, merged=merged, into=into)
    return await _change_evidence(memory, moved, change, "evidence_merged")


async def _change_evidence(
    memory: UserMemory, alter: Callable[[Pattern], Pattern], change: Change, reason: str
) -> tuple[MemoryDecision, ...]:
    async with user_lock(memory.scope.root):
        known = {each.name: each for each in await memory.patterns.all()}
        changed = [new for old in known.values() if (new := alter(old)) != old]
        return await save_patterns(memory, known, changed, change, reason)


async def save_patterns(
    memory: UserMemory,
    known: Mapping[str, Pattern],
    changed: Sequence[Pattern],
    change: Change,
    reason: str,
) -> tuple[MemoryDecision, ...]:
    """Write changed patterns with one ledger entry, and return what it says of each."""
    if not changed:
        return ()
    decisions = tuple(_decision(known.get(each.name), each, reason) for each in changed)
    puts: list[PutOp] = []
    for each in changed:
        puts += await memory.patterns.changes(known.get(each.name), each, change.at)
    await memory.apply(change.by, decisions, puts, at=change.at, receipts=[receipt_of(change)])
    return decisions


async def _save(
    memory: UserMemory, before: Pattern | None, after: Pattern, change: Change, reason: str
) -> Recorded:
    known = {before.name: before} if before else {}
    [decision] = await save_patterns(memory, known, [after], change, reason)
    return Recorded(after, decision)


def _repeated(known: Pattern) -> MemoryDecision:
    return MemoryDecision(
        kind="pattern", action="skip", reason="already_recorded", memory_id=known.name
    )


def _decision(before: Pattern | None, after: Pattern, reason: str) -> MemoryDecision:
    scores = {"trust": round(trust(after), 3), "occurrences": float(after.occurrences)}
    if (rate := success_rate(after)) is not None:
        scores["success_rate"] = round(rate, 3)
    return MemoryDecision(
        kind="pattern",
        action="update" if before else "create",
        reason=reason,
        memory_id=after.name,
        scores=scores,
        before=before.model_dump(mode="json") if before else None,
        after=after.model_dump(mode="json"),
    )
