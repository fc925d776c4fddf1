"""The node that keeps the durable facts in the user's message, before the reply."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import InitVar, dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import background, clock, telemetry
from memory_graph.context import Context
from memory_graph.curation.undo import withdraw
from memory_graph.episodes.capture import CAPTURE
from memory_graph.errors import ForgottenMeanwhileError, ModelUnavailableError
from memory_graph.facts.admission import Utterance
from memory_graph.facts.extraction import RULES, Extracted, FactExtractor, is_told, skip
from memory_graph.facts.writing import Admitted, SameFactJudge, admit
from memory_graph.llm.models import ModelLike, models_for, patience_with
from memory_graph.nodes._node import as_node, never_fails_the_turn
from memory_graph.nodes._turns import (
    HOTPATH,
    LATE,
    NOBODY,
    PENDING,
    Turn,
    id_of,
    is_pending,
    is_settled,
    missed_by,
    own_turns,
    parties_with,
    party_of,
    receipt_id,
    spoken_in,
    thread_of,
    turn_id,
    turns_of,
    unhandled_turns,
)
from memory_graph.records import Fact, LedgerEntry, MemoryDecision, Usage
from memory_graph.state import HotpathUpdate, MemoryState, Missed
from memory_graph.store.changes import decision_for
from memory_graph.store.locks import facts_lock
from memory_graph.store.owner import run_context
from memory_graph.store.revision import Erasure
from memory_graph.store.scope import UserMemory, open_memory
from memory_graph.telemetry import notes, report, stated, tax

logger = logging.getLogger(__name__)

_MOST_MISSED = 500
"""Missed turns that a thread remembers, to handle them later."""

_MOST_TOLD = 20
"""Messages of which a thread remembers what a model told. A limit: part of every checkpoint."""

_PORTION = 5
"""Missed turns that are handled after one reply; the rest waits for the next."""

_BEFORE_THE_REPLY_S = 1.0
"""How long missed turns may delay the reply; the rest is handled after it."""

_LOOK_BACK = 10
"""How many turns of a thread are checked for a receipt."""

_STEP, _TICK = timedelta(milliseconds=1), timedelta(microseconds=1)
"""Gaps between the times of turns, so that a missed turn fits between two others."""


def _note_missed(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> HotpathUpdate:
    """Note in the thread whose message came last, and that its facts were not kept."""
    party = party_of(runtime, config)
    is_shared = bool({*(state.get("memory_parties") or ())} - {party})
    begun = _unanswered(state.get("messages") or [])
    note = Missed(at=clock.utc_now().isoformat(), by=party)
    known = state.get("memory_missed") or {}
    fresh = [each for each in begun[-1:] if is_shared or party == NOBODY] or begun
    return {
        "memory_decisions": [],
        "memory_noted": [],
        "memory_missed": _bounded({**known, **{i: note for i in fresh if i not in known}}),
        "memory_parties": parties_with(state, party),
        "memory_erasure": None,
    }


def _unanswered(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the user's last messages that have no answer yet."""
    begun: list[str] = []
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].type in {"ai", "tool"}:
            break
        if isinstance(messages[place], HumanMessage):
            begun.append(id_of(place, messages[place]))
    return begun[::-1]


def _bounded(missed: dict[str, Missed]) -> dict[str, Missed]:
    surplus = len(missed) - _MOST_MISSED
    if surplus > 0:
        logger.warning(
            "%d missed turns are too many to handle later; the oldest are dropped.", surplus
        )
    return dict(list(missed.items())[-_MOST_MISSED:])


