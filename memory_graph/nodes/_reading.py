"""Read the turns that wait, oldest first, and keep what they state with their records."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from langchain_core.language_models import BaseChatModel

from memory_graph.errors import ModelUnavailableError, OverBudgetError
from memory_graph.facts.keeping import Admitted, keep
from memory_graph.facts.reading import Message, ReadResult, read, skip
from memory_graph.language.words import language_of
from memory_graph.nodes._visit import Visit
from memory_graph.records import Handling, MemoryDecision, Said, TurnRecord, Usage
from memory_graph.shape import shape_of
from memory_graph.store.locks import facts_lock
from memory_graph.turns.inbox import backlog
from memory_graph.turns.keeping import begun
from memory_graph.turns.messages import Turn

HOTPATH = "memory_hotpath"

WaitReason = Literal["model_unavailable", "over_budget"]
PENDING: WaitReason = "model_unavailable"
OVER_BUDGET: WaitReason = "over_budget"
"""Why a turn waits: no model answered for it in time, or none may be asked today."""

_BY_MODEL, _BY_RULES = 3, 30
"""Turns that wait and are read in one run, besides its own message."""

_STEP = timedelta(milliseconds=1)
"""Between the times of two turns, whatever the clocks say."""


@dataclass(frozen=True)
class Read:
    """What became of the turns that were read in a run."""

    decisions: tuple[MemoryDecision, ...] = ()
    usage: Usage = field(default_factory=Usage)
    failure: Exception | None = None
    """Why the rest waits for a later run."""

    def __add__(self, other: "Read") -> "Read":
        failure = self.failure or other.failure
        return Read(self.decisions + other.decisions, self.usage + other.usage, failure)


@dataclass(frozen=True)
class Work:
    """What is to be read in a run."""

    visit: Visit
    turns: tuple[Turn, ...]
    """Oldest first; a message of this run comes last."""

    records: Mapping[str, TurnRecord]
    """The records of this user's turns, by message id: those to be read are open in them."""

    stored: Mapping[str, TurnRecord]
    """Those of them that the store held when the work was made out."""


def work_for(visit: Visit, *, has_model: bool) -> Work:
    """Return what is to be read in a run: what waits, oldest first, then its own message.

    The rest waits for the next run.
    """
    due = backlog(visit.turns, visit.records, visit.bound, visit.new, visit.erasure.at)
    earlier = [each for each in due.turns if each != visit.last]
    own = [each for each in due.turns if each == visit.last]
    records = dict(visit.records)
    for turn in due.turns:
        records[turn.message_id] = _opened(visit, turn, due.said_at[turn.message_id], records)
    chosen = (*earlier[: _BY_MODEL if has_model else _BY_RULES], *own)
    return Work(visit, chosen, records, visit.records)


async def put_down(work: Work) -> Work:
    """Keep the open records of the turns, so that nothing is lost if they are never read."""
    memory, new = work.visit.memory, {**work.records}
    changed = [each for key, each in new.items() if each != work.stored.get(key)]
    if changed:
        memory.scope.marks.began = work.visit.erasure.mark
        await memory.commit(await memory.turns.puts(changed, work.visit.now))
    return replace(work, stored=new)


async def read_turns(work: Work, reader: BaseChatModel | None, timeout_s: float) -> Read:
    """Read the turns, each in a commit of its own with its record.

    Where the model does not answer, nothing else is asked, and the rest stays open.
    """
    done = Read()
    for turn in work.turns:
        if done.failure is None:
            try:
                done += await _read_one(work, turn, reader, timeout_s)
                continue
            except ModelUnavailableError as error:
                done += Read(usage=Usage(1, None, None), failure=error)
        if turn.message_id not in work.stored or turn == work.visit.last:
            done += await _leave_open(work, turn, done.failure)
    return done


async def _read_one(work: Work, turn: Turn, reader: BaseChatModel | None, timeout_s: float) -> Read:
    visit, record = work.visit, work.records[turn.message_id]
    if await _as_stored(work, turn) is None:
        return Read()
    message = Message(
        text=turn.text,
        message_id=turn.message_id,
        at=record.said_at,
        zone=visit.context.zone,
        language=language_of(turn.text),
        before=_before(visit, turn),
        shape=shape_of(visit.context),
        is_late=turn != visit.last,
    )
    result = ReadResult(by="", skipped=(skip("disabled"),))
    if visit.context.policies.admission.enabled:
        result = await read(message, visit.memory, reader, timeout_s, visit.context)
    keeps = visit.context.policies.admission.enabled
    async with facts_lock(visit.memory.scope) if keeps else nullcontext():
        current = await _as_stored(work, turn)
        if current is None:
            return Read(usage=result.usage)
        return await _keep(work, turn, current, message, result)


