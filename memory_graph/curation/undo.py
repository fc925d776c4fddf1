"""Undo: take back a decision that the ledger holds, or all that came from one source."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.curation.lookup import deletions_of, find_by_id, puts_of
from memory_graph.errors import MemoryGraphError
from memory_graph.facts.timeline import Statement, added, without
from memory_graph.records import Action, Episode, Fact, LedgerEntry, MemoryDecision
from memory_graph.store.scope import (
    KINDS,
    Memory,
    UserMemory,
    decision_for,
    facts_lock,
    user_lock_across_processes,
)
from memory_graph.turns.keeping import record_id_of
from memory_graph.turns.store import ASSISTANT, USER


class CannotUndoError(MemoryGraphError):
    """There is nothing to take back, or something newer stands in the way."""


@dataclass(frozen=True)
class Undone:
    """One memory, before and after a decision about it was taken back."""

    was: Memory | None
    restored: Memory | None
    """Empty where the decision had created the memory."""

    @property
    def action(self) -> Action:
        """What taking it back does to the memory."""
        return "update" if self.restored else "evict"


async def undo(
    memory: UserMemory, entry: LedgerEntry, number: int | None, now: datetime
) -> list[Undone]:
    """Restore what decisions of an entry replaced, exactly: decision `number`, or all.

    The undoing is itself a ledger entry, which can be undone.

    Raises:
        CannotUndoError: If nothing was changed, or a memory has changed again since.
    """
    chosen = _chosen(entry, number)
    undone = [await _restoration(memory, decision) for decision in chosen]
    decisions = [
        decision_for(each.action, "undone", before=each.was, after=each.restored) for each in undone
    ]
    puts: list[PutOp] = []
    for each in undone:
        puts += await _puts(memory, each, now)
    await memory.apply("undo", decisions, puts, at=now)
    return undone


def _chosen(entry: LedgerEntry, number: int | None) -> list[MemoryDecision]:
    if number is not None and not 1 <= number <= len(entry.decisions):
        raise CannotUndoError(f"That entry holds decisions 1 to {len(entry.decisions)}.")
    chosen = entry.decisions if number is None else entry.decisions[number - 1 : number]
    changes = [each for each in chosen if each.before != each.after]
    if not changes:
        raise CannotUndoError("That decision changed nothing, so there is nothing to undo.")
    return changes


async def _restoration(memory: UserMemory, decision: MemoryDecision) -> Undone:
    """Compare the memory as it is with what the decision made of it."""
    before, after = _sides(decision)
    touched = after or before
    assert touched is not None
    current = (await find_by_id(memory, [touched.id])).get(touched.id)
    if current != after:
        raise CannotUndoError(
            f"{touched.id} has changed since; undo the later change first "
            f"(`memory-graph why {touched.id}` lists them)."
        )
    return Undone(current, before)


def _sides(decision: MemoryDecision) -> tuple[Memory | None, Memory | None]:
    """Return the memory that a decision changed, as it was and as it became."""
    kind = KINDS[decision.kind]
    before = kind.model_validate(decision.before) if decision.before else None
    return before, kind.model_validate(decision.after) if decision.after else None


async def _puts(memory: UserMemory, undone: Undone, now: datetime) -> list[PutOp]:
    if undone.restored is not None:
        return await puts_of(memory, undone.restored, now, before=undone.was)
    return deletions_of(memory, undone.was) if undone.was else []


ROLLBACK = "rollback"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where memories came from: all that is given must fit."""

    thread_id: str | None = None
    run_id: str | None = None
    by: str | None = None
    """A tool, a node or a command: whatever `why` names as the author of an entry."""

    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_anywhere(self) -> bool:
        """Whether nothing is given, so that everything would fit."""
        return self == Origin()

    def fits(self, entry: LedgerEntry) -> bool:
        """Say whether a ledger entry is of this origin. What people took back never is."""
        return (
            entry.node not in {ROLLBACK, "undo", "forget"}
            and self.thread_id in {None, entry.source.thread_id}
            and self.run_id in {None, entry.source.run_id}
            and self.by in {None, entry.node}
            and not (self.since and entry.at < self.since)
            and not (self.until and entry.at >= self.until)
        )


@dataclass(frozen=True)
class RolledBack:
    """What a rollback takes back, and what it cannot."""

    entries: int = 0
    undone: tuple[Undone, ...] = ()
    words: int = 0
    """Messages whose verbatim words are deleted."""

    left: tuple[str, ...] = ()
    """Memories that others have changed since, or have a part in: they stay as they are."""

    decisions: tuple[MemoryDecision, ...] = ()


