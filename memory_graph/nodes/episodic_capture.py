"""The node that creates, merges or skips an episode after the reply."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.store.base import PutOp

from memory_graph import background, clock, telemetry
from memory_graph.context import Context
from memory_graph.curation.forget import refuse_if_forgotten
from memory_graph.episodes.capture import (
    CAPTURE,
    Capture,
    Exchange,
    exceeds_quota,
    is_too_soon,
    judge,
    outlived,
    pace_begins,
)
from memory_graph.episodes.chaining import TopicTurn, group_by_topic, is_same_topic, topic_turn
from memory_graph.episodes.signals import read_outcomes, read_signals
from memory_graph.episodes.summary import writer_for
from memory_graph.episodes.writing import Captured, Generation, KeptExchange, generate
from memory_graph.facts.writing import restore_lost
from memory_graph.keys import has_key
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
from memory_graph.policies import CapturePolicy
from memory_graph.reading import read_message
from memory_graph.records import (
    LedgerEntry,
    MemoryDecision,
    RecallTrace,
    Receipt,
    Said,
    Source,
    Usage,
)
from memory_graph.settings import get_settings
from memory_graph.state import CaptureUpdate, MemoryState, RecallNote
from memory_graph.store.reembed import repair_vectors
from memory_graph.store.scope import (
    UserMemory,
    locks_other_processes,
    open_memory,
    run_context,
    user_lock_across_processes,
)
from memory_graph.telemetry import notes, report, tax
from memory_graph.turns.keeping import keep_turns, record_id_of
from memory_graph.turns.store import USER

Fate = Literal["fresh", "too_soon", "settled", "kept"]

_TAKEN = frozenset({"create", "merge"})

_NO_FACT = frozenset({"skip", "evict"})


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


_CONTEXT_TURNS = 3
"""Earlier turns that are read again as context. A limit: it bounds the cost of a turn."""


def _with_word_of_model(topic: Topic, state: MemoryState) -> Topic:
    """Return a topic with what the model that read its facts said: it is worth an episode."""
    told = set(state.get("memory_has_episode") or ())
    if not any(turn.message_id in told for turn in topic.turns):
        return topic
    signals = replace(topic.exchange.signals, has_episode=True)
    return replace(topic, exchange=replace(topic.exchange, signals=signals))


async def open_topics(
    turns: Sequence[Turn], seen: Mapping[str, LedgerEntry], context: Context, recall: RecallNote
) -> list[Topic]:
    """Return the turns to judge, by topic: new ones, and those that a cooldown put off."""
    fates = [_fate(seen.get(turn.receipt_of(CAPTURE))) for turn in turns]
    due = [place for place, fate in enumerate(fates) if fate in {"fresh", "too_soon"}]
    done = [place for place, fate in enumerate(fates) if fate in {"settled", "kept"}]
    read = {place: await _read(turns, place, seen, recall) for place in due}
    if any(each.tells for each in read.values()):
        near = done[-_CONTEXT_TURNS:]
        read |= {place: await _read(turns, place, seen, recall) for place in near}
    groups = group_by_topic([read[place].topic for place in due])
    known = [read[place] for place in sorted(read)]
    return [
        await _topic([read[due[each]] for each in group], known, seen, context, recall)
        for group in groups
    ]


async def _read(
    turns: Sequence[Turn], place: int, seen: Mapping[str, LedgerEntry], recall: RecallNote
) -> _Read:
    turn = turns[place]
    entry = seen.get(turn.receipt_of(CAPTURE))
    said = await _evidence(turn, place == len(turns) - 1, recall)
    outcomes = await read_outcomes(said)
    at = entry.at if entry else clock.utc_now()
    kept = (each.memory_id for each in entry.decisions if each.action in _TAKEN) if entry else ()
    topic = await background.off_the_loop(
        len(turn.text), lambda: topic_turn(outcomes.messages, at, turn.thread_id)
    )
    return _Read(
        turn=turn,
        fate=_fate(entry),
        episode_id=next(iter(kept), None),
        said=said,
        topic=topic,
        tells=bool(outcomes.statements or outcomes.tools_used),
    )


async def _evidence(turn: Turn, is_last: bool, recall: RecallNote) -> tuple[Said, ...]:
    """Return a turn without replies that are no evidence.

    What memory itself said is not new, and what an assistant said about the past without
    support from memory may be invented.
    """
    if is_last and recall:
        unfounded = _asked_about_past(recall) and recall.get("found") != "found"
    else:
        unfounded = not is_last and await _asks_back(turn.text)
    return tuple(
        each
        for each in turn.said
        if each.role != "assistant" or each.tool_calls or not (each.is_from_memory or unfounded)
    )


async def _asks_back(text: str) -> bool:
    from memory_graph.language.heads import points  # noqa: PLC0415 — brings numpy

    return (await read_message(text)).whole.asks >= points()["asks"]


def _asked_about_past(recall: RecallNote) -> bool:
    return recall.get("intent", "none") != "none"


async def _topic(
    group: Sequence[_Read],
    known: Sequence[_Read],
    seen: Mapping[str, LedgerEntry],
    context: Context,
    recall: RecallNote,
) -> Topic:
    from memory_graph.language.heads import points  # noqa: PLC0415 — brings numpy

    first = known.index(group[0])
    thread = group[0].turn.thread_id
    before = [each for each in known[:first] if each.turn.thread_id == thread]
    said = _said(group)
    same = [
        each
        for each in known
        if each not in group and any(is_same_topic(each.topic, one.topic) for one in group)
    ]
    led_to = [each for each in same if each.fate == "settled"]
    outcomes = await read_outcomes(said, earlier=_said(before), context=_said(led_to))
    turns = tuple(each.turn for each in group)
    is_last = known[-1] in group
    exchange = Exchange(
        said=said,
        outcomes=outcomes,
        signals=read_signals(outcomes, recall_at=points()["asks"], outcome_at=points()["outcome"]),
        context=_said(led_to),
        is_kept_as_facts=_is_kept_as_facts(
            [seen.get(turn.receipt_of(HOTPATH)) for turn in turns], len(outcomes.statements)
        ),
        source=_source(turns),
        now=clock.utc_now(),
        said_at=group[-1].topic.at,
        zone=context.zone,
        project=context.project,
        joins=next((each.episode_id for each in reversed(same) if each.episode_id), None),
        told_from_memory=is_last and _asked_about_past(recall) and recall.get("found") == "found",
    )
    fresh = tuple(each.turn for each in group if each.fate == "fresh")
    return Topic(turns, fresh, exchange)


_LOOK_BACK_TIME = timedelta(hours=24)


async def put_off_elsewhere(
    memory: UserMemory, thread_id: str, entries: Sequence[LedgerEntry]
) -> list[Turn]:
    """Return turns of other threads that a cooldown put off.

    Only the user's part is read again, from the words that were kept.
    """
    waiting = [
        entry.source
        for entry in entries
        if _fate(entry) == "too_soon" and entry.source and entry.source.thread_id
    ]
    elsewhere = [source for source in waiting if source.thread_id != thread_id]
    words = await memory.turns.find(record_id_of(source, USER) for source in elsewhere)
    return [
        Turn(
            source.thread_id or "",
            source.run_id,
            source.message_ids[0],
            kept.text,
            (Said(role="user", text=kept.text, message_id=source.message_ids[0]),),
        )
        for source in elsewhere
        if (kept := words.get(record_id_of(source, USER)))
    ]


def _fate(entry: LedgerEntry | None) -> Fate:
    """Return what capture decided about a turn before."""
    if entry is None:
        return "fresh"
    if any(decision.action in _TAKEN for decision in entry.decisions):
        return "kept"
    return "too_soon" if is_too_soon(entry) else "settled"


def _is_kept_as_facts(entries: Sequence[LedgerEntry | None], statements: int) -> bool:
    """Say whether keyed facts already hold everything that was stated."""
    decisions = [each for entry in entries if entry for each in entry.decisions]
    keyed = [each for each in decisions if each.action not in _NO_FACT and has_key(each.memory_id)]
    return len(keyed) >= max(statements, 1)


def _said(turns: Sequence[_Read]) -> tuple[Said, ...]:
    return tuple(said for each in turns for said in each.said)


def _source(turns: Sequence[Turn]) -> Source:
    message_ids = tuple(turn.message_id for turn in turns)
    return turns[-1].source.model_copy(update={"message_ids": message_ids})


_LOOK_BACK_TURNS = 10
"""Turns that are checked for a missing receipt, after a crash or an abandoned stream. If none of
them has one, as many before them are checked."""

_PORTION = 30
"""Turns that one run captures, oldest first; the rest waits for the next run."""


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
    """Do what earlier turns could not: keep missed facts, add missing vectors."""
    update: CaptureUpdate = {}
    if state.get("memory_missed"):
        update["memory_missed"] = await handle_missed(state, runtime, config, model)
    memory = open_memory(runtime, config)
    await _restore_facts(memory, state, thread_of(config))
    await repair_vectors(memory, clock.utc_now())
    return update


async def _restore_facts(memory: UserMemory, state: MemoryState, thread_id: str) -> None:
    """Restore this turn's facts where another process may have overwritten them."""
    spoken = next(spoken_in(state.get("messages") or []), None)
    if locks_other_processes(memory.scope.gateway) or spoken is None:
        return
    found = await memory.ledger.find([receipt_id(thread_id, spoken[0], HOTPATH)])
    for entry in found.values():
        await restore_lost(memory, entry, clock.utc_now())


