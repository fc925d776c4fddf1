"""The node that creates, merges or skips an episode after the reply."""

import time

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import background, clock, telemetry
from memory_graph.context import Context
from memory_graph.episodes.capture import (
    CAPTURE,
)
from memory_graph.episodes.topics import Seen
from memory_graph.facts.direct import restore_lost
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes._beside import read_after_the_reply
from memory_graph.nodes._capturing import Job
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._reading import HOTPATH
from memory_graph.nodes._visit import enter
from memory_graph.records import (
    Usage,
)
from memory_graph.settings import get_settings
from memory_graph.state import MemoryKeys, MemoryState
from memory_graph.store.locks import locks_other_processes
from memory_graph.store.reembed import repair_vectors
from memory_graph.store.scope import UserMemory, open_memory
from memory_graph.telemetry import notes, report, tax
from memory_graph.turns.messages import mark_of, spoken_in, thread_of


@as_node
@never_fails_the_turn(waits=lambda patience: 4 * patience.episode_s)
async def episodic_capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
) -> MemoryKeys:
    """Create, merge or skip an episode for everything since the last turn looked at.

    The model is asked once, and only after the decision to keep the exchange; in background mode
    only after the run. Facts that earlier turns missed are kept here too, because nobody waits
    for them now.
    """
    update = await _capture(state, runtime, config, model)
    await _afterwards(state, runtime, config)
    return update


@never_fails_the_turn(name=CAPTURE)
async def _afterwards(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> MemoryKeys:
    """Do what earlier turns could not: add missing vectors.

    This turn's facts are restored where another process may have overwritten them.
    """
    memory = open_memory(runtime, config)
    spoken = next(spoken_in(state.get("messages") or []), None)
    if spoken and not locks_other_processes(memory.scope.gateway):
        receipt = f"{mark_of(thread_of(config), spoken[0])}-{HOTPATH}"
        for entry in (await memory.ledger.find([receipt])).values():
            await restore_lost(memory, entry, clock.utc_now())
    await repair_vectors(memory, clock.utc_now())
    return {}


async def _capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    model: ModelLike | None,
) -> MemoryKeys:
    """Judge what was said, then write it, skip it, or leave the writing for after the run.

    On LangGraph Server it stays in the run: the server's queue survives the worker, which a
    task of this process does not, and whoever streams has the reply already.
    """
    started = time.perf_counter()
    visit = await enter(state, runtime, config)
    read = await read_after_the_reply(visit, model)
    report(runtime, HOTPATH, read.decisions)
    if read.failure:
        telemetry.record(runtime, telemetry.NodeGaveUp.because(HOTPATH, read.failure))
    earlier = [*(state.get("memory_decisions") or []), *notes(read.decisions)]
    before = tax(started, read.usage, before=state.get("memory_tax"))
    memory, began = visit.memory, visit.note.get("began")
    if began and began["of"] == visit.party:
        memory.scope.marks.began = began["erasure"]
    job = await Job(visit, model, state, Seen({}, {}), (), ("", {})).begun()
    looked = await job.look()
    kept = next((each.verdict for each in looked if each.verdict.keep), None)
    if kept and _goes_on_alone(runtime, job):
        background.start(_task_name(memory), lambda: job.generate_later(looked))
        telemetry.record(runtime, telemetry.EpisodeQueued(reason=kept.reason))
        return {"memory_decisions": earlier, "memory_tax": before, "memory_graph": visit.note}
    captured = await (job.generate(looked) if kept else job.skip(looked))
    if not captured:
        return {"memory_decisions": earlier, "memory_tax": before, "memory_graph": visit.note}
    for event in (each.event for each in captured if each.event):
        telemetry.record(runtime, event)
    decisions = [each.decision for each in captured]
    report(runtime, CAPTURE, decisions)
    usage = sum((each.usage for each in captured), Usage())
    return {
        "memory_graph": visit.note,
        "memory_decisions": [*earlier, *notes(decisions)],
        "memory_tax": tax(started, usage + read.usage, before=state.get("memory_tax")),
    }


def _goes_on_alone(runtime: Runtime[Context], job: "Job") -> bool:
    """Say whether episodes are written after the run, so that nobody waits for a model."""
    mode = get_settings().capture_mode
    if mode == "auto":
        mode = "background" if models_for(job.context, job.model).episode else "inline"
    return mode == "background" and runtime.server_info is None


def _task_name(memory: UserMemory) -> str:
    """Return how the task of a user is called in a dump; a name of any length is cut."""
    user_id = memory.owner.user_id
    return f"episode-{user_id}" if user_id.isprintable() else f"episode-{memory.scope.root[-1]}"
