"""What a change to a memory is written down as."""

from typing import TypeAlias

from memory_graph.keys import stable_id
from memory_graph.records import (
    Action,
    Change,
    Episode,
    Fact,
    Instruction,
    MemoryDecision,
    MemoryKind,
    Pattern,
    Receipt,
)

Memory: TypeAlias = Fact | Episode | Pattern | Instruction
"""Anything a person can look up, change, move and forget."""

KINDS: dict[MemoryKind, type[Memory]] = {
    "fact": Fact,
    "episode": Episode,
    "pattern": Pattern,
    "instruction": Instruction,
}


def kind_of(record: Memory) -> MemoryKind:
    """Return what a memory is called."""
    return next(kind for kind, record_type in KINDS.items() if isinstance(record, record_type))


def decision_for(
    action: Action,
    reason: str,
    *,
    before: Memory | None,
    after: Memory | None,
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


def receipt_of(change: Change) -> Receipt:
    """Return the receipt of a change made outside a conversation; the same for a retry."""
    return Receipt(f"{stable_id(change.id, change.by)}-{change.by}", change.source)