async def _capture(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    model: ModelLike | None,
) -> CaptureUpdate:
    started = time.perf_counter()
    earlier = state.get("memory_decisions") or []
    job = await _job(state, runtime, config, model)
    looked = await job.look()
    kept = next((each.verdict for each in looked if each.verdict.keep), None)
    if kept and _may_wait(runtime):
        label = f"episode-{job.memory.scope.root[-1]}"
        background.start(label, lambda: job.generate_later(looked))
        telemetry.record(runtime, telemetry.EpisodeQueued(reason=kept.reason))
        return {"memory_decisions": earlier}
    generations = await (job.generate(looked) if kept else job.skip(looked))
    if not generations:
        return {"memory_decisions": earlier}
    for event in (each.event for each in generations if each.event):
        telemetry.record(runtime, event)
    decisions = [each.captured.decision for each in generations]
    report(runtime, CAPTURE, decisions)
    usage = sum((each.captured.usage for each in generations), Usage())
    return {
        "memory_decisions": [*earlier, *notes(decisions)],
        "memory_tax": tax(started, usage, before=state.get("memory_tax")),
    }


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
    party: str
    seen: Mapping[str, LedgerEntry]
    """The receipts of the turns when capture began."""

    recent: Sequence[LedgerEntry]
    """Recent decisions: for cooldown and quota, and for turns put off in other threads."""

    async def look(self) -> list[_Looked]:
        """Judge each topic of the unhandled turns."""
        topics = await self._topics()
        return [_Looked(each, await self._judge(each, self.recent), self.recent) for each in topics]

    async def skip(self, looked: Sequence[_Looked]) -> list[Generation]:
        """Write receipts without an episode, for new turns only."""
        due = [each for each in looked if each.topic.fresh]
        captured = [(each, Captured.skipped(each.verdict)) for each in due]
        for each, skipped in captured:
            await self._commit(each, skipped)
        return [Generation(skipped) for _, skipped in captured]

    async def generate(self, looked: Sequence[_Looked]) -> list[Generation]:
        """Write the episodes under the user's lock; judge again first if others wrote meanwhile."""
        version = await self.memory.episodes.version()
        async with user_lock_across_processes(self.memory.scope):
            seen, recent, now = await asyncio.gather(
                self.memory.ledger.find(receipts_of(self.turns), details=False),
                _recent(self.memory),
                self.memory.episodes.version(),
            )
            if (seen, recent, now) != (self.seen, self.recent, version):
                looked = await replace(self, seen=seen, recent=recent).look()
            generations: list[Generation] = []
            for each in looked:
                judged = await self._again(each) if generations else each
                generations += (
                    [await self._write(judged)]
                    if judged.verdict.keep
                    else await self.skip([judged])
                )
            return generations

    async def _again(self, looked: _Looked) -> _Looked:
        """Judge a topic again after another one was written."""
        recent = await _recent(self.memory)
        return replace(looked, verdict=await self._judge(looked.topic, recent), recent=recent)

    async def generate_later(self, looked: Sequence[_Looked]) -> None:
        """Write the episodes after the run; events go to the log only."""
        for generation in await self.generate(looked):
            if generation.event:
                telemetry.log(generation.event)
            telemetry.report_later(CAPTURE, generation.captured.decision)

    async def _topics(self) -> list[Topic]:
        """Return the topics of the unhandled turns, and of those that were put off."""
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
            waited = receipts_of(waiting)
            seen = {**seen, **await self.memory.ledger.find(waited, details=False)}
        recall = self._recall if turns[-1] is self.turns[-1] else RecallNote()
        topics = await open_topics([*waiting, *turns], seen, self.context, recall)
        return [_with_word_of_model(each, self.state) for each in topics]

    @property
    def _recall(self) -> RecallNote:
        return self.state.get("memory_recall") or RecallNote()

    @property
    def _policy(self) -> CapturePolicy:
        return self.context.capture

    async def _judge(self, topic: Topic, recent: Sequence[LedgerEntry]) -> Capture:
        return await judge(self.memory, topic.exchange, self._policy, recent)

    async def _write(self, looked: _Looked) -> Generation:
        """Write one episode.

        Without a model if it joins an episode during its cooldown, or if the model that read the
        facts said that nothing came of it.
        """
        needs_none = looked.verdict.is_cooling or self._is_plain(looked.topic)
        model = None if needs_none else models_for(self.context, self.model).episode
        writer = writer_for(model, self.context.capture.window_n)
        generation = await generate(
            self.memory,
            KeptExchange(looked.topic.exchange, looked.verdict, writer),
            lambda captured: self._commit(looked, captured),
            get_settings().episode_alarm_after,
        )
        if generation.event and generation.event.outcome not in {"stored", "store_failed"}:
            await self._keep_words(looked.topic)
        return await self._within_quota(looked, generation)

    def _is_plain(self, topic: Topic) -> bool:
        """Say whether a model read every message and found no episode in them."""
        plain = set(self.state.get("memory_no_episode") or ())
        return all(turn.message_id in plain for turn in topic.turns)

    async def _keep_words(self, topic: Topic) -> None:
        """Keep the words of a topic whose episode could not be written; the receipt comes later."""
        await self._refuse_if_forgotten()
        await self.memory.commit(await self._words(topic, clock.utc_now()))

    async def _refuse_if_forgotten(self) -> None:
        mark = self.state.get("memory_erasure")
        if mark is not None:
            await refuse_if_forgotten(self.memory, mark)

    async def _words(self, topic: Topic, now: datetime) -> list[PutOp]:
        said = [(turn.source, turn.said) for turn in topic.fresh]
        return await keep_turns(self.memory, said, self.context.verbatim, now, self.context.zone)

    async def _within_quota(self, looked: _Looked, generation: Generation) -> Generation:
        """Take an episode back if other processes have used up the quota meanwhile."""
        decision = generation.captured.decision
        if decision.action != "create" or not decision.memory_id:
            return generation
        if locks_other_processes(self.memory.scope.gateway):
            return generation
        if not exceeds_quota(looked.topic.exchange, self._policy, await _recent(self.memory)):
            return generation
        refused = Captured.skipped(looked.verdict, "quota")
        taken_back = self.memory.episodes.deletions([decision.memory_id])
        await self._commit(looked, replace(refused, puts=taken_back))
        return Generation(refused)

    async def _commit(self, looked: _Looked, captured: Captured) -> None:
        """Write the episode, a receipt for each turn and its words: all or nothing."""
        topic, now = looked.topic, clock.utc_now()
        recalled = self._recall.get("memory_ids", []) if self.turns[-1] in topic.fresh else []
        _, counts, words = await asyncio.gather(
            self._refuse_if_forgotten(),
            self.memory.access.touch(recalled, now),
            self._words(topic, now),
        )
        puts = [*captured.puts, *words, *counts]
        is_kept = captured.decision.action != "skip"
        judged = topic.turns if is_kept or captured.puts else topic.fresh
        receipts = [self._receipt(turn) for turn in judged]
        puts += self._noted(looked, captured.decision, receipts, now)
        await self.memory.apply(CAPTURE, [captured.decision], puts, at=now, receipts=receipts)

    def _noted(
        self,
        looked: _Looked,
        decision: MemoryDecision,
        receipts: Sequence[Receipt],
        now: datetime,
    ) -> list[PutOp]:
        """Return the writes that log a decision for cooldown and quota, and drop outdated ones."""
        captures = self.memory.captures
        entries = [
            LedgerEntry(id=each.id, at=now, node=CAPTURE, source=each.source, decisions=(decision,))
            for each in receipts
        ]
        since = min(now - _LOOK_BACK_TIME, pace_begins(now, self.context.zone, self._policy))
        gone = {each.id for each in outlived(looked.recent, since, self._policy)}
        gone -= {each.id for each in entries}
        return [
            *map(captures.brief, entries),
            *(PutOp(captures.namespace, each, None) for each in sorted(gone)),
        ]

    def _receipt(self, turn: Turn) -> Receipt:
        """Return the receipt of a turn; that of the last one also says what was recalled."""
        receipt = turn.receipt(CAPTURE)
        trace = self._recall.get("trace")
        if turn is not self.turns[-1] or trace is None:
            return receipt
        tax = self.state.get("memory_tax") or {}
        spent = {"milliseconds": tax.get("milliseconds"), "calls": tax.get("calls", 0)}
        return replace(receipt, recall=RecallTrace.model_validate({**trace, **spent}))


def _may_wait(runtime: Runtime[Context]) -> bool:
    """Say whether the episode may be written after the run.

    On LangGraph Server it stays in the run: the server's queue survives the worker, which a
    task of this process does not, and whoever streams has the reply already.
    """
    return get_settings().capture_mode == "background" and runtime.server_info is None


async def _job(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    model: ModelLike | None,
) -> _Job:
    context = run_context(runtime, config)
    memory, party = open_memory(runtime, config), party_of(runtime, config)
    (last, seen), recent = await asyncio.gather(
        _reach(memory, state, thread_of(config)), _recent(memory)
    )
    turns = await turns_of(state, config, context, last)
    return _Job(memory, turns, context, model, state, party, seen, recent)


async def _recent(memory: UserMemory) -> list[LedgerEntry]:
    return await memory.captures.recent(details=False)


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