@as_node
@never_fails_the_turn(leaving=_note_missed, waits=lambda patience: 2 * patience.extraction_s)
async def memory_hotpath(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    *,
    model: ModelLike | None = None,
) -> HotpathUpdate:
    """Save the facts of this turn: update over insert, history kept. Never an episode.

    A turn that was handled before, in a retry or a replay, changes nothing. A turn that failed
    is handled later: now if this message may refer to it, else after the reply. If no model
    answers, rules read the turn, and the model reads it again after a reply. If the thread went
    back to an earlier checkpoint, what came from the abandoned turns is withdrawn.
    """
    started = time.perf_counter()
    thread = _Thread(open_memory(runtime, config), runtime, config, state, model)
    turns = await turns_of(state, config, thread.context, thread.look_back)
    if not turns:
        return {"memory_decisions": [], "memory_noted": []}
    await thread.read_receipts(turns)
    withdrawn = await thread.withdraw()
    update = thread.seen(turns[-1])
    if turns[-1].was_handled(HOTPATH, thread.receipts):
        done = (await thread.memory.ledger.get(turns[-1].receipt_of(HOTPATH))).decisions
        update |= {"memory_decisions": notes([*withdrawn, *done]), "memory_noted": stated(done)}
        return update
    turns = own_turns(turns, thread.receipts, state, thread.party)
    waiting = thread.unhandled(turns)
    window = len(turns) - thread.context.policies.admission.window
    soon = [n for n in waiting if n >= window and not is_pending(thread.receipt(turns[n]))]
    try:
        decisions, usage = await thread.keep(turns, [*soon, len(turns) - 1])
    except ForgottenMeanwhileError:
        decisions, usage = [skip("forgotten")], Usage()
    report(runtime, HOTPATH, [*withdrawn, *decisions])
    update |= {
        "memory_decisions": notes([*withdrawn, *decisions]),
        "memory_noted": stated(decisions),
        "memory_missed": thread.left([turns[n] for n in (*waiting, len(turns) - 1)]),
        "memory_has_episode": thread.worth_an_episode(said=True),
        "memory_no_episode": thread.worth_an_episode(said=False),
        "memory_told_episodes": thread.told_episodes(),
        "memory_tax": tax(started, usage),
    }
    return update


async def handle_missed(
    state: MemoryState,
    runtime: Runtime[Context],
    config: RunnableConfig,
    model: ModelLike | None,
) -> dict[str, Missed]:
    """Keep the facts of some missed turns after the reply; return what is still missed.

    The oldest come first, a few at a time; none while the model does not answer. The model may
    take long now, and nobody waits for it: on a server the reply has been streamed already, and
    elsewhere the model is asked in the background when the run has ended.
    """
    missed = state.get("memory_missed") or {}
    thread = _Thread(open_memory(runtime, config), runtime, config, state, model)
    reasons = {each.get("reason") for each in state.get("memory_decisions") or ()}
    spoken = thread.spoken if LATE in reasons else thread.spoken[:-1]
    portion = [each for each in spoken if each in thread.missed][:_PORTION]
    if not portion or PENDING in reasons:
        return missed
    turns = await turns_of(state, config, thread.context, 1, also=portion)
    await thread.read_receipts(turns)
    turns = own_turns(turns, thread.receipts, state, thread.party)
    places = thread.unhandled(turns, also_last=True)
    places = [n for n in places if turns[n].message_id in portion]
    waits = any(is_pending(thread.receipt(turns[n])) for n in places)
    if waits and runtime.server_info is None:
        thread.is_over = True
        background.start(
            f"facts-{thread.memory.scope.root[-1]}", lambda: thread.read_with_model(turns, places)
        )
        return missed
    report(runtime, HOTPATH, await thread.read_with_model(turns, places))
    gone = {*portion} - {turns[n].message_id for n in places}
    return {each: note for each, note in thread.left([]).items() if each not in gone}


@dataclass(frozen=True)
class _Readers:
    """What reads facts and what judges whether two are the same; and why no model does, if so."""

    extractor: FactExtractor
    judge: SameFactJudge
    why: tuple[MemoryDecision, ...] = ()


def _rules_instead(error: ModelUnavailableError) -> _Readers:
    why = skip("model_late") if error.is_late else skip("model_unavailable")
    return _Readers(FactExtractor(None, 0), SameFactJudge(), (why,))