async def roll_back(
    memory: UserMemory, origin: Origin, now: datetime, *, dry_run: bool = False
) -> RolledBack:
    """Take back what came of an origin: facts lose its statements, the rest what it changed.

    Receipts stay, so that a replay brings nothing back; the rollback is an entry of its own,
    which can be undone.

    Raises:
        CannotUndoError: If no origin is given.
    """
    if origin.is_anywhere:
        raise CannotUndoError("Say what to take back: a thread, a run, a tool or a time.")
    entries = [entry for entry in await memory.ledger.recent() if origin.fits(entry)]
    return await withdraw(memory, entries, now, dry_run=dry_run)


async def withdraw(
    memory: UserMemory, entries: Sequence[LedgerEntry], now: datetime, *, dry_run: bool = False
) -> RolledBack:
    """Take back what some ledger entries did, whatever was told since by others."""
    if not entries:
        return RolledBack()
    async with user_lock_across_processes(memory.scope), facts_lock(memory.scope):
        plan = await _Withdrawal(memory, sorted(entries, key=lambda e: e.at, reverse=True)).plan()
        words = await _words_of(memory, entries)
        decisions = tuple(
            decision_for(each.action, "rolled_back", before=each.was, after=each.restored)
            for each in plan.undone
        )
        if not dry_run and (decisions or words):
            puts = memory.turns.deletions(words)
            for each in plan.undone:
                puts += await _puts(memory, each, now)
            await memory.apply(ROLLBACK, decisions, puts, at=now)
    return RolledBack(
        len(entries), tuple(plan.undone), len(words), tuple(sorted(plan.left)), decisions
    )


async def _words_of(memory: UserMemory, entries: Iterable[LedgerEntry]) -> list[str]:
    """Return the ids of the verbatim turns that the messages of some entries are kept in."""
    ids = [
        record_id_of(entry.source, role)
        for entry in entries
        if entry.source.message_ids
        for role in (USER, ASSISTANT)
    ]
    return [*await memory.turns.find(ids)]


@dataclass
class _Withdrawal:
    """The memories that some entries touched, taken back one decision after the other."""

    memory: UserMemory
    entries: Sequence[LedgerEntry]
    """The newest first."""

    undone: list[Undone] = field(default_factory=list)
    left: set[str] = field(default_factory=set)

    async def plan(self) -> "_Withdrawal":
        """Find out what each memory becomes."""
        touched: dict[str, list[MemoryDecision]] = {}
        for entry in self.entries:
            for each in entry.decisions:
                if each.memory_id and each.before != each.after and each.kind in KINDS:
                    seen = touched.setdefault(each.memory_id, [])
                    seen += [each] if each not in seen else []
        current = await find_by_id(self.memory, list(touched))
        for memory_id, decisions in touched.items():
            was = current.get(memory_id)
            becomes = (
                self._fact(was, decisions) if _is_fact(decisions) else self._other(was, decisions)
            )
            if becomes != was:
                self.undone.append(Undone(was, becomes))
        return self

    def _fact(self, was: Memory | None, decisions: Sequence[MemoryDecision]) -> Memory | None:
        """Return a fact without what the decisions stated; one that made room comes back."""
        gone: list[Statement] = []
        evicted: Fact | None = None
        for each in decisions:
            before = Fact.model_validate(each.before) if each.before else None
            if each.after is None:
                evicted = before
            else:
                gone += added(before, Fact.model_validate(each.after))
        fact = was if isinstance(was, Fact) else evicted
        if fact is None:
            return None
        return without(fact, gone)

    def _other(self, was: Memory | None, decisions: Sequence[MemoryDecision]) -> Memory | None:
        """Return an episode or pattern as it was before, unless others have a part in it."""
        becomes = was
        for each in decisions:
            before, after = _sides(each)
            if becomes != after or not self._is_whole(before, after):
                self.left.add(str(each.memory_id))
                return was
            becomes = before
        return becomes

    def _is_whole(self, before: Memory | None, after: Memory | None) -> bool:
        """Say whether all messages that went into a change are among those taken back."""
        if not isinstance(after, Episode):
            return True
        known = set(before.source.message_ids) if before else set()
        taken = {each for entry in self.entries for each in entry.source.message_ids}
        return set(after.source.message_ids) - known <= taken


def _is_fact(decisions: Sequence[MemoryDecision]) -> bool:
    return all(each.kind == "fact" for each in decisions)
