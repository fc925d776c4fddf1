"""After a reply: keep the exchange as an episode, if something came of it."""

import time
from collections.abc import Mapping, Sequence
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.llm.models import models_for
from memory_graph.nodes.both_ways import both_ways
from memory_graph.nodes.failure import costs_no_reply
from memory_graph.nodes.turn import Turn, read_turns
from memory_graph.policy.exchange import Said
from memory_graph.records import LedgerEntry, Source
from memory_graph.settings import get_settings
from memory_graph.state import CaptureUpdate, MemoryState
from memory_graph.steps.capture import NODE, Captured, Exchange, Teller, judge, write_episode
from memory_graph.steps.tax import tax
from memory_graph.steps.telling import notes, report
from memory_graph.storage.locks import one_at_a_time
from memory_graph.storage.scope import UserMemory, open_memory, run_context

_HOTPATH = "memory_hotpath"
_LOOK_BACK = 10
"""Turns that are checked for having been left out by a crash or an abandoned stream."""


@both_ways
@costs_no_reply
async def episodic_capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: BaseChatModel | None = None,
) -> CaptureUpdate:
    """Create, merge or skip an episode for everything since the last turn looked at.

    The model is asked only after the decision to keep the exchange, and once.
    """
    started = time.perf_counter()
    memory = open_memory(runtime, config)
    turns = read_turns(state["messages"], config)[-_LOOK_BACK:]
    earlier = state.get("memory_decisions") or []
    async with one_at_a_time(memory.scope.root):
        seen = await memory.ledger.find(
            turn.receipt_of(node) for turn in turns for node in (NODE, _HOTPATH)
        )
        fresh = [turn for turn in turns if turn.receipt_of(NODE) not in seen]
        if not fresh:
            return {"memory_decisions": earlier}
        context = run_context(runtime, config)
        exchange = _exchange(turns, fresh, seen, context)
        captured = await _capture(memory, exchange, context, model)
        await _commit(memory, fresh, captured, _recalled(state))
    report(runtime, NODE, [captured.decision])
    return {
        "memory_decisions": [*earlier, *notes([captured.decision])],
        "memory_tax": tax(started, captured.usage, before=state.get("memory_tax")),
    }


def _exchange(
    turns: Sequence[Turn], fresh: Sequence[Turn], seen: Mapping[str, LedgerEntry], context: Context
) -> Exchange:
    """Return what is to be judged: the fresh turns, and those that only came too soon."""
    fates = [_fate(seen.get(turn.receipt_of(NODE))) for turn in turns]
    last_kept = max((n for n, fate in enumerate(fates, 1) if fate == "kept"), default=0)
    since = list(zip(turns, fates, strict=True))[last_kept:]
    open_turns = [turn for turn, fate in since if fate in {"fresh", "too_soon"}]
    first = turns.index(open_turns[0])
    return Exchange(
        said=_said(open_turns),
        earlier=_said(turns[:first]),
        window=_said([turn for turn, _ in since])[-context.capture.window_n :],
        facts_changed=any(_changed_facts(seen.get(t.receipt_of(_HOTPATH))) for t in open_turns),
        source=_source(fresh),
        now=clock.utc_now(),
        zone=context.zone,
    )


def _fate(entry: LedgerEntry | None) -> Literal["fresh", "too_soon", "settled", "kept"]:
    """Say what became of a turn when it was last looked at."""
    if entry is None:
        return "fresh"
    if any(decision.action in {"create", "merge"} for decision in entry.decisions):
        return "kept"
    return "too_soon" if any(d.reason == "cooldown" for d in entry.decisions) else "settled"


def _changed_facts(entry: LedgerEntry | None) -> bool:
    return entry is not None and any(d.action != "skip" for d in entry.decisions)


def _said(turns: Sequence[Turn]) -> tuple[Said, ...]:
    return tuple(said for turn in turns for said in turn.said)


async def _capture(
    memory: UserMemory, exchange: Exchange, context: Context, model: BaseChatModel | None
) -> Captured:
    verdict = await judge(memory, exchange, context.capture)
    if not verdict.keep:
        return Captured.skipped(verdict)
    teller = Teller(models_for(context, model).episode, get_settings().episode_timeout_s)
    return await write_episode(memory, exchange, verdict, context, teller)


async def _commit(
    memory: UserMemory, fresh: Sequence[Turn], captured: Captured, recalled: Sequence[str]
) -> None:
    """Write the episode, a receipt for each turn and the access counts: all or nothing."""
    now = clock.utc_now()
    puts = [*captured.puts, *await memory.access.touch(recalled, now)]
    for turn in fresh:
        entry = LedgerEntry(
            id=turn.receipt_of(NODE),
            at=now,
            node=NODE,
            source=turn.source,
            decisions=(captured.decision,),
        )
        puts += await memory.ledger.keep(entry)
    await memory.commit(puts)


def _source(turns: Sequence[Turn]) -> Source:
    message_ids = tuple(turn.message_id for turn in turns)
    return turns[-1].source.model_copy(update={"message_ids": message_ids})


def _recalled(state: MemoryState) -> list[str]:
    recall = state.get("memory_recall")
    return recall.get("memory_ids", []) if recall else []