@dataclass
class _Thread:
    """A thread in one run: which of its turns were handled, and which were missed."""

    memory: UserMemory
    runtime: Runtime[Context]
    config: RunnableConfig
    state: MemoryState
    model: InitVar[ModelLike | None]
    erasure: Erasure = field(default_factory=Erasure)
    handled: tuple[str, ...] = ()
    receipts: dict[str, LedgerEntry] = field(default_factory=dict)
    is_over: bool = False
    """The run has ended, so events go to the log only."""

    def __post_init__(self, model: ModelLike | None) -> None:
        """Read from the run who speaks, and which model reads the facts."""
        self.id = thread_of(self.config)
        self.context = run_context(self.runtime, self.config)
        self.party = party_of(self.runtime, self.config)
        self.reader = models_for(self.context, model).extraction
        self.patience = patience_with(self.reader)
        self.has_episode: dict[str, bool] = {}
        self.told: dict[str, str] = {}

    @cached_property
    def spoken(self) -> list[str]:
        """The ids of the user's messages that the thread holds, in its order."""
        return [each for each, _ in spoken_in(self.state.get("messages") or [])][::-1]

    def worth_an_episode(self, *, said: bool) -> list[str]:
        """Return the messages of which a model said that they are worth an episode, or are not."""
        key: Literal["memory_has_episode", "memory_no_episode"]
        key = "memory_has_episode" if said else "memory_no_episode"
        told = [each for each, has in self.has_episode.items() if has is said]
        return list(dict.fromkeys([*(self.state.get(key) or []), *told]))[-_MOST_MISSED:]

    def told_episodes(self) -> dict[str, str]:
        """Return what a model told of episodes that capture may still write."""
        known = {**(self.state.get("memory_told_episodes") or {}), **self.told}
        return dict(list(known.items())[-_MOST_TOLD:])

    @property
    def look_back(self) -> int:
        """How many turns are read."""
        return max(self.context.policies.admission.window + 1, _LOOK_BACK)

    @property
    def missed(self) -> dict[str, Missed]:
        """This user's messages in the thread whose facts were not kept yet."""
        noted = missed_by(self.state, self.party)
        return {
            each: noted[each]
            for each in (self.spoken if noted else ())
            if each in noted
            and self._is_since_erasure(noted[each])
            and not is_settled(self.receipts.get(self._receipt(each)))
        }

    def _is_since_erasure(self, missed: Missed | None) -> bool:
        """Say whether a turn surely came after the last time that everything was forgotten."""
        erased = self.erasure.at
        return erased is None or bool(missed and datetime.fromisoformat(missed["at"]) > erased)

    def receipt(self, turn: Turn) -> LedgerEntry | None:
        """Return the receipt of a turn, if it has one."""
        return self.receipts.get(turn.receipt_of(HOTPATH))

    def readers(self, timeout_s: float) -> _Readers:
        """Return what reads and judges, with a time limit for each answer."""
        return _Readers(
            FactExtractor(self.reader, timeout_s, self.memory),
            SameFactJudge(self.reader, timeout_s),
        )

    def _receipt(self, message_id: str) -> str:
        return receipt_id(self.id, message_id, HOTPATH)

    async def read_receipts(self, turns: Sequence[Turn]) -> None:
        """Read the receipts of these turns and of the missed ones.

        A turn without a receipt of this node may have one of capture, which shows whose it is.
        """
        missed = missed_by(self.state, self.party)
        wanted = [*(turn.receipt_of(HOTPATH) for turn in turns), *map(self._receipt, missed)]
        scope = self.memory.scope
        self.receipts, revision, self.handled = await asyncio.gather(
            self.memory.ledger.find(dict.fromkeys(wanted), details=False),
            scope.marks.revision(scope.gateway, scope.root),
            self.memory.threads.read(self.id),
        )
        self.erasure = revision.erasure
        unknown = [turn for turn in turns[:-1] if self.receipt(turn) is None]
        if unknown:
            captured = [turn.receipt_of(CAPTURE) for turn in unknown]
            self.receipts |= await self.memory.ledger.find(captured, details=False)

    def seen(self, last: Turn) -> HotpathUpdate:
        """Return what the thread notes about this run, whatever becomes of its facts."""
        known = self.state.get("memory_handled") or {}
        return {
            "memory_parties": parties_with(self.state, self.party),
            "memory_handled": {**known, self.party: turn_id(self.id, last.message_id)},
            "memory_erasure": self.erasure.mark,
        }

    def left(self, turns: Sequence[Turn]) -> dict[str, Missed]:
        """Return the messages that are still missed, these turns among them."""
        note = Missed(at=clock.utc_now().isoformat(), by=self.party)
        own = {
            turn.message_id: note
            for turn in turns
            if not is_settled(self.receipts.get(turn.receipt_of(HOTPATH)))
        }
        everybody = self.state.get("memory_missed") or {}
        others = {each: old for each, old in everybody.items() if old["by"] != self.party}
        return _bounded({**others, **own, **self.missed})

    async def withdraw(self) -> list[MemoryDecision]:
        """Withdraw what came from turns that the thread abandoned by going back."""
        gone = self._abandoned()
        if not gone:
            return []
        nodes = (CAPTURE, HOTPATH)
        entries = await self.memory.ledger.find(f"{each}-{node}" for each in gone for node in nodes)
        # A turn without a capture may still be running in parallel.
        over = [each for each in gone if f"{each}-{CAPTURE}" in entries or self._is_served]
        taken = [entry for key, entry in entries.items() if key.partition("-")[0] in over]
        self.handled = tuple(each for each in self.handled if each not in over)
        return [*(await withdraw(self.memory, taken, clock.utc_now())).decisions]

    @property
    def _is_served(self) -> bool:
        """Whether a server runs the graph: it never runs two turns of a thread at once."""
        return self.runtime.server_info is not None

    def _abandoned(self) -> list[str]:
        """Return the turns that were handled later than the thread's state, and are not in it.

        A thread without a mark is new, or lost its checkpoints. It is known to have gone back only
        if the run names the checkpoint it starts from.
        """
        mark = (self.state.get("memory_handled") or {}).get(self.party)
        is_fork = bool((self.config.get("metadata") or {}).get("checkpoint_id"))
        if not self.handled or (mark is None and not is_fork):
            return []
        after = self.handled.index(mark) + 1 if mark in self.handled else 0
        if not self.handled[after:]:
            return []
        held = {turn_id(self.id, each) for each in self.spoken}
        return [each for each in self.handled[after:] if each not in held]

    def unhandled(self, turns: Sequence[Turn], *, also_last: bool = False) -> list[int]:
        """Return the places of unhandled turns before the last one, without those that were erased.

        With `also_last`, the last turn too, if its model was late.
        """
        missed = self.missed
        is_kept = False
        places: list[int] = []
        for place in unhandled_turns(turns, self.receipts, missed):
            is_kept = is_kept or any(_is_known(turn, self.receipts) for turn in turns[:place])
            is_known = is_kept or _is_known(turns[place], self.receipts)
            if is_known or self._is_since_erasure(missed.get(turns[place].message_id)):
                places.append(place)
        if also_last and turns and is_pending(self.receipt(turns[-1])):
            places.append(len(turns) - 1)
        return places

    async def keep(
        self, turns: Sequence[Turn], places: Sequence[int]
    ) -> tuple[list[MemoryDecision], Usage]:
        """Keep the facts of the turns at `places`, oldest first.

        If the model does not answer, rules read that turn and the following ones, and the receipts
        say so. If the reply has waited long enough, the rest waits for a later turn; the last turn
        is always handled.
        """
        decisions: list[MemoryDecision] = []
        usage = Usage()
        started = time.perf_counter()
        readers = self.readers(self.patience.extraction_s)
        for place in places:
            is_last = place == len(turns) - 1
            if not is_last and time.perf_counter() - started > _BEFORE_THE_REPLY_S:
                continue
            try:
                admitted = await self._handle(turns, place, readers)
            except ModelUnavailableError as error:
                self._emit(telemetry.NodeGaveUp.because(HOTPATH, error))
                usage += Usage(1, None, None)
                readers = _rules_instead(error)
                admitted = await self._handle(turns, place, readers)
            decisions += admitted.decisions
            usage += admitted.usage
        return decisions, usage

    async def read_with_model(
        self, turns: Sequence[Turn], places: Sequence[int]
    ) -> list[MemoryDecision]:
        """Let the model read turns that rules read in its place, with a generous time limit.

        A turn is sent once: if the model fails again, what the rules read stays, and the other
        turns wait for a later run.
        """
        decisions: list[MemoryDecision] = []
        for place in places:
            try:
                admitted = await self._handle(turns, place, self.readers(self.patience.episode_s))
            except ModelUnavailableError as error:
                self._emit(telemetry.NodeGaveUp.because(HOTPATH, error))
                settled = Admitted((skip("read_by_rules"),))
                await self._commit(turns[place], settled, self._moment(turns, place))
                break
            decisions += admitted.decisions
        if self.is_over:
            report(None, HOTPATH, decisions)
        return decisions

    def _emit(self, event: telemetry.Event) -> None:
        telemetry.record(None if self.is_over else self.runtime, event)

    async def _handle(self, turns: Sequence[Turn], place: int, by: _Readers) -> Admitted:
        """Keep the facts of the turn at `place`.

        Raises:
            ModelUnavailableError: If a model is to read it, and does not answer.
        """
        turn, policy = turns[place], self.context.policies.admission
        heard = turns[max(place - policy.window + 1, 0) : place + 1]
        moment = self._moment(turns, place)
        extracted = Extracted(skipped=(skip("disabled"),))
        if policy.enabled:
            texts = [each.text for each in heard]
            extracted = await by.extractor.extract(texts, moment.at, self.context.zone)
        if extracted.has_episode is not None:
            self.has_episode[turn.message_id] = extracted.has_episode
        if extracted.episode:
            self.told[turn.message_id] = extracted.episode
        said = Utterance(
            at=moment.at,
            source=turn.source,
            extractor=extracted.extractor,
            is_late=moment.is_late,
            before=tuple(each.message_id for each in reversed(heard[:-1])),
            judged=extracted.judged,
        )
        async with facts_lock(self.memory.scope) if extracted.candidates else nullcontext():
            admitted = await admit(self.memory, extracted.candidates, said, policy, by.judge)
            outdated = await self._outdated(turn, extracted)
            admitted = replace(
                admitted,
                decisions=(
                    *by.why,
                    *_cut_note(turn),
                    *extracted.skipped,
                    *admitted.decisions,
                    *(
                        decision_for("retract", "read_again", before=f, after=None)
                        for f in outdated
                    ),
                ),
                puts=[*admitted.puts, *self.memory.facts.deletions(f.id for f in outdated)],
                usage=extracted.usage + admitted.usage,
            )
            await self._commit(turn, admitted, moment)
        return admitted

    async def _outdated(self, turn: Turn, extracted: Extracted) -> list[Fact]:
        """Return facts in own words that rules kept of a turn, and that the model has read now."""
        if not is_pending(self.receipt(turn)) or extracted.extractor == RULES:
            return []
        return [
            fact
            for fact in await self.memory.facts.current()
            if fact.own_words
            and fact.source.message_ids == (turn.message_id,)
            and is_told(fact.statement, extracted.candidates)
        ]

    def _moment(self, turns: Sequence[Turn], place: int) -> "_Moment":
        """Return when a turn was said, in the order of its thread whatever the clocks say."""
        known = [self.receipts.get(turn.receipt_of(HOTPATH)) for turn in turns]
        before = [entry.at for entry in known[:place] if entry]
        after = [entry.at for entry in known[place + 1 :] if entry and is_settled(entry)]
        now = clock.utc_now()
        if place == len(turns) - 1:
            return _Moment(max([now, *(at + _STEP for at in before)]), is_late=False)
        noted = missed_by(self.state, self.party).get(turns[place].message_id)
        at = min(datetime.fromisoformat(noted["at"]), now) if noted else now
        at = min([at, *(each - _STEP / 2 for each in after)])
        step = _TICK if after else _STEP
        return _Moment(max([at, *(each + step for each in before)]), is_late=True)

    async def _commit(self, turn: Turn, admitted: Admitted, moment: "_Moment") -> None:
        """Write the changes and the turn's receipt: all or nothing.

        Raises:
            ForgottenMeanwhileError: If everything was forgotten since the turn began.
        """
        self.memory.scope.marks.began = self.erasure.mark
        this = turn_id(self.id, turn.message_id)
        self.handled = (*(each for each in self.handled if each != this), this)
        decisions = (*await self._earlier_decisions(turn), *admitted.decisions)
        entry = await self.memory.apply(
            HOTPATH,
            decisions,
            [*admitted.puts, *self.memory.threads.put(self.id, self.handled)],
            at=moment.at if moment.is_late else max([moment.at, *_updated_at(admitted.decisions)]),
            receipts=[turn.receipt(HOTPATH)],
        )
        self.receipts[entry.id] = entry

    async def _earlier_decisions(self, turn: Turn) -> list[MemoryDecision]:
        """Return what rules decided about a turn that a model reads now; it stays in the ledger."""
        if not is_pending(self.receipt(turn)):
            return []
        decided = (await self.memory.ledger.get(turn.receipt_of(HOTPATH))).decisions
        return [each for each in decided if each.reason not in {PENDING, LATE}]


@dataclass(frozen=True)
class _Moment:
    """When a turn counts as said, and whether it is handled late."""

    at: datetime
    is_late: bool


def _updated_at(decisions: Sequence[MemoryDecision]) -> list[datetime]:
    """Return when the facts of a turn count as updated; clocks may differ."""
    after = [each.after for each in decisions if each.after and each.kind == "fact"]
    return [datetime.fromisoformat(str(each["updated_at"])) for each in after]


def _is_known(turn: Turn, receipts: Mapping[str, LedgerEntry]) -> bool:
    return turn.receipt_of(HOTPATH) in receipts


def _cut_note(turn: Turn) -> tuple[MemoryDecision, ...]:
    """Return a note if a message was too long to be read in full."""
    return (skip("message_cut", turn.left_out),) if turn.left_out else ()
