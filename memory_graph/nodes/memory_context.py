"""Before answering: choose what to recall, within a budget, and say whether it answers."""

import asyncio
import time
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.nodes.both_ways import both_ways
from memory_graph.nodes.failure import costs_no_reply
from memory_graph.nodes.turn import Turn, read_turns
from memory_graph.policy.rendering import Material, Rendered, render_memory
from memory_graph.state import ContextUpdate, MemoryState, RecallNote
from memory_graph.steps.bootstrap import Told, tell
from memory_graph.steps.recall import Recalled, recall
from memory_graph.steps.tax import tax
from memory_graph.storage.jsonable import clean_text
from memory_graph.storage.scope import UserMemory, open_memory, run_context


@both_ways
@costs_no_reply()
async def memory_context(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> ContextUpdate:
    """Recall what bears on the user's message into `memory_context`, never into `messages`."""
    started = time.perf_counter()
    memory = open_memory(runtime, config)
    context = run_context(runtime, config)
    turns = read_turns(state["messages"], config)
    if not turns:
        return {"memory_context": "", "memory_recall": RecallNote(intent="none", found="none")}

    recalled = await recall(memory, turns[-1].text, context, clock.utc_now())
    told = await _briefing(memory, turns, context)
    rendered = await asyncio.to_thread(_render, recalled, context.recall.token_budget - told.tokens)

    telemetry.record(runtime, _searched(recalled, rendered, started))
    return {
        "memory_context": clean_text("\n".join(filter(None, (told.text, rendered.block)))),
        "memory_recall": _note(recalled, rendered),
        "memory_tax": tax(started, before=state.get("memory_tax")),
    }


async def _briefing(memory: UserMemory, turns: Sequence[Turn], context: Context) -> Told:
    """Return what a new thread should know before its first turn, where that is switched on."""
    if len(turns) > 1 or not context.bootstrap.on_first_turn:
        return Told()
    budget = min(context.bootstrap.token_budget, context.recall.token_budget)
    return await tell(memory, turns[0].text, context, clock.utc_now(), budget=budget)


def _render(recalled: Recalled, budget: int) -> Rendered:
    """Write the block; in a thread, since the tokenizer may have to be loaded."""
    from memory_graph.encoders import count_tokens  # noqa: PLC0415 — brings numpy

    material = Material(
        facts=[found.record for found in recalled.facts],
        episodes=[found.record for found in recalled.episodes],
        turns=[found.record for found in recalled.turns],
        reach=recalled.reach,
    )
    return render_memory(material, budget=budget, count=count_tokens)


def _searched(recalled: Recalled, rendered: Rendered, started: float) -> telemetry.MemorySearched:
    return telemetry.MemorySearched(
        intent=recalled.intent.grade,
        found=recalled.verdict.found,
        reason=recalled.verdict.reason,
        best=recalled.verdict.best,
        threshold=recalled.verdict.threshold,
        facts=rendered.facts,
        episodes=rendered.episodes,
        turns=rendered.turns,
        milliseconds=round((time.perf_counter() - started) * 1000, 1),
    )


def _note(recalled: Recalled, rendered: Rendered) -> RecallNote:
    shown = [found.record.id for found in recalled.facts[: rendered.facts]]
    shown += [found.record.id for found in recalled.episodes[: rendered.episodes]]
    when = recalled.time_range
    return RecallNote(
        intent=recalled.intent.grade,
        asks=recalled.asks,
        found=recalled.verdict.found,
        best=recalled.verdict.best,
        threshold=recalled.verdict.threshold,
        reason=recalled.verdict.reason,
        time_phrase=when.phrase if when else None,
        time_range=_iso_range(recalled),
        reach=recalled.reach,
        memory_ids=shown,
        answers=[clean_text(text) for text in recalled.answers],
        is_partial=recalled.is_partial,
    )


def _iso_range(recalled: Recalled) -> tuple[str | None, str | None] | None:
    when = recalled.time_range
    if when is None:
        return None
    return (
        when.start.isoformat() if when.start else None,
        when.end.isoformat() if when.end else None,
    )
