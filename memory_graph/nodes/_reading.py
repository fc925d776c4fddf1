"""Read the turns that wait, oldest first, and keep what they state with their records."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langgraph.runtime import Runtime

from memory_graph import telemetry
from memory_graph.context import Context
from memory_graph.errors import ModelUnavailableError, OverBudgetError
from memory_graph.facts.keeping import Admitted, keep
from memory_graph.facts.reading import Message, ReadResult, read, skip
from memory_graph.language.words import language_of
from memory_graph.llm.models import ModelLike, models_for, patience_with
from memory_graph.nodes._visit import Visit
from memory_graph.records import Handling, MemoryDecision, Said, TurnRecord, Usage
from memory_graph.store.locks import facts_lock
from memory_graph.turns.inbox import Backlog, backlog
from memory_graph.turns.keeping import begun
from memory_graph.turns.messages import Turn

HOTPATH = "memory_hotpath"

WaitReason = Literal["model_unavailable", "model_late", "over_budget"]
PENDING: WaitReason = "model_unavailable"
LATE: WaitReason = "model_late"
OVER_BUDGET: WaitReason = "over_budget"
"""Why a turn waits: no model answered for it, or not in time, or none may be asked today."""

_BY_MODEL, _BY_RULES = 3, 30
"""Turns that wait and are read in one run, besides its own message."""

_STEP = timedelta(milliseconds=1)
"""Between the times of two turns, whatever the clocks say."""


@dataclass(frozen=True)
class Read:
    """What became of the turns that were read in a run."""

    decisions: tuple[MemoryDecision, ...] = ()
    usage: Usage = field(default_factory=Usage)
    records: dict[str, TurnRecord] = field(default_factory=dict)
    """Of the turns that were read, by message id."""

    def __add__(self, other: "Read") -> "Read":
        return Read(
            self.decisions + other.decisions,
            self.usage + other.usage,
            {**self.records, **other.records},
        )


async def read_backlog(
    visit: Visit, model: ModelLike | None, runtime: Runtime[Context] | None
) -> Read:
    """Read what waits, oldest first, then the message of this run; the rest waits for the next.

    Where the model does not answer, nothing else is asked in this run, and this run's message
    waits, too.
    """
    reader = models_for(visit.context, model).extraction
    due = backlog(visit.turns, visit.records, visit.bound, visit.new, visit.erasure.at)
    earlier = [each for each in due.turns if each != visit.last]
    chosen = earlier[: _BY_MODEL if reader else _BY_RULES]
    chosen += [each for each in due.turns if each == visit.last]
    done, failure = Read(), None
    for turn in chosen:
        if failure is None:
            try:
                done += await _read_one(visit, turn, due, done, reader)
                continue
            except ModelUnavailableError as error:
                failure = error
                telemetry.record(runtime, telemetry.NodeGaveUp.because(HOTPATH, error))
        if turn.message_id not in visit.records:
            done += await _leave_open(visit, turn, due, done, failure)
    return done


async def _read_one(
    visit: Visit, turn: Turn, due: Backlog, before: Read, reader: BaseChatModel | None
) -> Read:
    """Read a turn, and commit what it states together with its record."""
    policy = visit.context.policies.admission
    at, is_late = _said_at(visit, turn, due, before)
    message = Message(
        text=turn.text,
        message_id=turn.message_id,
        at=at,
        zone=visit.context.zone,
        language=language_of(turn.text),
        before=_before(visit, turn),
        is_late=is_late,
    )
    result = ReadResult(by="", skipped=(skip("disabled"),))
    if policy.enabled:
        timeout_s = patience_with(reader).extraction_s
        result = await read(message, visit.memory, reader, timeout_s, visit.context)
    async with facts_lock(visit.memory.scope) if policy.enabled else nullcontext():
        kept = Admitted()
        if policy.enabled:
            kept = await keep(visit.memory, result, message, turn.source, policy)
        decisions = (*_cut_note(turn), *result.skipped, *kept.decisions)
        updated = [d.after["updated_at"] for d in kept.decisions if d.after and d.kind == "fact"]
        at = at if is_late else max([at, *(datetime.fromisoformat(str(u)) for u in updated)])
        handling = Handling(by=result.by, at=visit.now)
        record = _record(visit, turn, handling, at, before).model_copy(
            update={"has_episode": result.has_episode}
        )
        await _commit(visit, turn, decisions, [*kept.puts], record)
    return Read(decisions, result.usage, {turn.message_id: record})


async def _leave_open(
    visit: Visit, turn: Turn, due: Backlog, before: Read, failure: ModelUnavailableError | None
) -> Read:
    """Keep the record of a turn that waits for a model."""
    reason = LATE if failure and failure.is_late else PENDING
    reason = OVER_BUDGET if isinstance(failure, OverBudgetError) else reason
    at, _ = _said_at(visit, turn, due, before)
    record = _record(visit, turn, Handling(state="open", reason=reason), at, before)
    decision = skip(reason)
    await _commit(visit, turn, (decision,), [], record)
    return Read((decision,), Usage(1, None, None), {turn.message_id: record})


async def _commit(
    visit: Visit,
    turn: Turn,
    decisions: Sequence[MemoryDecision],
    puts: list,  # type: ignore[type-arg]
    record: TurnRecord,
) -> None:
    """Write facts, record and receipt of a turn: all or nothing.

    Raises:
        ForgottenMeanwhileError: If everything was forgotten since the turn began.
    """
    memory = visit.memory
    memory.scope.marks.began = visit.erasure.mark
    puts += await memory.turns.puts([record], visit.now)
    receipts = [turn.receipt(HOTPATH)]
    await memory.apply(HOTPATH, decisions, puts, at=record.said_at, receipts=receipts)


def _record(visit: Visit, turn: Turn, read: Handling, at: datetime, before: Read) -> TurnRecord:
    """Return the record of a turn, in its place among those of its thread."""
    known = visit.records.get(turn.message_id)
    if known:
        position = known.position
    else:
        position = int(at.timestamp() * 1000)
        if turn == visit.last:
            others = [each.position for each in visit.listed.values()]
            others += [each.position for each in before.records.values()]
            position = max([position, *(each + 2 for each in others)])
    policy = visit.context.policies.verbatim
    return begun(turn, read, policy, at=at, position=position)


def _said_at(visit: Visit, turn: Turn, due: Backlog, done: Read) -> tuple[datetime, bool]:
    """Return when a turn counts as said, in the order of its thread, and whether it is late."""
    place = visit.turns.index(turn)
    known = {**visit.records, **done.records}
    before = [
        known[each.message_id].said_at for each in visit.turns[:place] if each.message_id in known
    ]
    after = [
        known[each.message_id].said_at
        for each in visit.turns[place + 1 :]
        if each.message_id in known and known[each.message_id].read.state == "done"
    ]
    if turn == visit.last:
        return max([visit.now, *(at + _STEP for at in before)]), False
    at = min([due.said_at[turn.message_id], visit.now, *(each - _STEP / 2 for each in after)])
    step = _STEP / 1000 if after else _STEP
    return max([at, *(each + step for each in before)]), True


def _before(visit: Visit, turn: Turn) -> tuple[Said, ...]:
    """Return the user's turns before this one, with their replies."""
    place = visit.turns.index(turn)
    window = visit.context.policies.admission.window - 1
    near = visit.turns[max(place - window, 0) : place]
    return tuple(each for turn in near for each in turn.said)


def _cut_note(turn: Turn) -> tuple[MemoryDecision, ...]:
    """Return a note if a message was too long to be read in full."""
    return (skip("message_cut", turn.left_out),) if turn.left_out else ()