async def _keep(
    work: Work, turn: Turn, record: TurnRecord, message: Message, result: ReadResult
) -> Read:
    """Commit what a turn states together with its record."""
    visit, policy, kept = work.visit, work.visit.context.policies.admission, Admitted()
    if policy.enabled:
        kept = await keep(visit.memory, result, message, turn.source, policy)
    cut = [skip("message_cut", turn.left_out)] if turn.left_out else []
    decisions = (*cut, *result.skipped, *kept.decisions)
    updated = [d.after["updated_at"] for d in kept.decisions if d.after and d.kind == "fact"]
    later = [] if message.is_late else [datetime.fromisoformat(str(each)) for each in updated]
    changes = {
        "read": Handling(by=result.by, at=visit.now),
        "has_episode": result.has_episode,
        "said_at": max([record.said_at, *later]),
    }
    await _commit(visit, turn, Read(decisions), record.model_copy(update=changes), kept.puts)
    return Read(decisions, result.usage)


async def _as_stored(work: Work, turn: Turn) -> TurnRecord | None:
    """Return the record of a turn as it is now; nothing if it is not to be read any more.

    Another run has read it meanwhile, the thread went back behind it, or it was forgotten.
    """
    record, was = work.records[turn.message_id], work.stored.get(turn.message_id)
    if was is None:
        return record
    found = await work.visit.memory.turns.find([turn.record_id])
    now = found.get(turn.record_id)
    if now is None or now == was:
        return record if now else None
    is_same = now.digest == turn.digest
    if (now.withdrawn and not was.withdrawn) or (is_same and now.read.state == "done"):
        return None
    return now if is_same and not now.withdrawn else record


async def _leave_open(work: Work, turn: Turn, failure: Exception | None) -> Read:
    """Keep the record of a turn that waits for a model."""
    current = await _as_stored(work, turn)
    if current is None:
        return Read()
    reason = OVER_BUDGET if isinstance(failure, OverBudgetError) else PENDING
    waits = current.model_copy(update={"read": Handling(state="open", reason=reason)})
    done = Read((skip(reason),))
    await _commit(work.visit, turn, done, waits, [])
    return done


async def _commit(
    visit: Visit,
    turn: Turn,
    done: Read,
    record: TurnRecord,
    puts: Sequence,  # type: ignore[type-arg]
) -> None:
    """Write facts, record and receipt of a turn: all or nothing.

    Raises:
        ForgottenMeanwhileError: If everything was forgotten since the turn began.
    """
    memory = visit.memory
    memory.scope.marks.began = visit.erasure.mark
    puts = [*puts, *await memory.turns.puts([record], visit.now)]
    receipts = [turn.receipt(HOTPATH)]
    await memory.apply(HOTPATH, done.decisions, puts, at=record.said_at, receipts=receipts)


def _opened(
    visit: Visit, turn: Turn, said_at: datetime, records: Mapping[str, TurnRecord]
) -> TurnRecord:
    """Return the record of a turn that is to be read, in its place among those of its thread."""
    known = records.get(turn.message_id)
    if known and not known.withdrawn and known.digest == turn.digest:
        return known
    at, position = _place_of(visit, turn, said_at, records)
    position = known.position if known else position
    waits = Handling(state="open")
    return begun(turn, waits, visit.context.policies.verbatim, at=at, position=position)


def _place_of(
    visit: Visit, turn: Turn, said_at: datetime, records: Mapping[str, TurnRecord]
) -> tuple[datetime, int]:
    """Return when a turn counts as said, in the order of its thread, and its position."""
    place = visit.turns.index(turn)
    known = [records.get(each.message_id) for each in visit.turns]
    before = [each.said_at for each in known[:place] if each]
    after = [each.said_at for each in known[place + 1 :] if each and each.read.state == "done"]
    if turn == visit.last:
        at = max([visit.now, *(each + _STEP for each in before)])
        taken = [each.position for each in visit.listed.values()]
        taken += [each.position for each in records.values()]
        return at, max([int(at.timestamp() * 1000), *(each + 2 for each in taken)])
    at = min([said_at, visit.now, *(each - _STEP / 2 for each in after)])
    step = _STEP / 1000 if after else _STEP
    at = max([at, *(each + step for each in before)])
    return at, int(at.timestamp() * 1000)


def _before(visit: Visit, turn: Turn) -> tuple[Said, ...]:
    """Return the user's turns before this one, with their replies."""
    place = visit.turns.index(turn)
    window = visit.context.policies.admission.window - 1
    near = visit.turns[max(place - window, 0) : place]
    return tuple(each for turn in near for each in turn.said)
