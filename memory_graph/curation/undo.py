"""Undo one decision of the ledger, or everything that came from one source."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_graph.curation.lookup import find_by_id, writes_of
from memory_graph.errors import MemoryGraphError
from memory_graph.facts import timeline
from memory_graph.keys import turn_record_id
from memory_graph.records import Action, Episode, Fact, LedgerEntry, MemoryDecision
from memory_graph.store.changes import KINDS, Memory, decision_for
from memory_graph.store.locks import facts_lock, user_lock_across_processes
from memory_graph.store.scope import UserMemory
from memory_graph.turns.store import ASSISTANT, ROLLED_BACK, USER, withdrawn

ROLLBACK = "rollback"


class CannotUndoError(MemoryGraphError):
    """There is nothing to undo, or a newer change must be undone first."""


@dataclass(frozen=True)
class Undone:
    """One memory, before and after a decision about it was undone."""

    was: Memory | None
    restored: Memory | None  # empty where the decision had created the memory

    def decided(self, reason: str) -> MemoryDecision:
        """Return the decision for the ledger."""
        action: Action = "update" if self.restored else "evict"
        return decision_for(action, reason, before=self.was, after=self.restored)


async def undo(
    memory: UserMemory, entry: LedgerEntry, number: int | None, now: datetime
) -> list[Undone]:
    """Restore exactly what decision `number` of an entry replaced, or all of them.

    The undoing is itself a ledger entry, which can be undone.
    """
    if number is not None and not 1 <= number <= len(entry.decisions):
        raise CannotUndoError(f"That entry holds decisions 1 to {len(entry.decisions)}.")
    chosen = entry.decisions if number is None else entry.decisions[number - 1 : number]
    changes = [_sides(each) for each in chosen if each.before != each.after]
    if not changes:
        raise CannotUndoError("That decision changed nothing, so there is nothing to undo.")
    known = await find_by_id(
        memory, [touched.id for each in changes for touched in each if touched]
    )
    undone = []
    for before, after in changes:
        touched = after or before
        assert touched is not None
        if known.get(touched.id) != after:
            raise CannotUndoError(
                f"{touched.id} has changed since; undo the later change first "
                f"(`memory-graph why {touched.id}` lists them)."
            )
        undone.append(Undone(after, before))
    puts = [p for each in undone for p in await writes_of(memory, each.was, each.restored, now)]
    await memory.apply("undo", [each.decided("undone") for each in undone], puts, at=now)
    return undone


def _sides(decision: MemoryDecision) -> tuple[Memory | None, Memory | None]:
    """Return the memory that a decision changed, as it was and as it became."""
    kind = KINDS[decision.kind]
    before = kind.model_validate(decision.before) if decision.before else None
    return before, kind.model_validate(decision.after) if decision.after else None


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where memories came from; every field that is given must match."""

    thread_id: str | None = None
    run_id: str | None = None
    message_id: str | None = None
    by: str | None = None
    """A tool, a node or a command: whatever `why` names as the author of an entry."""

    def fits(self, entry: LedgerEntry) -> bool:
        """Say whether a ledger entry is of this origin; undos and rollbacks never are."""
        return (
            entry.node not in {ROLLBACK, "undo", "forget"}
            and self.thread_id in {None, entry.source.thread_id}
            and self.run_id in {None, entry.source.run_id}
            and (self.message_id is None or self.message_id in entry.source.message_ids)
            and self.by in {None, entry.node}
        )


@dataclass(frozen=True)
class RolledBack:
    """What a rollback takes back, and what it cannot."""

    entries: int = 0
    undone: tuple[Undone, ...] = ()
    words: int = 0  # messages whose verbatim words are deleted
    left: tuple[str, ...] = ()
    """Memories that also come from elsewhere, or changed since: they stay as they are."""

    decisions: tuple[MemoryDecision, ...] = ()


