"""Before answering: choose what to recall, within a budget, and say whether it answers."""

import time

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.nodes.both_ways import both_ways
from memory_graph.nodes.failure import costs_no_reply
from memory_graph.nodes.turn import read_turns
from memory_graph.policy.rendering import render_memory
from memory_graph.state import ContextUpdate, MemoryState, RecallNote
from memory_graph.steps.recall import Recalled, recall
from memory_graph.steps.tax import tax
from memory_graph.storage.jsonable import clean_text
from memory_graph.storage.scope import open_memory, run_context

_ANSWERS = 3


@both_ways
@costs_no_reply
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
    block, facts, episodes = render_memory(
        [found.record for found in recalled.facts],
        [found.record for found in recalled.episodes],
        budget=context.recall.token_budget,
        count=_count_tokens,
    )

    telemetry.record(runtime, _searched(recalled, facts, episodes, started))
    return {
        "memory_context": clean_text(block),
        "memory_recall": _note(recalled, facts, episodes),
        "memory_tax": tax(started, before=state.get("memory_tax")),
    }


def _count_tokens(text: str) -> int:
    """Estimate tokens from above: English runs at four characters a token."""
    return len(text) // 3


def _searched(
    recalled: Recalled, facts: int, episodes: int, started: float
) -> telemetry.MemorySearched:
    return telemetry.MemorySearched(
        intent=recalled.intent.grade,
        found=recalled.verdict.found,
        best=round(recalled.verdict.best, 3),
        threshold=recalled.verdict.threshold,
        facts=facts,
        episodes=episodes,
        milliseconds=round((time.perf_counter() - started) * 1000, 1),
    )


def _note(recalled: Recalled, facts: int, episodes: int) -> RecallNote:
    shown = [found.record.id for found in recalled.facts[:facts]]
    shown += [found.record.id for found in recalled.episodes[:episodes]]
    when = recalled.time_range
    return RecallNote(
        intent=recalled.intent.grade,
        asks=recalled.asks,
        found=recalled.verdict.found,
        best=round(recalled.verdict.best, 3),
        threshold=recalled.verdict.threshold,
        time_phrase=when.phrase if when else None,
        time_range=_iso_range(recalled),
        memory_ids=shown,
        answers=[clean_text(text) for text in recalled.answers[:_ANSWERS]],
    )


def _iso_range(recalled: Recalled) -> tuple[str | None, str | None] | None:
    when = recalled.time_range
    if when is None:
        return None
    return (
        when.start.isoformat() if when.start else None,
        when.end.isoformat() if when.end else None,
    )
