"""Has a user ever had everything forgotten? All that is kept of it is a random token."""

from uuid import uuid4

from langgraph.store.base import PutOp

from memory_graph.storage.freshness import TOKENS
from memory_graph.storage.gateway import Gateway

_KEY = "emptied"


def emptying(root: tuple[str, ...]) -> PutOp:
    """Return the write that marks a user's memory as emptied."""
    return PutOp((*root, TOKENS), _KEY, {"token": uuid4().hex}, index=False)


async def was_emptied(gateway: Gateway, root: tuple[str, ...]) -> bool:
    """Say whether a user's memory was emptied, so that what was said before may be in vain."""
    return bool(await gateway.get((*root, TOKENS), [_KEY]))
