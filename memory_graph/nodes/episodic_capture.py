"""The node that creates, merges or skips an episode after the reply."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.store.base import PutOp

from memory_graph import background, clock, telemetry
from memory_graph.context import Context
from memory_graph.episodes.capture import (
    CAPTURE,
    TAKEN,
    Capture,
    Exchange,
    Fate,
    exceeds_quota,
    fate_of,
    judge,
    outlived,
    pace_begins,
)
from memory_graph.episodes.signals import read_outcomes, read_signals
from memory_graph.episodes.themes import TopicTurn, group_by_topic, is_same_topic, topic_turn
from memory_graph.episodes.writing import Captured, generate, writer_for
from memory_graph.facts.direct import restore_lost
from memory_graph.language.heads import points
from memory_graph.language.sentences import without_requests
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._turns import (
    HOTPATH,
    Turn,
    own_turns,
    party_of,
    receipt_id,
    receipts_of,
    spoken_in,
    thread_of,
    turns_of,
)
from memory_graph.nodes.memory_hotpath import handle_missed
from memory_graph.reading import read_message
from memory_graph.records import LedgerEntry, RecallTrace, Receipt, Said, Usage
from memory_graph.settings import get_settings
from memory_graph.state import CaptureUpdate, MemoryState, RecallNote
from memory_graph.store.ledger import Counted
from memory_graph.store.locks import locks_other_processes, user_lock_across_processes
from memory_graph.store.owner import run_context
from memory_graph.store.reembed import repair_vectors
from memory_graph.store.scope import UserMemory, open_memory
from memory_graph.telemetry import notes, report, tax
from memory_graph.turns.keeping import keep_turns, record_id_of
from memory_graph.turns.store import USER

_NO_FACT = frozenset({"skip", "evict"})

_CONTEXT_TURNS = 3
"""Earlier turns that are read again as context. A limit: it bounds the cost of a turn."""

_LOOK_BACK_TIME = timedelta(hours=24)

_LOOK_BACK_TURNS = 10
"""Turns that are checked for a missing receipt, after a crash or an abandoned stream. If none of
them has one, as many before them are checked."""

_PORTION = 30
"""Turns that one run captures, oldest first; the rest waits for the next run."""


@dataclass(frozen=True)
class Topic:
    """Turns on one topic, and the exchange they make."""

    turns: tuple[Turn, ...]
    fresh: tuple[Turn, ...]
    """Turns that capture sees for the first time; the others were put off by a cooldown."""

    exchange: Exchange


@dataclass(frozen=True)
class _Read:
    """A turn with what capture decided before, and which of its messages count as evidence."""

    turn: Turn
    fate: Fate
    episode_id: str | None
    """The episode that holds the turn."""

    said: tuple[Said, ...]
    topic: TopicTurn
    tells: bool
    """Whether the user states something in it, or tools were used."""


async def open_topics(
    turns: Sequence[Turn], seen: Mapping[str, LedgerEntry], context: Context, recall: RecallNote
) -> list[Topic]:
    """Return the turns to judge, by topic: new ones, and those that a cooldown put off."""
    fates = [fate_of(seen.get(turn.receipt_of(CAPTURE))) for turn in turns]
    due = [place for place, fate in enumerate(fates) if fate in {"fresh", "too_soon"}]
    done = [place for place, fate in enumerate(fates) if fate in {"settled", "kept"}]
    read = {place: await _read(turns, place, seen, recall) for place in due}
    if any(each.tells for each in read.values()):
        near = done[-_CONTEXT_TURNS:]
        read |= {place: await _read(turns, place, seen, recall) for place in near}
    groups = group_by_topic([read[place].topic for place in due])
    known = [read[place] for place in sorted(read)]
    return [
        await _topic([read[due[each]] for each in group], known, seen, context) for group in groups
    ]


async def _read(
    turns: Sequence[Turn], place: int, seen: Mapping[str, LedgerEntry], recall: RecallNote
) -> _Read:
    """Read a turn without replies that are no evidence.

    What memory itself said is not new, and what an assistant said about the past without
    support from memory may be invented. A request to forget is no news of what it names.
    """
    turn, is_last = turns[place], place == len(turns) - 1
    if is_last:
        asks_back = recall.get("intent", "none") != "none"
    else:
        asks_back = (await read_message(turn.text)).whole.asks >= points()["asks"]
    unfounded = asks_back and not (is_last and recall.get("found") == "found")
    said = tuple(
        replace(each, text=without_requests(each.text)) if each.role == USER else each
        for each in turn.said
        if each.role != "assistant" or each.tool_calls or not (each.is_from_memory or unfounded)
    )
    entry = seen.get(turn.receipt_of(CAPTURE))
    at = entry.at if entry else clock.utc_now()
    taken = [each for each in entry.decisions if each.action in TAKEN] if entry else []
    outcomes = await read_outcomes(said)
    tells = bool(outcomes.statements or outcomes.tools_used)
    topic = await background.off_the_loop(
        len(turn.text), lambda: topic_turn(outcomes.messages, at, turn.thread_id)
    )
    episode_id = taken[0].memory_id if taken else None
    return _Read(turn, fate_of(entry), episode_id, said, topic, tells)


async def _topic(
    group: Sequence[_Read],
    known: Sequence[_Read],
    seen: Mapping[str, LedgerEntry],
    context: Context,
) -> Topic:
    """Return turns on one topic as an exchange, with what led to it."""
    turns = tuple(each.turn for each in group)
    said = tuple(said for each in group for said in each.said)
    same = [
        each
        for each in known
        if each not in group and any(is_same_topic(each.topic, one.topic) for one in group)
    ]
    led_to = tuple(said for each in same if each.fate == "settled" for said in each.said)
    before = known[: known.index(group[0])]
    earlier = [s for e in before if e.turn.thread_id == turns[0].thread_id for s in e.said]
    outcomes = await read_outcomes(said, earlier=earlier, context=led_to)
    kept = [entry for turn in turns if (entry := seen.get(turn.receipt_of(HOTPATH)))]
    decided = [each for entry in kept for each in entry.decisions if each.action not in _NO_FACT]
    message_ids = tuple(turn.message_id for turn in turns)
    exchange = Exchange(
        said=said,
        outcomes=outcomes,
        signals=read_signals(outcomes),
        context=led_to,
        kept=tuple(dict.fromkeys(each.memory_id for each in decided if each.memory_id)),
        source=turns[-1].source.model_copy(update={"message_ids": message_ids}),
        now=clock.utc_now(),
        said_at=group[-1].topic.at,
        zone=context.zone,
        project=context.project,
        joins=next((each.episode_id for each in reversed(same) if each.episode_id), None),
    )
    fresh = tuple(each.turn for each in group if each.fate == "fresh")
    return Topic(turns, fresh, exchange)


async def put_off_elsewhere(
    memory: UserMemory, thread_id: str, entries: Sequence[LedgerEntry]
) -> list[Turn]:
    """Return turns of other threads that a cooldown put off.

    Only the user's part is read again, from the words that were kept.
    """
    waiting = [entry.source for entry in entries if fate_of(entry) == "too_soon"]
    elsewhere = {
        record_id_of(source, USER): source
        for source in waiting
        if source.thread_id not in (None, "", thread_id)
    }
    words = await memory.turns.find(elsewhere)
    return [
        Turn(
            source.thread_id or "",
            source.run_id,
            source.message_ids[0],
            words[record].text,
            (Said(role="user", text=words[record].text, message_id=source.message_ids[0]),),
        )
        for record, source in elsewhere.items()
        if record in words
    ]


@as_node
@never_fails_the_turn(waits=lambda patience: 4 * patience.episode_s)
async def episodic_capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
) -> CaptureUpdate:
    """Create, merge or skip an episode for everything since the last turn looked at.

    The model is asked once, and only after the decision to keep the exchange; in background mode
    only after the run. Facts that earlier turns missed are kept here too, because nobody waits
    for them now.
    """
    update = await _capture(state, runtime, config, model)
    later = await _afterwards(state, runtime, config, model=model)
    update.update(later)
    return update


@never_fails_the_turn(waits=lambda patience: 2 * patience.episode_s)
async def _afterwards(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
) -> CaptureUpdate:
    """Do what earlier turns could not: keep missed facts, add missing vectors.

    This turn's facts are restored where another process may have overwritten them.
    """
    update: CaptureUpdate = {}
    if state.get("memory_missed"):
        update["memory_missed"] = await handle_missed(state, runtime, config, model)
    memory = open_memory(runtime, config)
    spoken = next(spoken_in(state.get("messages") or []), None)
    if spoken and not locks_other_processes(memory.scope.gateway):
        receipt = receipt_id(thread_of(config), spoken[0], HOTPATH)
        for entry in (await memory.ledger.find([receipt])).values():
            await restore_lost(memory, entry, clock.utc_now())
    await repair_vectors(memory, clock.utc_now())
    return update


async def _capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    model: ModelLike | None,
) -> CaptureUpdate:
    """Judge what was said, then write it, skip it, or leave the writing for after the run.

    On LangGraph Server it stays in the run: the server's queue survives the worker, which a
    task of this process does not, and whoever streams has the reply already.
    """
    started = time.perf_counter()
    earlier = state.get("memory_decisions") or []
    memory, context = open_memory(runtime, config), run_context(runtime, config)
    memory.scope.marks.began = state.get("memory_erasure")
    (last, seen), recent, counted = await asyncio.gather(
        _reach(memory, state, thread_of(config)),
        memory.captures.few(),
        memory.access.counted(clock.utc_now()),
    )
    turns = await turns_of(state, config, context, last)
    recall, party = state.get("memory_recall") or RecallNote(), party_of(runtime, config)
    job = _Job(memory, turns, context, model, state, recall, party, seen, recent, counted)
    looked = await job.look()
    kept = next((each.verdict for each in looked if each.verdict.keep), None)
    is_background = get_settings().capture_mode == "background" and runtime.server_info is None
    if kept and is_background:
        background.start(_task_name(memory), lambda: job.generate_later(looked))
        telemetry.record(runtime, telemetry.EpisodeQueued(reason=kept.reason))
        return {"memory_decisions": earlier}
    captured = await (job.generate(looked) if kept else job.skip(looked))
    if not captured:
        return {"memory_decisions": earlier}
    for event in (each.event for each in captured if each.event):
        telemetry.record(runtime, event)
    decisions = [each.decision for each in captured]
    report(runtime, CAPTURE, decisions)
    usage = sum((each.usage for each in captured), Usage())
    return {
        "memory_decisions": [*earlier, *notes(decisions)],
        "memory_tax": tax(started, usage, before=state.get("memory_tax")),
    }


def _task_name(memory: UserMemory) -> str:
    """Return how the task of a user is called in a dump; a name of any length is cut."""
    user_id = memory.owner.user_id
    return f"episode-{user_id}" if user_id.isprintable() else f"episode-{memory.scope.root[-1]}"


async def _reach(
    memory: UserMemory, state: MemoryState, thread_id: str
) -> tuple[int, dict[str, LedgerEntry]]:
    """Return how many turns to read, back to the last captured one, and their receipts.

    Turns that have no receipt and are not noted as missed come from elsewhere.
    """
    spoken = spoken_in(state.get("messages") or [])
    missed = state.get("memory_missed") or {}
    last, seen = 0, dict[str, LedgerEntry]()
    while part := [each for each, _ in islice(spoken, _LOOK_BACK_TURNS)]:
        wanted = {receipt_id(thread_id, each, node) for each in part for node in (CAPTURE, HOTPATH)}
        found = await memory.ledger.find(wanted, details=False)
        last, seen = last + len(part), seen | found
        if any(each.endswith(CAPTURE) for each in found) or not (found or {*part} & {*missed}):
            break
    return last, seen


@dataclass(frozen=True)
class _Looked:
    """A topic, and the decision whether to keep it."""

    topic: Topic
    verdict: Capture
    recent: Sequence[LedgerEntry]
    """The recent decisions that the verdict was based on."""


@dataclass(frozen=True)
class _Job:
    """The capture of one conversation, now or after the run."""

    memory: UserMemory
    turns: Sequence[Turn]
    context: Context
    model: ModelLike | None
    state: MemoryState
    recall: RecallNote
    party: str
    seen: Mapping[str, LedgerEntry]
    """The receipts of the turns when capture began."""

    recent: Sequence[LedgerEntry]
    """Recent decisions: for cooldown and quota, and for turns put off in other threads."""

    counted: Counted
    """How often memories were recalled today, when capture began."""

    async def look(self) -> list[_Looked]:
        """Judge each topic of the unhandled turns, and of those that were put off."""
        turns = own_turns(self.turns, self.seen, self.state, self.party)
        fresh = [turn for turn in turns if not turn.was_handled(CAPTURE, self.seen)]
        if not fresh:
            return []
        if len(fresh) > _PORTION:
            turns, fresh = turns[: turns.index(fresh[_PORTION])], fresh[:_PORTION]
        outdated = {turn.receipt_of(CAPTURE) for turn in fresh}
        seen = {each: entry for each, entry in self.seen.items() if each not in outdated}
        waiting = await put_off_elsewhere(self.memory, self.turns[-1].thread_id, self.recent)
        if waiting:
            seen |= await self.memory.ledger.find(receipts_of(waiting), details=False)
        recall = self.recall if turns[-1] is self.turns[-1] else RecallNote()
        topics = await open_topics([*waiting, *turns], seen, self.context, recall)
        return [await self.judged(self._said_by_reader(each), self.recent) for each in topics]

    def _said_by_reader(self, topic: Topic) -> Topic:
        """Return a topic with what the model said that read its messages."""
        heard = {turn.message_id for turn in topic.turns}
        says = heard & {*(self.state.get("memory_has_episode") or ())}
        denies = heard & {*(self.state.get("memory_no_episode") or ())}
        has_episode = True if says else False if denies else None
        return replace(topic, exchange=replace(topic.exchange, has_episode=has_episode))

    async def judged(self, topic: Topic, recent: Sequence[LedgerEntry]) -> _Looked:
        verdict = await judge(self.memory, topic.exchange, self.context.policies.capture, recent)
        return _Looked(topic, verdict, recent)

    async def skip(self, looked: Sequence[_Looked]) -> list[Captured]:
        """Write receipts without an episode, for new turns only."""
        skipped = []
        for each in looked:
            if each.topic.fresh:
                skipped.append(Captured.skipped(each.verdict))
                await self._commit(each, skipped[-1])
        return skipped

    async def generate(self, looked: Sequence[_Looked]) -> list[Captured]:
        """Write the episodes under the user's lock; judge again first if others wrote meanwhile."""
        memory = self.memory
        version = await memory.episodes.version()
        async with user_lock_across_processes(memory.scope):
            recent, now, counted = await asyncio.gather(
                memory.captures.few(),
                memory.episodes.version(),
                memory.access.counted(clock.utc_now()),
            )
            job = replace(self, recent=recent, counted=counted)
            if (recent, now) != (self.recent, version):
                seen = await memory.ledger.find(receipts_of(self.turns), details=False)
                job = replace(job, seen=seen)
                looked = await job.look()
            captured: list[Captured] = []
            for each in looked:
                due = each
                if captured:  # another topic was written: judge again
                    recent = await memory.captures.few()
                    due = await job.judged(each.topic, recent)
                kept = due.verdict.keep
                captured += [await job.write(due)] if kept else await job.skip([due])
            return captured

    async def generate_later(self, looked: Sequence[_Looked]) -> None:
        """Write the episodes after the run; events go to the log only."""
        for captured in await self.generate(looked):
            if captured.event:
                telemetry.record(None, captured.event)
            report(None, CAPTURE, [captured.decision])

    async def write(self, looked: _Looked) -> Captured:
        """Write one episode, and its words alone where that fails; the receipt comes later.

        Without a model if it joins an episode during its cooldown, which is written again when it
        closes, or if a cooldown put it off in another thread, of which only the user's words are
        known. Where other processes have used up the quota meanwhile, the episode is taken back.
        """
        topic, policy = looked.topic, self.context.policies.capture
        is_elsewhere = all(turn.thread_id != self.turns[-1].thread_id for turn in topic.turns)
        needs_none = looked.verdict.pace == "cooldown" or is_elsewhere
        model = None if needs_none else models_for(self.context, self.model).episode
        captured = await generate(
            self.memory,
            topic.exchange,
            looked.verdict,
            writer_for(model, policy.window_n),
            lambda captured: self._commit(looked, captured),
        )
        if captured.event and captured.event.outcome not in {"stored", "declined", "store_failed"}:
            await self.memory.commit(await self._words(topic, clock.utc_now()))
        decision = captured.decision
        if decision.action != "create" or locks_other_processes(self.memory.scope.gateway):
            return captured
        recent = await self.memory.captures.few()
        if not decision.memory_id or not exceeds_quota(topic.exchange, policy, recent):
            return captured
        refused = Captured.skipped(looked.verdict, "quota")
        taken_back = self.memory.episodes.deletions([decision.memory_id])
        await self._commit(looked, replace(refused, puts=taken_back))
        return refused

    async def _words(self, topic: Topic, now: datetime) -> list[PutOp]:
        said = [(turn.source, turn.said) for turn in topic.fresh]
        return await keep_turns(
            self.memory, said, self.context.policies.verbatim, now, self.context.zone
        )

    async def _commit(self, looked: _Looked, captured: Captured) -> None:
        """Write the episode, a receipt for each turn and its words: all or nothing.

        The decision is also logged for cooldown and quota, and outdated ones are dropped.
        """
        topic, now, policy = looked.topic, clock.utc_now(), self.context.policies.capture
        recalled = self.recall.get("memory_ids", []) if self.turns[-1] in topic.fresh else []
        decision, captures = captured.decision, self.memory.captures
        is_kept = decision.action != "skip"
        counted = None if captured.usage.calls else self.counted  # a model takes its time
        words = await self._words(topic, now)
        counts = await self.memory.access.touch(recalled, now, counted)
        judged = topic.turns if is_kept or captured.puts else topic.fresh
        receipts = [self._receipt(turn) for turn in judged]
        at = topic.exchange.said_at
        briefs = [
            LedgerEntry(id=each.id, at=at, node=CAPTURE, source=each.source, decisions=(decision,))
            for each in receipts
        ]
        since = min(now - _LOOK_BACK_TIME, pace_begins(now, self.context.zone, policy))
        gone = {each.id for each in outlived(looked.recent, since, policy)}
        gone -= {each.id for each in briefs}
        puts = [*captured.puts, *words, *counts, *map(captures.brief, briefs)]
        puts += (PutOp(captures.namespace, each, None) for each in sorted(gone))
        await self.memory.apply(CAPTURE, [decision], puts, at=now, receipts=receipts)

    def _receipt(self, turn: Turn) -> Receipt:
        """Return the receipt of a turn; that of the last one also says what was recalled."""
        receipt = turn.receipt(CAPTURE)
        trace = self.recall.get("trace")
        if turn is not self.turns[-1] or trace is None:
            return receipt
        tax = self.state.get("memory_tax") or {}
        spent = {"milliseconds": tax.get("milliseconds"), "calls": tax.get("calls", 0)}
        return replace(receipt, recall=RecallTrace.model_validate({**trace, **spent}))
