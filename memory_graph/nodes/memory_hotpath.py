"""Before answering: keep the durable facts in what the user just said."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.errors import ModelUnavailableError
from memory_graph.llm.ask import Usage
from memory_graph.llm.models import models_for
from memory_graph.nodes.both_ways import both_ways
from memory_graph.nodes.failure import costs_no_reply
from memory_graph.nodes.open_turns import NODE, PENDING, missed_turns, waiting_turns
from memory_graph.nodes.turn import Turn, read_turns
from memory_graph.records import LedgerEntry, MemoryDecision
from memory_graph.settings import get_settings
from memory_graph.state import HotpathUpdate, MemoryState
from memory_graph.steps.admit import Admitted, SameFactJudge, Statement, admit
from memory_graph.steps.hear import Listener, skip
from memory_graph.steps.tax import tax
from memory_graph.steps.telling import notes, report, stated
from memory_graph.storage.emptied import emptied_at
from memory_graph.storage.locks import one_at_a_time
from memory_graph.storage.scope import UserMemory, open_memory, run_context

_MOST_MISSED = 20
"""As many turns as a window may hold; what is older is not gone back to anyway."""


def _missed(state: MemoryState, config: RunnableConfig) -> HotpathUpdate:
    """Let the thread remember that the facts of its last message were not kept."""
    messages = state.get("messages") or []
    said = [each.id for each in messages if isinstance(each, HumanMessage) and each.id]
    earlier = list((state.get("memory_missed") or {}).items())[-_MOST_MISSED:]
    now = clock.utc_now().isoformat()
    missed = {**dict(earlier), **{message_id: now for message_id in said[-1:]}}
    return {"memory_decisions": [], "memory_noted": [], "memory_missed": missed}


@both_ways
@costs_no_reply(leaving=_missed)
async def memory_hotpath(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: BaseChatModel | None = None,
) -> HotpathUpdate:
    """Save the facts of this turn: update over insert, history kept. Never an episode.

    A turn that was handled before, by a retry or a replay, changes nothing. One that no
    model answered for, or that failed or died, is made up for by the next.
    """
    started = time.perf_counter()
    memory = open_memory(runtime, config)
    context = run_context(runtime, config)
    turns = read_turns(state["messages"], config, context.admission.sensitive)
    if not turns:
        return {"memory_decisions": [], "memory_noted": []}
    receipts = await memory.ledger.find(
        turn.receipt_of(NODE) for turn in turns[-context.admission.window - 1 :]
    )
    if done := receipts.get(turns[-1].receipt_of(NODE)):
        return {"memory_decisions": notes(done.decisions), "memory_noted": stated(done.decisions)}

    missed = state.get("memory_missed") or {}
    places = await _open_turns(memory, turns, receipts, context.admission.window, missed)
    decisions, usage = await _catch_up(memory, turns, places, _Run(runtime, context, model))
    report(runtime, NODE, decisions)
    return {
        "memory_decisions": notes(decisions),
        "memory_noted": stated(decisions),
        "memory_missed": {},
        "memory_tax": tax(started, usage),
    }


class _Run:
    """What handling a turn takes from the run it belongs to."""

    def __init__(
        self, runtime: Runtime[Context], context: Context, model: BaseChatModel | None
    ) -> None:
        timeout_s = get_settings().extraction_timeout_s
        reader = models_for(context, model).extraction
        self.runtime = runtime
        self.context = context
        self.listener = Listener(reader, timeout_s)
        self.judge = SameFactJudge(reader, timeout_s)


async def _catch_up(
    memory: UserMemory, turns: Sequence[Turn], places: Sequence[int], run: _Run
) -> tuple[list[MemoryDecision], Usage]:
    """Handle the turns at `places`, oldest first.

    Once the model does not answer, the rest waits for the next turn.
    """
    decisions: list[MemoryDecision] = []
    usage = Usage()
    window = run.context.admission.window
    is_down = False
    for place in places:
        heard = turns[max(place - window + 1, 0) : place + 1]
        admitted = None if is_down else await _handle(memory, heard, run)
        is_down = admitted is None
        if admitted is None:
            admitted = Admitted((skip(PENDING),))
            await _commit(memory, turns[place], admitted)
        decisions += admitted.decisions
        usage += admitted.usage
    return decisions, usage


async def _open_turns(
    memory: UserMemory,
    turns: Sequence[Turn],
    receipts: Mapping[str, LedgerEntry],
    window: int,
    missed: Mapping[str, str],
) -> list[int]:
    """Return the places of the turns to handle: this one, and those left open before it."""
    places = set(waiting_turns(turns, receipts, window))
    begun = {*missed_turns(turns, receipts, window, missed)} - places
    if begun and (emptied := await emptied_at(memory.scope.gateway, memory.scope.root)):
        begun = {n for n in begun if _is_since(emptied, missed.get(turns[n].message_id))}
    return [*sorted(places | begun), len(turns) - 1]


def _is_since(emptied: datetime, missed_at: str | None) -> bool:
    """Say whether a turn is known to be younger than what was to be forgotten."""
    return missed_at is not None and datetime.fromisoformat(missed_at) > emptied


async def _handle(memory: UserMemory, heard: Sequence[Turn], run: _Run) -> Admitted | None:
    """Keep the facts of the last of the turns `heard`; nothing if the model does not answer."""
    now = clock.utc_now()
    turn, policy = heard[-1], run.context.admission
    try:
        told = await run.listener.hear(
            [each.text for each in heard], now.astimezone(run.context.zone).date()
        )
        said = Statement(at=now, source=turn.source, extractor=told.extractor)
        async with one_at_a_time(memory.facts.namespace):
            admitted = await admit(memory, told.candidates, said, policy, run.judge)
            admitted = replace(
                admitted,
                decisions=(*told.skipped, *admitted.decisions),
                usage=told.usage + admitted.usage,
            )
            await _commit(memory, turn, admitted)
    except ModelUnavailableError as error:
        telemetry.record(run.runtime, telemetry.NodeGaveUp.because(NODE, error))
        return None
    return admitted


async def _commit(memory: UserMemory, turn: Turn, admitted: Admitted) -> None:
    """Write the changes and the turn's receipt: all or nothing."""
    entry = LedgerEntry(
        id=turn.receipt_of(NODE),
        at=clock.utc_now(),
        node=NODE,
        source=turn.source,
        decisions=admitted.decisions,
    )
    await memory.commit([*admitted.puts, *await memory.ledger.keep(entry)])
