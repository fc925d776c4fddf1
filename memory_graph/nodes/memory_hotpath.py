"""The node that keeps the durable facts in the user's message, before the reply."""

import time
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import telemetry
from memory_graph.context import Context
from memory_graph.curation.undo import Gone, withdraw
from memory_graph.episodes.capture import CAPTURE
from memory_graph.errors import ForgottenMeanwhileError
from memory_graph.facts.reading import skip
from memory_graph.llm.models import ModelLike
from memory_graph.nodes._beside import read_before_the_reply
from memory_graph.nodes._delegation import outer_messages
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._reading import HOTPATH, Read
from memory_graph.nodes._visit import Visit, enter, note_unread
from memory_graph.records import MemoryDecision
from memory_graph.state import Began, MemoryKeys, MemoryState
from memory_graph.telemetry import notes, report, stated, tax
from memory_graph.turns.inbox import abandoned, is_edited, line_with
from memory_graph.turns.store import ASSISTANT, WENT_BACK, mark_in, record_id, withdrawn


async def _unread(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryKeys:
    """Note whose the messages are that could not be read."""
    note = await note_unread(state, runtime, config)
    return {"memory_graph": note, "memory_decisions": [], "memory_noted": []}


@as_node
@never_fails_the_turn(leaving=_unread, waits=lambda patience: 4 * patience.extraction_s)
async def memory_hotpath(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
) -> MemoryKeys:
    """Save the facts of this turn: update over insert, history kept. Never an episode.

    A turn that was read before, in a retry or a replay, changes nothing. One that no model could
    read, or whose store was down, waits for a later run. If the thread went back to an earlier
    checkpoint, what came from the abandoned turns is withdrawn; if it comes back to them, they are
    read again.
    """
    started = time.perf_counter()
    visit = await enter(state, runtime, config)
    visit, withdrawn = await go_back(visit, config)
    records, read = visit.records, Read((skip("forgotten"),))
    try:
        work, read = await read_before_the_reply(visit, model)
        records = work.records
    except ForgottenMeanwhileError:
        pass
    if read.failure:
        telemetry.record(runtime, telemetry.NodeGaveUp.because(HOTPATH, read.failure))
    done = read.decisions or await _done(visit)
    report(runtime, HOTPATH, [*withdrawn, *read.decisions])
    return {
        "memory_graph": {
            **visit.note,
            "line": line_with(visit.note, visit.turns, records),
            "began": Began(of=visit.party, erasure=visit.erasure.mark),
        },
        "memory_decisions": notes([*withdrawn, *done]),
        "memory_noted": stated(done),
        "memory_tax": tax(started, read.usage),
    }


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


async def _done(visit: Visit) -> Sequence[MemoryDecision]:
    """Return what was decided about the last message, if it was read before: the reply says so."""
    if visit.last is None or visit.last.message_id in visit.new:
        return []
    receipt = visit.last.receipt_of(HOTPATH)
    found = await visit.memory.ledger.find([receipt])
    return found[receipt].decisions if receipt in found else []
