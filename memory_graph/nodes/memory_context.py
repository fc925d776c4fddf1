"""The node that recalls memories for the message, and says whether they answer it."""

import time
from datetime import datetime

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.language.questions import asks_further
from memory_graph.language.words import language_of
from memory_graph.nodes._beside import begin_beside_the_reply
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._visit import mark_of_user
from memory_graph.recall.block import Recollection, UserMessage, recollect
from memory_graph.recall.search import Part, Recalled
from memory_graph.recall.trace import kind_of
from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.state import (
    LineNote,
    MemoryKeys,
    MemoryState,
    PartNote,
    RecallNote,
    ThreadNote,
)
from memory_graph.store.owner import run_context
from memory_graph.store.scope import open_memory
from memory_graph.telemetry import tax
from memory_graph.turns.messages import Turn, thread_of, turns_of

_NOTED = 8  # lines of each question that are noted, for a reply without a model


async def _nothing(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryKeys:
    """Say that nothing was recalled, and not that nobody looked."""
    note = RecallNote(intent="none", found="none")
    return {"memory_context": "", "memory_profile": "", "memory_recall": note}


@as_node
async def memory_context(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryKeys:
    """Recall what bears on the user's message, and who they are, never into `messages`."""
    return await recall_for(state, runtime, config)


@never_fails_the_turn(leaving=_nothing, name="memory_context")
async def recall_for(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryKeys:
    """Return what bears on the user's last message, and who they are, for whose run it is."""
    started = time.perf_counter()
    memory = open_memory(runtime, config)
    context = run_context(runtime, config)
    turns = await turns_of(state, config, context, 2)
    if not turns:
        return await _nothing(state, runtime, config)

    text = turns[-1].text
    if asks_further(text, language_of(text)):
        own = (turn for turn in turns[:-1] if _may_be_searched(turn, state, memory.owner.user_id))
        text = " ".join([*(turn.text for turn in own), text])
    now = clock.utc_now()
    note = state.get("memory_graph") or ThreadNote()
    since = profile_since(note.get("profile_since"), context, now)
    message = UserMessage(text, turns[-1].message_id, since)
    told = await recollect(memory, message, context, now)
    telemetry.record(runtime, _searched(told, started))
    begin_beside_the_reply(memory, thread_of(config))
    return {
        "memory_context": told.block,
        "memory_profile": told.profile,
        "memory_graph": {**note, "profile_since": since.isoformat()},
        "memory_recall": {**_note(told), "today": now.astimezone(context.zone).date().isoformat()},
        "memory_tax": tax(started, before=state.get("memory_tax")),
    }


def _may_be_searched(turn: Turn, state: MemoryState, user_id: str) -> bool:
    """Say whether an earlier message is the user's, and was not said with memory off."""
    bound = ((state.get("memory_graph") or {}).get("messages") or {}).get(turn.message_id)
    return bound is None or bound["of"] == mark_of_user(user_id)


async def recalled(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryState:
    """Return a state with what was recalled; anew where a run goes on after a pause.

    No checkpoint holds what was recalled, so that forgetting reaches it.
    """
    if "memory_context" in state or not state.get("messages"):
        return state
    return {**state, **await recall_for(state, runtime, config)}


def profile_since(noted: str | None, context: Context, now: datetime) -> datetime:
    """Return as of when the profile is shown: the first message of this thread on this day."""
    since = datetime.fromisoformat(noted) if noted else now
    is_today = since.astimezone(context.zone).date() == now.astimezone(context.zone).date()
    return since if is_today and since <= now else now


def _searched(told: Recollection, started: float) -> telemetry.MemorySearched:
    recalled, rendered = told.recalled, told.rendered
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
    return RecallNote(
        intent=recalled.asked.grade,
        asks=recalled.asked.asks,
        does=recalled.asked.does,
        language=recalled.asked.language,
        found=recalled.verdict.found,
        best=recalled.verdict.best,
        threshold=recalled.verdict.threshold,
        reason=recalled.verdict.reason,
        time_phrase=when.phrase if when else None,
        time_range=_iso_range(recalled),
        reach=recalled.reach,
        memory_ids=shown,
        parts=[_part(each, recalled) for each in recalled.parts] if recalled.asked.asks else [],
        trace=told.trace.model_dump(mode="json", exclude_defaults=True),
    )


def _part(part: Part, recalled: Recalled) -> PartNote:
    lines = part.held or part.lines
    return PartNote(
        kind=part.kind(recalled.asked),
        found=part.verdict.found,
        count=len(lines),
        lines=[
            LineNote(
                kind=kind_of(line.record),
                id=line.record.id,
                relevance=round(line.relevance, 3),
                over=line.over_since.isoformat() if line.over_since else None,
                is_older=line.is_older,
                is_in_time=line.is_in_time,
            )
            for line in lines[:_NOTED]
        ],
    )


def _iso_range(recalled: Recalled) -> tuple[str | None, str | None] | None:
    when = recalled.asked.phrase
    if when is None:
        return None
    return (
        when.start.isoformat() if when.start else None,
        when.end.isoformat() if when.end else None,
    )
