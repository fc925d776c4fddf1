"""The node that recalls memories for the message, and says whether they answer it."""

import time

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.language.sentences import asks_further
from memory_graph.language.words import language_of
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._turns import turns_of
from memory_graph.recall.block import Recollection, recollect
from memory_graph.recall.rendering import Rendered
from memory_graph.recall.search import Recalled
from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.state import ContextUpdate, MemoryState, RecallNote
from memory_graph.store.owner import run_context
from memory_graph.store.scope import open_memory
from memory_graph.store.values import clean_text
from memory_graph.telemetry import tax


def _nothing(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> ContextUpdate:
    """Take back what the thread was told last: it may have been somebody else who asked."""
    return {"memory_context": "", "memory_recall": RecallNote(intent="none", found="none")}


@as_node
@never_fails_the_turn(leaving=_nothing)
async def memory_context(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> ContextUpdate:
    """Recall what bears on the user's message into `memory_context`, never into `messages`."""
    started = time.perf_counter()
    memory = open_memory(runtime, config)
    context = run_context(runtime, config)
    turns = await turns_of(state, config, context, 2)
    if not turns:
        return _nothing(state, runtime, config)

    text = turns[-1].text
    if asks_further(text, language_of(text)):
        text = " ".join(turn.text for turn in turns)
    told = await recollect(memory, text, context, clock.utc_now(), is_first=len(turns) == 1)
    telemetry.record(runtime, _searched(told.recalled, told.rendered, started))
    return {
        "memory_context": told.block,
        "memory_recall": {**_note(told), "today": _today(context)},
        "memory_tax": tax(started, before=state.get("memory_tax")),
    }


def _searched(recalled: Recalled, rendered: Rendered, started: float) -> telemetry.MemorySearched:
    return telemetry.MemorySearched(
        intent=recalled.asked.grade,
        found=recalled.verdict.found,
        reason=recalled.verdict.reason,
        best=recalled.verdict.best,
        threshold=recalled.verdict.threshold,
        facts=rendered.count(Fact),
        episodes=rendered.count(Episode),
        turns=rendered.count(TurnRecord),
        milliseconds=round((time.perf_counter() - started) * 1000, 1),
    )


def _note(told: Recollection) -> RecallNote:
    recalled = told.recalled
    kept = (line.record for line in told.rendered.lines)
    shown = [record.id for record in kept if not isinstance(record, TurnRecord)]
    when = recalled.asked.phrase
    is_aside = recalled.asked.is_small_talk
    return RecallNote(
        intent=recalled.asked.grade,
        asks=recalled.asked.asks,
        language=recalled.asked.language,
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
        trace=told.trace.model_dump(mode="json", exclude_defaults=True),
        aside=recalled.telling.frames.aside(recalled.asked.text) if is_aside else "",
    )


def _today(context: Context) -> str:
    return clock.utc_now().astimezone(context.zone).date().isoformat()


def _iso_range(recalled: Recalled) -> tuple[str | None, str | None] | None:
    when = recalled.asked.phrase
    if when is None:
        return None
    return (
        when.start.isoformat() if when.start else None,
        when.end.isoformat() if when.end else None,
    )
