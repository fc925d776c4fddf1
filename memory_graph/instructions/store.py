"""Instructions in the store."""

from datetime import date

from memory_graph.records import Instruction
from memory_graph.store.collection import RecordCollection
from memory_graph.store.values import Kind, epoch_of

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
        known = await self.all(where={"current": True})
        held = [each for each in known if each.until is None or each.until >= today]
        return sorted(held, key=lambda each: each.updated_at, reverse=True)
