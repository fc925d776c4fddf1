"""Capture one conversation: look at its topics, then write an episode of each or skip it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from langgraph.store.base import PutOp

from memory_graph import clock, telemetry
from memory_graph.context import Context
from memory_graph.episodes.capture import (
    CAPTURE,
    Capture,
    exceeds_quota,
    fate_of,
    judge,
    pace_begins,
)
from memory_graph.episodes.closing import close_over
from memory_graph.episodes.topics import Seen, Topic, open_topics, put_off_elsewhere
from memory_graph.episodes.writing import Captured, generate, writer_for
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes._reading import HOTPATH
from memory_graph.nodes._visit import Visit
from memory_graph.records import (
    Handling,
    RecallTrace,
    Receipt,
    TurnRecord,
)
from memory_graph.state import MemoryState, RecallNote
from memory_graph.store.ledger import Counted
from memory_graph.store.locks import locks_other_processes, user_lock_across_processes
from memory_graph.store.scope import UserMemory
from memory_graph.telemetry import report
from memory_graph.turns.keeping import begun, keep_turns
from memory_graph.turns.messages import Turn
from memory_graph.turns.store import Listed, mark_in

_LOOK_BACK_TIME = timedelta(hours=24)

_PORTION = 30
"""Turns that one run captures, oldest first; the rest waits for the next run."""


@dataclass(frozen=True)
class Looked:
    """A topic, and the decision whether to keep it."""

    topic: Topic
    verdict: Capture


@dataclass(frozen=True)
class Job:
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

    async def begun(self) -> "Job":
        """Return the job with what is known now."""
        memory, visit, now = self.memory, self.visit, clock.utc_now()
        kept = {turn.receipt_of(HOTPATH): turn.mark for turn in visit.turns}
        own, waiting, recent, counted, entries = await asyncio.gather(
            memory.turns.find(turn.record_id for turn in visit.turns),
            memory.turns.waiting(),
            self.latest(),
            memory.access.counted(now),
            memory.ledger.find(kept, details=False),
        )
        facts = {kept[key]: entry for key, entry in entries.items()}
        others = {each.id: each for each in waiting if each.session != visit.thread_id}
        records = {mark_in(key): each for key, each in {**others, **own}.items()}
        return replace(self, seen=Seen(records, facts), recent=recent, counted=counted)

    async def latest(self) -> tuple[Listed, ...]:
        """Return the user's turns of late, in any thread."""
        begins = pace_begins(clock.utc_now(), self.context.zone, self.context.policies.capture)
        since = await self.memory.turns.since(min(begins, clock.utc_now() - _LOOK_BACK_TIME))
        return tuple(since.values())

    async def look(self) -> list[Looked]:
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

    async def judged(self, topic: Topic, recent: Sequence[Listed]) -> Looked:
        verdict = await judge(self.memory, topic.exchange, self.context.policies.capture, recent)
        return Looked(topic, verdict)

    async def skip(self, looked: Sequence[Looked]) -> list[Captured]:
        """Write receipts without an episode, for new turns only."""
        skipped = []
        for each in looked:
            if each.topic.fresh:
                skipped.append(Captured.skipped(each.verdict))
                await self._commit(each, skipped[-1])
        return skipped

    async def generate(self, looked: Sequence[Looked]) -> list[Captured]:
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

    async def generate_later(self, looked: Sequence[Looked]) -> None:
        """Write the episodes after the run; events go to the log only."""
        for captured in await self.generate(looked):
            if captured.event:
                telemetry.record(None, captured.event)
            report(None, CAPTURE, [captured.decision])

    async def write(self, looked: Looked) -> Captured:
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

    async def _commit(self, looked: Looked, captured: Captured) -> None:
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
