"""Changes made outside a conversation: by the command line, HTTP or a tool."""

from collections.abc import Sequence
from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.facts.timeline import is_pending_retraction
from memory_graph.records import Episode, Fact, Pattern, TurnRecord
from memory_graph.store.scope import Memory, UserMemory, decision_for


async def find_by_id(memory: UserMemory, record_ids: Sequence[str]) -> dict[str, Memory]:
    """Return those of the memories that exist, of whichever kind; archived facts do not.

    A fact that never held is found where it waits.
    """
    archived = await memory.archive.find(record_ids)
    found: dict[str, Memory] = {
        each.id: each for each in archived.values() if is_pending_retraction(each)
    }
    found |= await memory.facts.find(record_ids)
    found |= await memory.episodes.find(record_ids)
    found |= await memory.patterns.find(record_ids)
    return found


async def puts_of(
    memory: UserMemory, record: Memory | TurnRecord, now: datetime, *, before: object = None
) -> list[PutOp]:
    """Return the writes that save a record of any kind, out of the archive if it is there.

    What others saw of a pattern stays, as far as it was not known `before`.
    """
    if isinstance(record, Fact):
        home, elsewhere = memory.facts, memory.archive
        if is_pending_retraction(record):
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


async def pin(memory: UserMemory, record: Fact | Episode, *, pinned: bool, now: datetime) -> bool:
    """Pin or unpin a fact or an episode; return whether that changed anything."""
    if record.pinned == pinned:
        return False
    after = record.model_copy(update={"pinned": pinned})
    decision = decision_for(
        "update", "pinned" if pinned else "unpinned", before=record, after=after
    )
    await memory.apply("pin", [decision], await puts_of(memory, after, now), at=now)
    return True
