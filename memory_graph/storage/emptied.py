"""When was everything forgotten? All that is kept of it is the time."""

from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.storage.freshness import TOKENS
from memory_graph.storage.gateway import Gateway

_KEY = "emptied"


def emptying(root: tuple[str, ...], now: datetime) -> PutOp:
    """Return the write that keeps the time at which a user's memory was emptied."""
    return PutOp((*root, TOKENS), _KEY, {"at": now.isoformat()}, index=False)


async def emptied_at(gateway: Gateway, root: tuple[str, ...]) -> datetime | None:
    """Return when a user's memory was last emptied, if ever."""
    found = await gateway.get((*root, TOKENS), [_KEY])
    return datetime.fromisoformat(str(found[0].value["at"])) if found else None
