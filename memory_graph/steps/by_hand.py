"""How is a change kept that somebody makes directly, outside a conversation?"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import uuid4

from langgraph.store.base import PutOp

from memory_graph.policy.timeline import never_held
from memory_graph.records import (
    Action,
    Episode,
    Fact,
    LedgerEntry,
    MemoryDecision,
    MemoryKind,
    Pattern,
    TurnRecord,
)
from memory_graph.storage.scope import UserMemory

Memory: TypeAlias = Fact | Episode | Pattern
"""Anything a person can look up, change, move and forget."""

KINDS: dict[MemoryKind, type[Memory]] = {"fact": Fact, "episode": Episode, "pattern": Pattern}


def kind_of(record: Memory) -> MemoryKind:
    """Return what a memory is called."""
    return next(kind for kind, record_type in KINDS.items() if isinstance(record, record_type))


async def find_by_id(memory: UserMemory, record_ids: Sequence[str]) -> dict[str, Memory]:
    """Return those of the memories that exist, of whichever kind; archived facts do not.

    A fact that never held is found where it waits.
    """
    archived = await memory.archive.find(record_ids)
    found: dict[str, Memory] = {each.id: each for each in archived.values() if never_held(each)}
    found |= await memory.facts.find(record_ids)
    found |= await memory.episodes.find(record_ids)
    found |= await memory.patterns.find(record_ids)
    return found


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
    memory: UserMemory, record: Memory | TurnRecord, now: datetime, *, before: object = None
) -> list[PutOp]:
    """Return the writes that save a record of any kind, out of the archive if it is there.

    What others saw of a pattern stays, as far as it was not known `before`.
    """
    if isinstance(record, Fact):
        home, elsewhere = memory.facts, memory.archive
        if never_held(record):
            home, elsewhere = elsewhere, home
        return [*await home.puts([record], now), *elsewhere.deletions([record.id])]
    if isinstance(record, TurnRecord):
        return await memory.turns.puts([record], now)
    if isinstance(record, Episode):
        return await memory.episodes.puts([record], now)
    known = before if isinstance(before, Pattern) else None
    return await memory.patterns.changes(known, record, now)


def deletions_of(memory: UserMemory, record: Memory) -> list[PutOp]:
    """Return the writes that delete a record of any kind, also from the archive."""
    if isinstance(record, Fact):
        return [*memory.facts.deletions([record.id]), *memory.archive.deletions([record.id])]
    if isinstance(record, Episode):
        return memory.episodes.deletions([record.id])
    return memory.patterns.removals(record)


def change(
    action: Action, reason: str, *, before: Memory | None, after: Memory | None
) -> MemoryDecision:
    """Return a change from one record to the next as a decision that can be undone."""
    touched = after or before
    assert touched is not None
    return MemoryDecision(
        kind=kind_of(touched),
        action=action,
        reason=reason,
        memory_id=touched.id,
        before=before.model_dump(mode="json") if before else None,
        after=after.model_dump(mode="json") if after else None,
    )
