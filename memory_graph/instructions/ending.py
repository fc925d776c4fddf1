"""End an instruction by hand."""

from memory_graph.errors import RecordNotFoundError
from memory_graph.records import Change, Instruction
from memory_graph.store.changes import decision_for, receipt_of
from memory_graph.store.locks import facts_lock
from memory_graph.store.scope import UserMemory


async def end_instruction(memory: UserMemory, instruction_id: str, by: Change) -> Instruction:
    """Let an instruction be over from now on; the ledger keeps it, so that this can be undone.

    Raises:
        RecordNotFoundError: If this user has no such instruction in force.
    """
    async with facts_lock(memory.scope):
        known = await memory.instructions.get(instruction_id)
        if known.ended_at is not None:
            raise RecordNotFoundError("instruction in force", instruction_id)
        after = known.model_copy(update={"ended_at": by.at, "updated_at": by.at})
        decision = decision_for("retract", "ended_by_hand", before=known, after=after)
        puts = await memory.instructions.puts([after], by.at)
        await memory.apply(by.by, [decision], puts, at=by.at, receipts=[receipt_of(by)])
    return after
