"""How often was a memory recalled? Kept apart, so that reading never re-embeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.records import AccessCount
from memory_graph.storage.gateway import Gateway


@dataclass(frozen=True)
class AccessCounts:
    """One user's access counters; approximate, since a store has no atomic increment."""

    gateway: Gateway
    namespace: tuple[str, ...]

    async def touch(self, record_ids: Sequence[str], now: datetime) -> list[PutOp]:
        """Return the writes that count one more access of each record."""
        counts = await self.find(record_ids)
        return [
            PutOp(self.namespace, each, _value(each, counts.get(each), now), index=False)
            for each in record_ids
        ]

    async def find(self, record_ids: Sequence[str]) -> dict[str, AccessCount]:
        """Return the counters that exist, by record."""
        items = await self.gateway.get(self.namespace, record_ids)
        return {item.key: AccessCount.model_validate(item.value) for item in items}


def _value(record_id: str, known: AccessCount | None, now: datetime) -> dict[str, object]:
    count = 1 + (known.count if known else 0)
    counted = AccessCount(record_id=record_id, count=count, last_accessed_at=now)
    return counted.model_dump(mode="json")
