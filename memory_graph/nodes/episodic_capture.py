"""The node that creates, merges or skips an episode after the reply."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.store.base import PutOp

from memory_graph import background, clock, telemetry
from memory_graph.context import Context
from memory_graph.episodes.capture import (
    CAPTURE,
    Capture,
    Exchange,
    Fate,
    exceeds_quota,
    fate_of,
    judge,
    pace_begins,
)
from memory_graph.episodes.closing import close_over
from memory_graph.episodes.signals import read_outcomes, read_signals
from memory_graph.episodes.themes import TopicTurn, group_by_topic, is_same_topic, topic_turn
from memory_graph.episodes.writing import Captured, generate, writer_for
from memory_graph.facts.direct import restore_lost
from memory_graph.language.points import points
from memory_graph.language.sentences import without_requests
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes._beside import read_after_the_reply
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._reading import HOTPATH
from memory_graph.nodes._visit import Visit, enter
from memory_graph.reading import read_message
from memory_graph.records import (
    Handling,
    LedgerEntry,
    RecallTrace,
    Receipt,
    Said,
    TurnRecord,
    Usage,
)
from memory_graph.settings import get_settings
from memory_graph.state import MemoryKeys, MemoryState, RecallNote
from memory_graph.store.ledger import Counted
from memory_graph.store.locks import locks_other_processes, user_lock_across_processes
from memory_graph.store.reembed import repair_vectors
from memory_graph.store.scope import UserMemory, open_memory
from memory_graph.telemetry import notes, report, tax
from memory_graph.turns.keeping import begun, keep_turns
from memory_graph.turns.messages import Turn, mark_of, spoken_in, thread_of
from memory_graph.turns.store import USER, Listed, mark_in

_NO_FACT = frozenset({"skip", "evict"})

_CONTEXT_TURNS = 3
"""Earlier turns that are read again as context. A limit: it bounds the cost of a turn."""

_LOOK_BACK_TIME = timedelta(hours=24)

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
class Seen:
    """What was done with turns before: by their marks, and by the receipts of their facts."""

    records: Mapping[str, TurnRecord]
    facts: Mapping[str, LedgerEntry]


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
    turns: Sequence[Turn], seen: Seen, context: Context, recall: RecallNote
) -> list[Topic]:
    """Return the turns to judge, by topic: new ones, and those that a cooldown put off."""
    fates = [fate_of(seen.records.get(turn.mark)) for turn in turns]
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


async def _read(turns: Sequence[Turn], place: int, seen: Seen, recall: RecallNote) -> _Read:
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
    record = seen.records.get(turn.mark)
    at = record.said_at if record else clock.utc_now()
    outcomes = await read_outcomes(said)
    tells = bool(outcomes.statements or outcomes.tools_used)
    topic = await background.off_the_loop(
        len(turn.text), lambda: topic_turn(outcomes.messages, at, turn.thread_id)
    )
    episode_id = record.captured.memory_id if record else None
    return _Read(turn, fate_of(record), episode_id, said, topic, tells)


async def _topic(
    group: Sequence[_Read],
    known: Sequence[_Read],
    seen: Seen,
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
    kept = [entry for turn in turns if (entry := seen.facts.get(turn.receipt_of(HOTPATH)))]
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


def put_off_elsewhere(thread_id: str, waiting: Sequence[TurnRecord]) -> list[Turn]:
    """Return the turns of other threads that a cooldown put off.

    Only the user's part is read again, from the words that were kept.
    """
    return [
        Turn(
            each.session,
            each.source.run_id,
            each.source.message_ids[0],
            each.text,
            (Said(role="user", text=each.text, message_id=each.source.message_ids[0]),),
            digest=each.digest,
        )
        for each in waiting
        if each.session != thread_id and each.text and fate_of(each) == "too_soon"
    ]


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
    job = await _Job(visit, model, state, Seen({}, {}), (), ("", {})).begun()
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


def _goes_on_alone(runtime: Runtime[Context], job: "_Job") -> bool:
    """Say whether episodes are written after the run, so that nobody waits for a model."""
    mode = get_settings().capture_mode
    if mode == "auto":
        mode = "background" if models_for(job.context, job.model).episode else "inline"
    return mode == "background" and runtime.server_info is None


def _task_name(memory: UserMemory) -> str:
    """Return how the task of a user is called in a dump; a name of any length is cut."""
    user_id = memory.owner.user_id
    return f"episode-{user_id}" if user_id.isprintable() else f"episode-{memory.scope.root[-1]}"


@dataclass(frozen=True)
class _Looked:
    """A topic, and the decision whether to keep it."""

    topic: Topic
    verdict: Capture


@dataclass(frozen=True)
class _Job:
    """The capture of one conversation, now or after the run."""

    visit: Visit
    model: ModelLike | None
    state: MemoryState
    seen: Seen
    """What was done with the turns when capture began."""

    recent: Sequence[Listed]
    """The user's turns of late, in any thread: for cooldown and quota."""

    counted: Counted
    """How often memories were recalled today, when capture began."""

    @property
    def memory(self) -> UserMemory:
        return self.visit.memory

    @property
    def context(self) -> Context:
        return self.visit.context

    @property
    def recall(self) -> RecallNote:
        return self.state.get("memory_recall") or RecallNote()

    async def begun(self) -> "_Job":
        """Return the job with what is known now."""
        memory, visit, now = self.memory, self.visit, clock.utc_now()
        receipts = [turn.receipt_of(HOTPATH) for turn in visit.turns]
        own, waiting, recent, counted, facts = await asyncio.gather(
            memory.turns.find(turn.record_id for turn in visit.turns),
            memory.turns.waiting(),
            self.latest(),
            memory.access.counted(now),
            memory.ledger.find(receipts, details=False),
        )
        others = {each.id: each for each in waiting if each.session != visit.thread_id}
        records = {mark_in(key): each for key, each in {**others, **own}.items()}
        return replace(self, seen=Seen(records, facts), recent=recent, counted=counted)

    async def latest(self) -> tuple[Listed, ...]:
        """Return the user's turns of late, in any thread."""
        begins = pace_begins(clock.utc_now(), self.context.zone, self.context.policies.capture)
        since = await self.memory.turns.since(min(begins, clock.utc_now() - _LOOK_BACK_TIME))
        return tuple(since.values())

    async def look(self) -> list[_Looked]:
        """Judge each topic of the unhandled turns, and of those that were put off."""
        visit, seen = self.visit, self.seen
        turns = [e for e in visit.turns if e.mark in seen.records or e.message_id in visit.new]
        fresh = [turn for turn in turns if fate_of(seen.records.get(turn.mark)) == "fresh"]
        if not fresh:
            return []
        if len(fresh) > _PORTION:
            turns, fresh = turns[: turns.index(fresh[_PORTION])], fresh[:_PORTION]
        waiting = put_off_elsewhere(visit.thread_id, [*seen.records.values()])
        is_newest = bool(visit.last) and turns[-1] == visit.last
        recall = self.recall if is_newest else RecallNote()
        topics = await open_topics([*waiting, *turns], seen, self.context, recall)
        return [await self.judged(self._said_by_reader(each), self.recent) for each in topics]

    def _said_by_reader(self, topic: Topic) -> Topic:
        """Return a topic with what the model said that read its messages."""
        said = {self._of(turn).has_episode for turn in topic.turns}
        has_episode = True if True in said else False if False in said else None
        return replace(topic, exchange=replace(topic.exchange, has_episode=has_episode))

    def _of(self, turn: Turn) -> TurnRecord:
        """Return the record of a turn; one that nobody read has none before it is captured."""
        if known := self.seen.records.get(turn.mark):
            return known
        now, policy = clock.utc_now(), self.context.policies.verbatim
        others = [each.position for each in self.seen.records.values()]
        position = max([int(now.timestamp() * 1000), *(each + 2 for each in others)])
        place = [each.mark for each in self.visit.turns].index(turn.mark)
        return begun(turn, Handling(), policy, at=now, position=position + 2 * place)

    async def judged(self, topic: Topic, recent: Sequence[Listed]) -> _Looked:
        verdict = await judge(self.memory, topic.exchange, self.context.policies.capture, recent)
        return _Looked(topic, verdict)

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
            now = await memory.episodes.version()
            job = await self.begun()
            if (job.recent, now) != (self.recent, version):
                looked = await job.look()
            captured: list[Captured] = []
            for each in looked:
                due = each
                if captured:  # another topic was written: judge again
                    due = await job.judged(each.topic, await job.latest())
                kept = due.verdict.keep
                captured += [await job.write(due)] if kept else await job.skip([due])
            writer = writer_for(models_for(self.context, self.model).episode)
            over = await close_over(memory, writer, clock.utc_now())
            return [*captured, over] if over else captured

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
        is_elsewhere = all(turn.thread_id != self.visit.thread_id for turn in topic.turns)
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
            await self.memory.commit(await self._words(topic, Handling(state="open")))
        decision = captured.decision
        if decision.action != "create" or locks_other_processes(self.memory.scope.gateway):
            return captured
        recent = await self.latest()
        if not decision.memory_id or not exceeds_quota(topic.exchange, policy, recent):
            return captured
        refused = Captured.skipped(looked.verdict, "quota")
        taken_back = self.memory.episodes.deletions([decision.memory_id])
        await self._commit(looked, replace(refused, puts=taken_back))
        return refused

    async def _words(self, topic: Topic, captured: Handling) -> list[PutOp]:
        """Return the writes that complete the records of new turns, or decide on known ones."""
        now, policy = clock.utc_now(), self.context.policies.verbatim
        known = {turn.mark: self._of(turn) for turn in topic.turns}
        done = {k: e.model_copy(update={"captured": captured}) for k, e in known.items()}
        fresh = [(done[turn.mark], turn.said) for turn in topic.fresh]
        words = await keep_turns(self.memory, fresh, policy, now, self.context.zone)
        again = [done[turn.mark] for turn in topic.turns if turn not in topic.fresh]
        return [*words, *await self.memory.turns.puts(again, now)]

    async def _commit(self, looked: _Looked, captured: Captured) -> None:
        """Write the episode, a receipt for each turn and its words: all or nothing."""
        topic, now = looked.topic, clock.utc_now()
        is_newest = self.visit.last in topic.fresh
        recalled = self.recall.get("memory_ids", []) if is_newest else []
        decision = captured.decision
        is_kept = decision.action != "skip"
        judged = topic if is_kept or captured.puts else replace(topic, turns=topic.fresh)
        handling = Handling(
            state="put_off" if decision.reason == "cooldown" and not is_kept else "done",
            reason=decision.reason,
            by=CAPTURE,
            at=now,
            action=decision.action,
            memory_id=decision.memory_id if is_kept else None,
        )
        counted = None if captured.usage.calls else self.counted  # a model takes its time
        counts = await self.memory.access.touch(recalled, now, counted)
        puts = [*captured.puts, *await self._words(judged, handling), *counts]
        receipts = [self._receipt(turn) for turn in judged.turns]
        await self.memory.apply(CAPTURE, [decision], puts, at=now, receipts=receipts)

    def _receipt(self, turn: Turn) -> Receipt:
        """Return the receipt of a turn; that of the last one also says what was recalled."""
        receipt = turn.receipt(CAPTURE)
        trace = self.recall.get("trace")
        if turn != self.visit.last or trace is None:
            return receipt
        tax = self.state.get("memory_tax") or {}
        spent = {"milliseconds": tax.get("milliseconds"), "calls": tax.get("calls", 0)}
        return replace(receipt, recall=RecallTrace.model_validate({**trace, **spent}))
