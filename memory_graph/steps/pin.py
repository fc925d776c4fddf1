"""How is a fact marked as one that always matters?"""

from datetime import datetime

from memory_graph.records import Fact
from memory_graph.steps.by_hand import change, commit_change
from memory_graph.storage.scope import UserMemory


async def pin(memory: UserMemory, fact: Fact, *, pinned: bool, now: datetime) -> bool:
    """Pin or unpin a fact; return whether that changed anything."""
    if fact.pinned == pinned:
        return False
    after = fact.model_copy(update={"pinned": pinned})
    decision = change("update", "pinned" if pinned else "unpinned", before=fact, after=after)
    await commit_change(memory, "pin", [decision], await memory.facts.puts([after], now), now)
    return True
