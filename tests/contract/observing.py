"""What another process does to a pattern, as a function that such a process can import."""

import asyncio

from memory_graph import clock
from memory_graph.embedding import load_embedder
from memory_graph.patterns.writing import record_pattern
from memory_graph.records import Change, PatternDraft
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

DRAFT = PatternDraft(name="retry", trigger="a call times out", action="try once more")


def observe_often(address: str, worker: int, times: int) -> None:
    """Observe a pattern several times at once; every third time it fails."""
    asyncio.run(_observe_often(address, worker, times))


async def _observe_often(address: str, worker: int, times: int) -> None:
    async with open_configured_store(Settings(store=address), load_embedder("use")) as backend:
        memory = memory_of(Owner("ana"), backend.store)
        changes = [
            Change(id=f"{worker}-{number}", by="add_pattern", at=clock.utc_now())
            for number in range(times)
        ]
        await asyncio.gather(
            *(
                record_pattern(memory, DRAFT, change, success=bool(number % 3))
                for number, change in enumerate(changes)
            )
        )
