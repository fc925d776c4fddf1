"""Withdraw what came of turns that a thread went back behind, or that were edited."""

from dataclasses import replace

from langchain_core.runnables import RunnableConfig

from memory_graph.curation.undo import Gone, withdraw
from memory_graph.episodes.capture import CAPTURE
from memory_graph.nodes._delegation import outer_messages
from memory_graph.nodes._reading import HOTPATH
from memory_graph.nodes._visit import Visit
from memory_graph.records import MemoryDecision
from memory_graph.turns.inbox import abandoned, is_edited
from memory_graph.turns.store import ASSISTANT, WENT_BACK, mark_in, record_id, withdrawn


async def go_back(visit: Visit, config: RunnableConfig) -> tuple[Visit, tuple[MemoryDecision, ...]]:
    """Withdraw what came of abandoned and edited turns; return what is known then.

    A turn that nobody captured may still be running in parallel, except on a server.
    """
    gone = abandoned(visit.listed, visit.line(), visit.held, is_begun=_is_begun(visit, config))
    records = await visit.memory.turns.find(gone) if gone else {}
    over = [
        record for record in records.values() if record.captured.state != "open" or visit.is_served
    ]
    for turn in visit.turns:
        record = visit.records.get(turn.message_id)
        if record and not record.withdrawn and is_edited(turn, record):
            over.append(record)
    if not over:
        return visit, ()
    marks = [mark_in(record.id) for record in over]
    receipts = [f"{mark}-{node}" for mark in marks for node in (HOTPATH, CAPTURE)]
    entries = await visit.memory.ledger.find(receipts)
    words = [*(each.id for each in over), *(record_id(mark, ASSISTANT) for mark in marks)]
    gone_back = Gone(words, WENT_BACK)
    back = await withdraw(visit.memory, [*entries.values()], visit.now, gone=gone_back)
    gone_now = {record.id: withdrawn(record, WENT_BACK) for record in over}
    known = {key: gone_now.get(each.id, each) for key, each in visit.records.items()}
    return replace(visit, records=known), back.decisions


def _is_begun(visit: Visit, config: RunnableConfig) -> bool:
    """Say whether a thread without a line surely stands where it began.

    So it does where the run names its checkpoint, and on a server, which keeps them all. An agent
    within another has a state of its own and none of the conversation's checkpoints.
    """
    namespace = str((config.get("configurable") or {}).get("checkpoint_ns") or "")
    is_inner = outer_messages() is not None or "|" in namespace
    names_checkpoint = bool((config.get("metadata") or {}).get("checkpoint_id"))
    return not is_inner and (visit.is_served or names_checkpoint)
