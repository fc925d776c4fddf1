"""Before answering: keep the durable facts in what the user just said."""

import time
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.llm.facts import extract_facts
from memory_graph.llm.models import models_for
from memory_graph.nodes.both_ways import both_ways
from memory_graph.nodes.failure import costs_no_reply
from memory_graph.nodes.turn import Turn, read_turns
from memory_graph.policy.gate import decide_gate
from memory_graph.records import LedgerEntry, MemoryDecision
from memory_graph.settings import get_settings
from memory_graph.state import HotpathUpdate, MemoryState
from memory_graph.steps.admit import Admitted, SameFactJudge, Statement, admit
from memory_graph.steps.tax import tax
from memory_graph.steps.telling import notes, report, stated
from memory_graph.storage.scope import UserMemory, open_memory, run_context

NODE = "memory_hotpath"


@both_ways
@costs_no_reply
async def memory_hotpath(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: BaseChatModel | None = None,
) -> HotpathUpdate:
    """Save the facts of this turn: update over insert, history kept. Never an episode.

    A turn that was handled before, by a retry or a replay, changes nothing.
    """
    started = time.perf_counter()
    memory = open_memory(runtime, config)
    turns = read_turns(state["messages"], config)
    if not turns:
        return {"memory_decisions": [], "memory_noted": []}
    receipt_id = turns[-1].receipt_of(NODE)
    if done := (await memory.ledger.find([receipt_id])).get(receipt_id):
        return {"memory_decisions": notes(done.decisions), "memory_noted": stated(done.decisions)}

    now = clock.utc_now()
    admitted = await _admit_turn(memory, turns, run_context(runtime, config), model)
    entry = LedgerEntry(
        id=receipt_id,
        at=now,
        node=NODE,
        source=turns[-1].source,
        decisions=admitted.decisions,
    )
    await memory.commit([*admitted.puts, *await memory.ledger.keep(entry)])
    report(runtime, NODE, admitted.decisions)
    return {
        "memory_decisions": notes(admitted.decisions),
        "memory_noted": stated(admitted.decisions),
        "memory_tax": tax(started, admitted.usage),
    }


async def _admit_turn(
    memory: UserMemory, turns: Sequence[Turn], context: Context, model: BaseChatModel | None
) -> Admitted:
    """Read the facts out of the last turn, if the gate thinks it may hold any."""
    gate = decide_gate(turns[-1].text)
    if not gate.passes:
        return Admitted((_skip(gate.reason),))
    now = clock.utc_now()
    timeout_s = get_settings().extraction_timeout_s
    reader = models_for(context, model).extraction
    extraction = await extract_facts(
        [turn.text for turn in turns[-context.admission.window :]],
        reader,
        today=now.astimezone(context.zone).date(),
        timeout_s=timeout_s,
    )
    if not extraction.candidates:
        return Admitted((_skip("no_fact_stated"),), usage=extraction.usage)
    said = Statement(at=now, source=turns[-1].source, extractor=extraction.extractor)
    judge = SameFactJudge(reader, timeout_s)
    admitted = await admit(memory, extraction.candidates, said, context.admission, judge)
    return replace(admitted, usage=admitted.usage + extraction.usage)


def _skip(reason: str) -> MemoryDecision:
    return MemoryDecision(kind="fact", action="skip", reason=reason)
