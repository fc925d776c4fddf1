"""After a reply: keep the exchange as an episode, if something came of it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.llm.models import models_for
from memory_graph.nodes import background
from memory_graph.nodes.both_ways import both_ways
from memory_graph.nodes.failure import costs_no_reply
from memory_graph.nodes.pending import HOTPATH, exchange_of
from memory_graph.nodes.turn import Turn, read_turns
from memory_graph.policy.capture import Capture
from memory_graph.records import LedgerEntry
from memory_graph.settings import get_settings
from memory_graph.state import CaptureUpdate, MemoryState, RecallNote
from memory_graph.steps.capture import NODE, exceeds_quota, judge
from memory_graph.steps.episode_writing import Captured
from memory_graph.steps.exchange import Exchange
from memory_graph.steps.generation import Generation, Kept, generate
from memory_graph.steps.tax import tax
from memory_graph.steps.teller import teller_for
from memory_graph.steps.telling import notes, report
from memory_graph.steps.verbatim import keep_turns
from memory_graph.storage.claims import alone, reaches_other_processes
from memory_graph.storage.scope import UserMemory, open_memory, run_context

_LOOK_BACK = 10
"""Turns that are checked for having been left out by a crash or an abandoned stream."""


@both_ways
@costs_no_reply()
async def episodic_capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: BaseChatModel | None = None,
) -> CaptureUpdate:
    """Create, merge or skip an episode for everything since the last turn looked at.

    The model is asked only after the decision to keep the exchange, and once; in the
    background mode only after the reply.
    """
    started = time.perf_counter()
    earlier = state.get("memory_decisions") or []
    job = _job(state, runtime, config, model)
    looked = await job.look()
    if looked is None:
        return {"memory_decisions": earlier}
    if looked.verdict.keep and _may_wait(runtime):
        background.start(f"episode-{job.memory.scope.root[-1]}", job.generate_later)
        telemetry.record(runtime, telemetry.EpisodeQueued(reason=looked.verdict.reason))
        return {"memory_decisions": earlier}
    generation = await (job.generate() if looked.verdict.keep else job.skip(looked))
    if generation is None:
        return {"memory_decisions": earlier}
    if generation.event:
        telemetry.record(runtime, generation.event)
    report(runtime, NODE, [generation.captured.decision])
    return {
        "memory_decisions": [*earlier, *notes([generation.captured.decision])],
        "memory_tax": tax(started, generation.captured.usage, before=state.get("memory_tax")),
    }


@dataclass(frozen=True)
class _Looked:
    """The turns that no capture has handled, and whether they are kept."""

    fresh: Sequence[Turn]
    exchange: Exchange
    verdict: Capture


@dataclass(frozen=True)
class _Job:
    """The capture of one conversation as it stands, now or after the reply."""

    memory: UserMemory
    turns: Sequence[Turn]
    context: Context
    model: BaseChatModel | None
    recall: RecallNote

    async def look(self) -> _Looked | None:
        """Judge the turns without a receipt; there may be none."""
        receipts = (turn.receipt_of(node) for turn in self.turns for node in (NODE, HOTPATH))
        seen = await self.memory.ledger.find(receipts)
        fresh = [turn for turn in self.turns if turn.receipt_of(NODE) not in seen]
        if not fresh:
            return None
        looked_back = self.recall.get("intent", "none") != "none"
        exchange = replace(
            exchange_of(self.turns, fresh, seen, self.context),
            told_from_memory=looked_back and self.recall.get("found") == "found",
        )
        return _Looked(fresh, exchange, await judge(self.memory, exchange, self.context.capture))

    async def skip(self, looked: _Looked) -> Generation:
        """Leave a receipt and no episode."""
        captured = Captured.skipped(looked.verdict)
        await self._commit(looked.fresh, captured)
        return Generation(captured)

    async def generate(self) -> Generation | None:
        """Write the episode, alone; what others wrote meanwhile is looked at again."""
        async with alone(self.memory.scope):
            looked = await self.look()
            if looked is None or not looked.verdict.keep:
                return await self.skip(looked) if looked else None
            teller = teller_for(models_for(self.context, self.model).episode)
            generation = await generate(
                self.memory,
                Kept(looked.exchange, looked.verdict, self.context, teller),
                lambda captured: self._commit(looked.fresh, captured),
                get_settings().episode_alarm_after,
            )
            return await self._within_quota(looked, generation)

    async def generate_later(self) -> None:
        """Write the episode when the run is over, and tell it to the log alone."""
        generation = await self.generate()
        if generation is None:
            return
        if generation.event:
            telemetry.log(generation.event)
        telemetry.log(telemetry.MemoryDecided.of(NODE, generation.captured.decision))

    async def _within_quota(self, looked: _Looked, generation: Generation) -> Generation:
        """Take an episode back for which other processes, unseen, left no room."""
        decision = generation.captured.decision
        if decision.action != "create" or not decision.memory_id:
            return generation
        if reaches_other_processes(self.memory.scope.gateway.store):
            return generation
        if not await exceeds_quota(self.memory, looked.exchange, self.context.capture):
            return generation
        refused = Captured.skipped(looked.verdict, "quota")
        taken_back = self.memory.episodes.deletions([decision.memory_id])
        await self._commit(looked.fresh, replace(refused, puts=taken_back))
        return Generation(refused)

    async def _commit(self, fresh: Sequence[Turn], captured: Captured) -> None:
        """Write the episode, a receipt for each turn and its words: all or nothing."""
        now = clock.utc_now()
        words = [(turn.source, turn.said) for turn in fresh]
        puts = [
            *captured.puts,
            *await keep_turns(self.memory, words, self.context.verbatim, now),
            *await self.memory.access.touch(self.recall.get("memory_ids", []), now),
        ]
        for turn in fresh:
            entry = LedgerEntry(
                id=turn.receipt_of(NODE),
                at=now,
                node=NODE,
                source=turn.source,
                decisions=(captured.decision,),
            )
            puts += await self.memory.ledger.keep(entry)
        await self.memory.commit(puts)


def _may_wait(runtime: Runtime[Context]) -> bool:
    """Say whether the episode may be written after the run.

    On LangGraph Server it stays in the run: the server's queue survives the worker, which a
    task of this process does not, and whoever streams has the reply already.
    """
    return get_settings().capture_mode == "background" and runtime.server_info is None


def _job(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    model: BaseChatModel | None,
) -> _Job:
    context = run_context(runtime, config)
    turns = read_turns(state["messages"], config, context.admission.sensitive)
    recall = state.get("memory_recall") or RecallNote()
    return _Job(open_memory(runtime, config), turns[-_LOOK_BACK:], context, model, recall)
