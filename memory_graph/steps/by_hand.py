"""How is a change kept that somebody makes directly, outside a conversation?"""

from collections.abc import Sequence
from datetime import datetime
from uuid import uuid4

from langgraph.store.base import PutOp

from memory_graph.records import Action, Episode, Fact, LedgerEntry, MemoryDecision, TurnRecord
from memory_graph.storage.scope import UserMemory


async def commit_change(
    memory: UserMemory,
    node: str,
    decisions: Sequence[MemoryDecision],
    puts: Sequence[PutOp],
    now: datetime,
) -> LedgerEntry:
    """Apply `puts` together with the ledger entry that explains them, and return the entry."""
    entry = LedgerEntry(id=f"{uuid4().hex}-{node}", at=now, node=node, decisions=tuple(decisions))
    await memory.commit([*puts, *await memory.ledger.keep(entry)])
    return entry


async def puts_of(
    memory: UserMemory, record: Fact | Episode | TurnRecord, now: datetime
) -> list[PutOp]:
    """Return the writes that save a record of any kind, out of the archive if it is there."""
    if isinstance(record, Fact):
        return [*await memory.facts.puts([record], now), *memory.archive.deletions([record.id])]
    if isinstance(record, TurnRecord):
        return await memory.turns.puts([record], now)
    return await memory.episodes.puts([record], now)


def deletions_of(memory: UserMemory, record: Fact | Episode) -> list[PutOp]:
    """Return the writes that delete a record of either kind, also from the archive."""
    if isinstance(record, Fact):
        return [*memory.facts.deletions([record.id]), *memory.archive.deletions([record.id])]
    return memory.episodes.deletions([record.id])


def change(
    action: Action, reason: str, *, before: Fact | Episode | None, after: Fact | Episode | None
) -> MemoryDecision:
    """Return a change from one record to the next as a decision that can be undone."""
    touched = after or before
    assert touched is not None
    return MemoryDecision(
        kind="fact" if isinstance(touched, Fact) else "episode",
        action=action,
        reason=reason,
        memory_id=touched.id,
        before=before.model_dump(mode="json") if before else None,
        after=after.model_dump(mode="json") if after else None,
    )
