"""Instructions in the store."""

from datetime import date

from memory_graph.records import Instruction
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Kind, epoch_of

_MOST = 10_000
"""All of them: few hold at a time, and those that ended stay."""

INSTRUCTIONS = Kind(
    label="instructions",
    name="instruction",
    record=Instruction,
    record_id=lambda instruction: instruction.id,
    text=lambda instruction: f"{instruction.when}: {instruction.wish}",
    filters=lambda instruction: {
        "current": instruction.ended_at is None,
        "updated_epoch": int(instruction.updated_at.timestamp()),
    },
    fields=lambda value: {"said_at": epoch_of(value["updated_at"])},
)


class Instructions(RecordCollection[Instruction]):
    """One user's instructions."""

    async def in_force(self, today: date) -> list[Instruction]:
        """Return the instructions that hold today, the newest first."""
        return [each for each in await self.current() if each.until is None or each.until >= today]

    async def current(self) -> list[Instruction]:
        """Return the instructions that nobody ended, the newest first."""
        return [each for each in await self.latest(_MOST) if each.ended_at is None]
