"""Record, confirm and reject patterns, and remove their evidence."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from langgraph.store.base import PutOp

from memory_graph import records
from memory_graph.errors import RefusedError
from memory_graph.patterns import evidence
from memory_graph.safety.secrets import without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.changes import decision_for, receipt_of
from memory_graph.store.locks import user_lock
from memory_graph.store.scope import UserMemory

_HALF = 0.5


class Recorded(NamedTuple):
    """A pattern as it is kept now, and why it changed."""

    pattern: records.Pattern
    decision: records.MemoryDecision


async def record_pattern(
    memory: UserMemory,
    draft: records.PatternDraft,
    change: records.Change,
    *,
    success: float | None,
    episode_id: str | None = None,
) -> Recorded:
    """Keep a pattern, or add one observation to the one that has its name.

    By default a pattern worked and an anti-pattern did not. A number from 0 to 1 says how far it
    worked. A retry of the same change changes nothing.

    Raises:
        RefusedError: If the draft cannot be kept.
        RecordNotFoundError: If the episode named as evidence does not exist.
    """
    draft = without_secrets(draft, get_settings().admission.sensitive)
    name = evidence.normalise_name(draft.name)
    async with user_lock(memory.scope.root):
        known = (await memory.patterns.find([name])).get(name) if name else None
        if problem := evidence.find_problem(draft, known):
            raise RefusedError(problem, evidence.REFUSALS[problem])
        if known and any(each.id == change.id for each in known.evidence):
            repeated = records.MemoryDecision(
                kind="pattern", action="skip", reason="already_recorded", memory_id=known.name
            )
            return Recorded(known, repeated)
        if episode_id:
            await memory.episodes.get(episode_id)
        stated = evidence.take_in(draft, known, change.at)
        seen = records.Observation(
            id=change.id,
            success=(stated.kind == "pattern" if success is None else success >= _HALF),
            at=change.at,
            episode_id=episode_id,
            rate=None if success in (None, 0, 1) else success,
        )
        pattern = evidence.observe(stated, seen)
        if known is None:
            pattern = pattern.model_copy(update={"source": change.source})
        held = {name: known} if known else {}
        [decision] = await save_patterns(
            memory, held, [pattern], change, "observed" if known else "stated"
        )
    return Recorded(pattern, decision)


async def decide_pattern(
    memory: UserMemory, name: str, status: records.PatternStatus, change: records.Change
) -> Recorded:
    """Confirm or reject a pattern; a rejected one is not proposed again.

    Raises:
        RecordNotFoundError: If this user has no such pattern.
    """
    async with user_lock(memory.scope.root):
        known = await memory.patterns.get(evidence.normalise_name(name))
        after = known.model_copy(update={"status": status, "updated_at": change.at})
        [decision] = await save_patterns(memory, {known.name: known}, [after], change, status)
    return Recorded(after, decision)


async def withdraw_episode(
    memory: UserMemory, episode_id: str, change: records.Change
) -> tuple[records.MemoryDecision, ...]:
    """Remove the evidence of an episode that is being deleted."""
    return await _change_evidence(
        memory, lambda each: evidence.withdraw(each, episode_id), change, "evidence_deleted"
    )


async def move_evidence(
    memory: UserMemory, merged: str, into: str, change: records.Change
) -> tuple[records.MemoryDecision, ...]:
    """Move the evidence of an episode that was merged to the episode that took it in."""
    return await _change_evidence(
        memory, lambda each: evidence.reassign(each, merged, into), change, "evidence_merged"
    )


async def _change_evidence(
    memory: UserMemory,
    alter: Callable[[records.Pattern], records.Pattern],
    change: records.Change,
    reason: str,
) -> tuple[records.MemoryDecision, ...]:
    async with user_lock(memory.scope.root):
        known = {each.name: each for each in await memory.patterns.all()}
        changed = [new for old in known.values() if (new := alter(old)) != old]
        return await save_patterns(memory, known, changed, change, reason)


async def save_patterns(
    memory: UserMemory,
    known: Mapping[str, records.Pattern],
    changed: Sequence[records.Pattern],
    change: records.Change,
    reason: str,
) -> tuple[records.MemoryDecision, ...]:
    """Write changed patterns with one ledger entry, and return its decisions."""
    puts: list[PutOp] = []
    decisions = []
    for each in changed:
        before, rate = known.get(each.name), evidence.success_rate(each)
        scores = {"trust": evidence.trust(each), "occurrences": float(each.occurrences)}
        scores |= {} if rate is None else {"success_rate": rate}
        rounded = {name: round(score, 3) for name, score in scores.items()}
        action: records.Action = "update" if before else "create"
        decision = decision_for(action, reason, before=before, after=each)
        decisions.append(decision.model_copy(update={"scores": rounded}))
        puts += await memory.patterns.changes(before, each, change.at)
    if decisions:
        await memory.apply(change.by, decisions, puts, at=change.at, receipts=[receipt_of(change)])
    return tuple(decisions)
