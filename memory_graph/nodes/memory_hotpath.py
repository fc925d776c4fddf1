"""The node that keeps the durable facts in the user's message, before the reply."""

import time
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import telemetry
from memory_graph.context import Context
from memory_graph.errors import ForgottenMeanwhileError
from memory_graph.facts.reading import skip
from memory_graph.llm.models import ModelLike
from memory_graph.nodes._beside import read_before_the_reply
from memory_graph.nodes._going_back import go_back
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._reading import HOTPATH, Read
from memory_graph.nodes._visit import Visit, enter, note_unread
from memory_graph.records import MemoryDecision
from memory_graph.state import Began, MemoryKeys, MemoryState
from memory_graph.telemetry import notes, report, stated, tax
from memory_graph.turns.inbox import line_with


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


async def _done(visit: Visit) -> Sequence[MemoryDecision]:
    """Return what was decided about the last message, if it was read before: the reply says so."""
    if visit.last is None or visit.last.message_id in visit.new:
        return []
    receipt = visit.last.receipt_of(HOTPATH)
    found = await visit.memory.ledger.find([receipt])
    return found[receipt].decisions if receipt in found else []
