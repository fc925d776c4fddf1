"""What was decided about memory, turn by turn, and did a node already handle a turn?"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import Item, PutOp

from memory_graph.errors import RecordNotFoundError
from memory_graph.records import LedgerEntry
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.jsonable import to_jsonable

_TRIM_EVERY = 50


@dataclass(frozen=True)
class Ledger:
    """One user's decisions. An entry is also the receipt that a node handled a turn."""

    gateway: Gateway
    namespace: tuple[str, ...]
    max_entries: int

    async def keep(self, entry: LedgerEntry) -> list[PutOp]:
        """Return the writes that keep an entry, and drop the oldest now and then."""
        return [self.put(entry), *await self._surplus(entry.id)]

    async def get(self, entry_id: str) -> LedgerEntry:
        """Return one entry.

        Raises:
            RecordNotFoundError: If this user has no such entry.
        """
        found = await self.find([entry_id])
        if entry_id not in found:
            raise RecordNotFoundError("ledger entry", entry_id)
        return found[entry_id]

    async def find(self, entry_ids: Iterable[str]) -> dict[str, LedgerEntry]:
        """Return those of the entries that exist, by id."""
        items = await self.gateway.get(self.namespace, list(entry_ids))
        return {item.key: _entry(item) for item in items}

    async def recent(self, *, node: str | None = None) -> list[LedgerEntry]:
        """Return the entries, newest first."""
        where: dict[str, object] | None = {"node": node} if node else None
        items = await self.gateway.scan(self.namespace, where=where)
        return sorted(map(_entry, items), key=lambda entry: (entry.at, entry.id), reverse=True)

    async def since(self, moment: datetime, *, node: str) -> list[LedgerEntry]:
        """Return a node's entries from `moment` on, in no particular order."""
        where: dict[str, object] = {"node": node, "at_epoch": {"$gte": int(moment.timestamp())}}
        return [_entry(item) for item in await self.gateway.scan(self.namespace, where=where)]

    async def about(self, memory_id: str) -> list[LedgerEntry]:
        """Return the entries that touched a memory, oldest first."""
        entries = reversed(await self.recent())
        return [e for e in entries if any(d.memory_id == memory_id for d in e.decisions)]

    def put(self, entry: LedgerEntry) -> PutOp:
        """Return the write that saves an entry, new or rewritten."""
        value = to_jsonable(entry.model_dump(mode="json"))
        assert isinstance(value, dict)
        value["at_epoch"] = int(entry.at.timestamp())
        value["node"] = entry.node
        return PutOp(self.namespace, entry.id, value, index=False)

    async def _surplus(self, newest_id: str) -> list[PutOp]:
        """Return deletions of the entries past the bound; looks only now and then."""
        if int(newest_id[:8], 16) % _TRIM_EVERY:
            return []
        too_old = (await self.recent())[self.max_entries :]
        return [PutOp(self.namespace, entry.id, None) for entry in too_old]


def _entry(item: Item) -> LedgerEntry:
    return LedgerEntry.model_validate(item.value)