async def roll_back(
    memory: UserMemory, origin: Origin, now: datetime, *, dry_run: bool = False
) -> RolledBack:
    """Take back what came from an origin: statements leave facts, other changes are undone.

    The rollback is a ledger entry, which can
    be undone.
    """
    if origin == Origin():
        raise CannotUndoError("Say what to take back: a thread, a run, a message or a tool.")
    entries = [entry for entry in await memory.ledger.recent() if origin.fits(entry)]
    return await withdraw(memory, entries, now, dry_run=dry_run)


@dataclass(frozen=True)
class Gone:
    """Turns of which nothing is to hold, by the ids of their records, and why."""

    records: Sequence[str] = ()
    reason: str = ROLLED_BACK


async def withdraw(
    memory: UserMemory,
    entries: Sequence[LedgerEntry],
    now: datetime,
    *,
    gone: Gone | None = None,
    dry_run: bool = False,
) -> RolledBack:
    """Take back what some ledger entries did, whatever was stated since.

    The records of their turns, and of those that are `gone`, stay without their words, so that a
    replay brings nothing back.
    """
    gone = gone or Gone()
    if not entries and not gone.records:
        return RolledBack()
    async with user_lock_across_processes(memory.scope), facts_lock(memory.scope):
        undone, left = await _plan(memory, entries)
        ids = [
            turn_record_id(entry.source, role)
            for entry in entries
            if entry.source.message_ids
            for role in (USER, ASSISTANT)
        ]
        words = await memory.turns.find([*ids, *gone.records])
        decisions = tuple(each.decided("rolled_back") for each in undone)
        if not dry_run and (decisions or words):
            replies = [each.id for each in words.values() if each.role == ASSISTANT]
            own = [withdrawn(each, gone.reason) for each in words.values() if each.role == USER]
            puts = [*memory.turns.deletions(replies), *await memory.turns.puts(own, now)]
            for each in undone:
                puts += await writes_of(memory, each.was, each.restored, now)
            await memory.apply(ROLLBACK, decisions, puts, at=now)
    said = sum(bool(each.text) for each in words.values())
    return RolledBack(len(entries), tuple(undone), said, tuple(sorted(left)), decisions)


async def _plan(
    memory: UserMemory, entries: Sequence[LedgerEntry]
) -> tuple[list[Undone], list[str]]:
    """Return what becomes of each memory that the entries touched, and which have to stay."""
    touched: dict[str, list[MemoryDecision]] = {}
    for entry in sorted(entries, key=lambda each: each.at, reverse=True):
        for each in entry.decisions:
            if each.memory_id and each.before != each.after and each.kind in KINDS:
                seen = touched.setdefault(each.memory_id, [])
                seen += [each] if each not in seen else []
    taken = {message for entry in entries for message in entry.source.message_ids}
    current = await find_by_id(memory, list(touched))
    undone, left = [], []
    for memory_id, decisions in touched.items():
        becomes = was = current.get(memory_id)
        if all(each.kind == "fact" for each in decisions):
            becomes = _fact_without(was, decisions)
        elif _is_ours_alone(was, decisions, taken):
            becomes, _ = _sides(decisions[-1])
        else:
            left.append(memory_id)
        if becomes != was:
            undone.append(Undone(was, becomes))
    return undone, left


def _fact_without(was: Memory | None, decisions: Sequence[MemoryDecision]) -> Memory | None:
    """Return a fact without what the decisions stated; an archived one comes back."""
    gone: list[timeline.Statement] = []
    evicted: Fact | None = None
    for each in decisions:
        before = Fact.model_validate(each.before) if each.before else None
        if each.after is None:
            evicted = before
        else:
            gone += timeline.added(before, Fact.model_validate(each.after))
    fact = was if isinstance(was, Fact) else evicted
    return timeline.without(fact, gone) if fact else None


def _is_ours_alone(
    was: Memory | None, decisions: Sequence[MemoryDecision], taken: set[str]
) -> bool:
    """Say whether an episode or pattern comes from these decisions (newest first) alone.

    All messages that went into an episode must be among those that are taken back.
    """
    becomes = was
    for each in decisions:
        before, after = _sides(each)
        if becomes != after:
            return False
        known = set(before.source.message_ids) if before else set()
        if isinstance(after, Episode) and not set(after.source.message_ids) - known <= taken:
            return False
        becomes = before
    return True
