"""What would an import change, and how is it carried out?"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from memory_graph.errors import StoreUnavailableError
from memory_graph.migrate.incoming import Incoming, Unusable
from memory_graph.migrate.langmem import read_items
from memory_graph.records import (
    Episode,
    Fact,
    LedgerEntry,
    MemoryDecision,
    MemoryKind,
    Pattern,
    Record,
)
from memory_graph.steps.patterns import Change
from memory_graph.storage.collection import Collection
from memory_graph.storage.gateway import EVERYTHING
from memory_graph.storage.labels import stable_id
from memory_graph.storage.locks import one_at_a_time
from memory_graph.storage.scope import UserMemory

R = TypeVar("R", bound=Record)
_BATCH = 100
"""Records written, and kept in the ledger, at a time."""


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What an import does with one record."""

    kind: MemoryKind
    record_id: str
    action: Literal["create", "update", "keep"]
    after: Record
    before: Record | None = None


@dataclass(frozen=True)
class Plan:
    """What an import would do; nothing is written yet."""

    records: tuple[Planned, ...]
    unusable: tuple[Unusable, ...] = ()

    @property
    def changes(self) -> tuple[Planned, ...]:
        """What would be written."""
        return tuple(each for each in self.records if each.action != "keep")

    @property
    def counts(self) -> dict[str, int]:
        """How many records have which fate: `create`, `update`, `keep`, `unusable`."""
        counted = Counter[str](each.action for each in self.records)
        fates = ("create", "update", "keep")
        return {fate: counted[fate] for fate in fates} | {"unusable": len(self.unusable)}


async def read_langmem(memory: UserMemory, namespace: tuple[str, ...]) -> Incoming:
    """Return what LangMem keeps under a namespace of the same store.

    Raises:
        StoreUnavailableError: If the store does not answer in time.
    """
    gateway = memory.scope.gateway
    try:
        async with asyncio.timeout(gateway.read_timeout_s):
            items = await gateway.store.asearch(namespace, limit=EVERYTHING)
    except TimeoutError as error:
        raise StoreUnavailableError("The store did not answer in time.") from error
    # A search covers what lies below a namespace too, and our own records may lie there.
    return read_items(item for item in items if tuple(item.namespace) == namespace)


async def plan_import(memory: UserMemory, incoming: Incoming, *, overwrite: bool = False) -> Plan:
    """Compare what comes in with what is there; without `overwrite` known ids stay as they are."""
    facts = await _plan("fact", memory.facts, incoming.facts, overwrite)
    episodes = await _plan("episode", memory.episodes, incoming.episodes, overwrite)
    patterns = await _plan("pattern", memory.patterns, incoming.patterns, overwrite)
    return Plan((*facts, *episodes, *patterns), incoming.unusable)


async def apply_import(
    memory: UserMemory,
    plan: Plan,
    change: Change,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Write what a plan says, each batch with its ledger entry; return how many records.

    Interrupted, it can be planned and applied again: what was written is not written twice.
    """
    total = len(plan.changes)
    for start in range(0, total, _BATCH):
        advance(start, total)
        batch = plan.changes[start : start + _BATCH]
        async with one_at_a_time(memory.scope.root):
            entry = _entry(batch, change, start)
            after = [each.after for each in batch]
            puts = await memory.facts.puts([r for r in after if isinstance(r, Fact)], change.at)
            puts += await memory.episodes.puts(
                [r for r in after if isinstance(r, Episode)], change.at
            )
            for each in batch:
                if isinstance(each.after, Pattern):
                    before = each.before if isinstance(each.before, Pattern) else None
                    puts += await memory.patterns.changes(before, each.after, change.at)
            await memory.commit([*puts, *await memory.ledger.keep(entry)])
    return total


async def _plan(
    kind: MemoryKind, collection: Collection[R], records: Sequence[R], overwrite: bool
) -> list[Planned]:
    by_id = {collection.kind.record_id(record): record for record in records}
    known = await collection.find(by_id)
    planned = []
    for record_id, after in by_id.items():
        before = known.get(record_id)
        action: Literal["create", "update", "keep"] = "create"
        if before is not None:
            action = "update" if overwrite and before != after else "keep"
        planned.append(
            Planned(kind=kind, record_id=record_id, action=action, after=after, before=before)
        )
    return planned


def _entry(batch: Sequence[Planned], change: Change, start: int) -> LedgerEntry:
    return LedgerEntry(
        id=f"{stable_id(change.id, change.by, str(start))}-{change.by}",
        at=change.at,
        node=change.by,
        source=change.source,
        decisions=tuple(
            MemoryDecision(
                kind=each.kind,
                action="update" if each.before else "create",
                reason="imported",
                memory_id=each.record_id,
                before=each.before.model_dump(mode="json") if each.before else None,
                after=each.after.model_dump(mode="json"),
            )
            for each in batch
        ),
    )
