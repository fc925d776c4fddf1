"""How are one user's episodes looked after, and what would change?"""

from datetime import datetime

from memory_graph.policy.upkeep import Upkeep, UpkeepPolicy, plan_upkeep
from memory_graph.records import Action, MemoryDecision
from memory_graph.steps.by_hand import change, commit_change
from memory_graph.storage.claims import alone
from memory_graph.storage.scope import UserMemory

NODE = "memory_maintenance"


async def maintain(
    memory: UserMemory, policy: UpkeepPolicy, now: datetime, *, apply: bool
) -> tuple[MemoryDecision, ...]:
    """Return what has to change about a user's episodes; `apply` it, or leave it at that."""
    async with alone(memory.scope):
        episodes = await memory.episodes.all()
        counters = await memory.access.find([each.id for each in episodes])
        used = {record_id: each.last_accessed_at for record_id, each in counters.items()}
        plan = plan_upkeep(episodes, used, now, policy)
        decisions = tuple(map(_decision, plan))
        if apply and plan:
            last = {each.before.id: each.after for each in plan}
            changed = [episode for episode in last.values() if episode]
            gone = [episode_id for episode_id, episode in last.items() if episode is None]
            puts = await memory.episodes.puts(changed, now)
            puts += memory.episodes.deletions(gone)
            await commit_change(memory, NODE, decisions, puts, now)
    return decisions


def _decision(upkeep: Upkeep) -> MemoryDecision:
    action: Action = "update" if upkeep.after else "evict"
    return change(action, upkeep.reason, before=upkeep.before, after=upkeep.after)
