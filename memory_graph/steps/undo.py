"""How is a decision taken back?"""

from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.errors import MemoryGraphError
from memory_graph.records import LedgerEntry, MemoryDecision
from memory_graph.steps.by_hand import (
    KINDS,
    Memory,
    change,
    commit_change,
    deletions_of,
    find_by_id,
    puts_of,
)
from memory_graph.storage.scope import UserMemory


class CannotUndoError(MemoryGraphError):
    """There is nothing to take back, or something newer stands in the way."""


@dataclass(frozen=True)
class Undone:
    """One memory, before and after a decision about it was taken back."""

    was: Memory | None
    restored: Memory | None
    """Empty where the decision had created the memory."""


async def undo(
    memory: UserMemory, entry: LedgerEntry, number: int | None, now: datetime
) -> list[Undone]:
    """Restore what decisions of an entry replaced, exactly: decision `number`, or all.

    The undoing is itself a ledger entry, which can be undone.

    Raises:
        CannotUndoError: If nothing was changed, or a memory has changed again since.
    """
    chosen = _chosen(entry, number)
    undone = [await _restoration(memory, decision) for decision in chosen]
    decisions = [
        change(
            "update" if each.restored else "evict", "undone", before=each.was, after=each.restored
        )
        for each in undone
    ]
    puts: list[PutOp] = []
    for each in undone:
        puts += await _puts(memory, each, now)
    await commit_change(memory, "undo", decisions, puts, now)
    return undone


def _chosen(entry: LedgerEntry, number: int | None) -> list[MemoryDecision]:
    if number is not None and not 1 <= number <= len(entry.decisions):
        raise CannotUndoError(f"That entry holds decisions 1 to {len(entry.decisions)}.")
    chosen = entry.decisions if number is None else entry.decisions[number - 1 : number]
    changes = [each for each in chosen if each.before != each.after]
    if not changes:
        raise CannotUndoError("That decision changed nothing, so there is nothing to undo.")
    return changes


async def _restoration(memory: UserMemory, decision: MemoryDecision) -> Undone:
    """Compare the memory as it is with what the decision made of it."""
    kind = KINDS[decision.kind]
    before = kind.model_validate(decision.before) if decision.before else None
    after = kind.model_validate(decision.after) if decision.after else None
    touched = after or before
    assert touched is not None
    current = (await find_by_id(memory, [touched.id])).get(touched.id)
    if current != after:
        raise CannotUndoError(
            f"{touched.id} has changed since; undo the later change first "
            f"(`memory-graph why {touched.id}` lists them)."
        )
    return Undone(current, before)


async def _puts(memory: UserMemory, undone: Undone, now: datetime) -> list[PutOp]:
    if undone.restored is not None:
        return await puts_of(memory, undone.restored, now, before=undone.was)
    return deletions_of(memory, undone.was) if undone.was else []
