"""How much is remembered about a user, and what was decided how often?"""

from collections import Counter
from collections.abc import Mapping

from memory_graph.storage.scope import UserMemory


async def count_memories(memory: UserMemory) -> Mapping[str, object]:
    """Return counts; nothing in them says what is remembered."""
    facts = await memory.facts.all()
    decisions = Counter(
        f"{decision.kind}.{decision.action}.{decision.reason}"
        for entry in await memory.ledger.recent()
        for decision in entry.decisions
    )
    return {
        "facts": sum(fact.valid_to is None for fact in facts),
        "retracted_facts": sum(fact.valid_to is not None for fact in facts),
        "episodes": len(await memory.episodes.all()),
        "patterns": len(await memory.patterns.all()),
        "decisions": dict(sorted(decisions.items())),
    }
