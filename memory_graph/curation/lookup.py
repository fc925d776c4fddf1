"""Find memories and ledger entries by id, and turns; save, pin and delete memories.

An id may be shortened to its first characters, at least `shortest`. No match raises
`RecordNotFoundError`, several raise `AmbiguousIdError`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from langgraph.store.base import PutOp

from memory_graph import records
from memory_graph.errors import MemoryGraphError, RecordNotFoundError
from memory_graph.facts.timeline import is_pending_retraction
from memory_graph.keys import logged_id
from memory_graph.records import (
    Episode,
    Fact,
    Instruction,
    LedgerEntry,
    MemoryDecision,
    Pattern,
    TurnRecord,
)
from memory_graph.store.changes import KINDS, Memory, decision_for
from memory_graph.store.scope import UserMemory

R = TypeVar("R")


class AmbiguousIdError(MemoryGraphError):
    """Several ids begin with what was given."""

    def __init__(self, given: str, matches: Iterable[str]) -> None:
        super().__init__(f"{given!r} could be any of: {', '.join(sorted(matches))}.")


SHORT_ID = 8  # shortest id that programs may give: a mistake must not match by chance


async def find_memory(memory: UserMemory, given: str, *, shortest: int = 1) -> Memory:
    """Return a fact, an episode, an instruction or a pattern."""
    exact = {**await memory.archive.find([given]), **await find_by_id(memory, [given])}
    if given in exact:
        return exact[given]
    everything: list[Memory] = [
        *(each for each in await memory.archive.all() if not is_pending_retraction(each)),
        *await memory.facts.all(),
        *await memory.episodes.all(),
        *await memory.instructions.all(),
        *await memory.patterns.all(),
    ]
    label = memory.scope.root[-1]
    logged = {logged_id(label, each.id): each for each in everything}
    known = {each.id: each for each in everything}
    return logged.get(given) or _only(given, known, "memory", shortest)


async def find_remembered(
    memory: UserMemory, given: str, *, shortest: int = 1
) -> Memory | TurnRecord:
    """Return a memory, or else a turn."""
    try:
        return await find_memory(memory, given, shortest=shortest)
    except RecordNotFoundError:
        turns = {turn.id: turn for turn in await memory.turns.all()}
        return _only(given, turns, "memory", shortest)


async def find_fact(memory: UserMemory, given: str, *, shortest: int = 1) -> Fact:
    """Return a fact."""
    if exact := await memory.facts.find([given]):
        return exact[given]
    return _only(given, {fact.id: fact for fact in await memory.facts.all()}, "fact", shortest)


async def find_episode(
    memory: UserMemory, given: str, *, project: str = "", shortest: int = 1
) -> Episode:
    """Return the episode that an id, the beginning of one, a session or a note's title means.

    `ep-3fa9c2d1`, `episode:ep-3fa9c2d1`, `2026-01-21-session-42`, `EPISODE-2026-01-21-session-42`
    and `episodes/episode-2026-01-21-session-42` are all understood.
    """
    bare = given.strip().removeprefix("episode:").strip()
    exact = await memory.episodes.find([bare])
    if bare in exact:
        return exact[bare]
    known = {each.id: each for each in await memory.episodes.all()}
    asked = _session(bare.rpartition("/")[2])
    sessions = [
        each
        for each in known.values()
        if each.metadata.session_id
        and _session(each.metadata.session_id) == asked
        and (not project or (each.project or "").casefold() == project.casefold())
    ]
    if len(sessions) == 1:
        return sessions[0]
    if sessions:
        raise AmbiguousIdError(given, [each.id for each in sessions])
    return _only(bare, known, "episode", shortest)


def _session(session_id: str) -> str:
    return session_id.strip().casefold().removeprefix("episode-")


async def find_entry(memory: UserMemory, given: str, *, shortest: int = 1) -> LedgerEntry:
    """Return a ledger entry, also by its short name."""
    entries = {entry.id: entry for entry in await memory.ledger.recent()}
    named = [entry for each, entry in entries.items() if short_name(each) == given]
    return named[0] if len(named) == 1 else _only(given, entries, "ledger entry", shortest)


async def entries_about(
    memory: UserMemory, given: str, *, shortest: int = 1
) -> tuple[str, list[LedgerEntry]]:
    """Return the full id of a memory and the entries about it; it may have been deleted."""
    if entries := await memory.ledger.about(given):
        return given, entries
    label = memory.scope.root[-1]
    known = {each.memory_id for entry in await memory.ledger.recent() for each in entry.decisions}
    logged = {logged_id(label, each): each for each in known if each}
    if given in logged:
        return logged[given], await memory.ledger.about(logged[given])
    try:
        full_id = (await find_memory(memory, given, shortest=shortest)).id
    except RecordNotFoundError:
        full_id = _only(given, {each: each for each in known if each}, "memory", shortest)
    return full_id, await memory.ledger.about(full_id)


def short_name(entry_id: str) -> str:
    """Return an entry's id as people can type it: `3fa9c2d1-memory_hotpath`."""
    digest, _, node = entry_id.partition("-")
    return f"{digest[:SHORT_ID]}-{node}"


def _only(given: str, known: Mapping[str, R], kind: str, shortest: int) -> R:
    if given in known:
        return known[given]
    matches = [each for each in known if each.startswith(given)]
    if not matches or len(given) < shortest:
        raise RecordNotFoundError(kind, given)
    if len(matches) > 1:
        raise AmbiguousIdError(given, matches)
    return known[matches[0]]


async def find_by_id(memory: UserMemory, record_ids: Sequence[str]) -> dict[str, Memory]:
    """Return the memories that exist, of any kind; archived facts do not count.

    A fact that never held is found where it waits.
    """
    archived = await memory.archive.find(record_ids)
    return {
        **{each.id: each for each in archived.values() if is_pending_retraction(each)},
        **await memory.facts.find(record_ids),
        **await memory.episodes.find(record_ids),
        **await memory.instructions.find(record_ids),
        **await memory.patterns.find(record_ids),
    }


async def puts_of(
    memory: UserMemory, record: Memory | TurnRecord, now: datetime, *, before: object = None
) -> list[PutOp]:
    """Return the writes that save a record of any kind, out of the archive if it is there.

    Observations of a pattern that were not known `before` stay.
    """
    if isinstance(record, Fact):
        home, elsewhere = memory.facts, memory.archive
        if is_pending_retraction(record):
            home, elsewhere = elsewhere, home
        return [*await home.puts([record], now), *elsewhere.deletions([record.id])]
    if isinstance(record, TurnRecord):
        return await memory.turns.puts([record], now)
    if isinstance(record, Episode):
        return await memory.episodes.puts([record], now)
    if isinstance(record, Instruction):
        return await memory.instructions.puts([record], now)
    known = before if isinstance(before, Pattern) else None
    return await memory.patterns.changes(known, record, now)


def deletions_of(memory: UserMemory, record: Memory) -> list[PutOp]:
    """Return the writes that delete a record of any kind, also from the archive."""
    if isinstance(record, Fact):
        return [*memory.facts.deletions([record.id]), *memory.archive.deletions([record.id])]
    if isinstance(record, Episode):
        return memory.episodes.deletions([record.id])
    if isinstance(record, Instruction):
        return memory.instructions.deletions([record.id])
    return memory.patterns.removals(record)


async def writes_of(
    memory: UserMemory, was: Memory | None, becomes: Memory | None, now: datetime
) -> list[PutOp]:
    """Return the writes by which a memory becomes what it is to be, or goes."""
    if becomes is not None:
        return await puts_of(memory, becomes, now, before=was)
    return deletions_of(memory, was) if was else []


async def pin(memory: UserMemory, record: Fact | Episode, *, pinned: bool, now: datetime) -> bool:
    """Pin or unpin a fact or an episode; return whether that changed anything."""
    if record.pinned == pinned:
        return False
    after = record.model_copy(update={"pinned": pinned})
    decision = decision_for(
        "update", "pinned" if pinned else "unpinned", before=record, after=after
    )
    await memory.apply("pin", [decision], await puts_of(memory, after, now), at=now)
    return True


# — turns —
_Place = tuple[str | None, str]
_Recalled = Memory | TurnRecord


@dataclass(frozen=True, kw_only=True)
class TurnReport:
    """One turn, and what memory did in it."""

    at: datetime
    source: records.Source
    said: TurnRecord | None  # the user's words, as long as they are kept
    replied: TurnRecord | None
    entries: tuple[LedgerEntry, ...]  # the receipts of its nodes, as `undo` names them
    recall: records.RecallTrace | None  # what was recalled before the reply, and what was left out
    memories: Mapping[str, _Recalled]
    """What was recalled, as it was then; without what is forgotten."""

    @property
    def decisions(self) -> tuple[MemoryDecision, ...]:
        """Everything that was decided in it."""
        return tuple(decision for entry in self.entries for decision in entry.decisions)

    @property
    def recalled(self) -> list[records.Considered]:
        """What the reply was given."""
        return _recalled(self.entries)


async def report_turns(memory: UserMemory, limit: int, offset: int) -> list[TurnReport]:
    """Return turns that the ledger knows of, newest first."""
    ledger = list(reversed(await memory.ledger.recent()))
    by_place: dict[_Place, list[LedgerEntry]] = defaultdict(list)
    for entry in ledger:
        for place in _place(entry.source):
            by_place[place].append(entry)
    turns = await memory.turns.all()
    words = {(place, turn.role): turn for turn in turns for place in _place(turn.source)}
    latest = sorted(by_place.items(), key=lambda pair: pair[1][0].at, reverse=True)
    chosen = latest[offset : offset + limit]
    shown = {each.memory_id for _, entries in chosen for each in _recalled(entries)}
    now: dict[str, _Recalled] = {each.id: each for each in turns if each.id in shown}
    now |= await find_by_id(memory, list(shown - now.keys()))
    changes = _changes(ledger, shown)
    return [
        TurnReport(
            at=entries[0].at,
            source=entries[0].source,
            said=words.get((place, "user")),
            replied=words.get((place, "assistant")),
            entries=tuple(entries),
            recall=_trace(entries),
            memories={
                each.memory_id: _as_it_was(now[each.memory_id], changes, entries[0].at)
                for each in _recalled(entries)
                if each.memory_id in now
            },
        )
        for place, entries in chosen
    ]


def _place(source: records.Source) -> list[_Place]:
    """Return which turn something came from: the last of its messages, if it has any."""
    return [(source.thread_id, message_id) for message_id in source.message_ids[-1:]]


def _recalled(entries: Iterable[LedgerEntry]) -> list[records.Considered]:
    recall = _trace(entries)
    return [each for each in recall.considered if each.fate == "shown"] if recall else []


def _trace(entries: Iterable[LedgerEntry]) -> records.RecallTrace | None:
    return next((entry.recall for entry in entries if entry.recall), None)


_Changes = Mapping[str, Sequence[tuple[datetime, MemoryDecision]]]


def _changes(ledger: Iterable[LedgerEntry], memory_ids: set[str]) -> _Changes:
    """Return what changed each of the memories, oldest first."""
    found: dict[str, list[tuple[datetime, MemoryDecision]]] = {}
    for entry in ledger:
        for each in entry.decisions:
            if each.memory_id in memory_ids and each.before != each.after:
                found.setdefault(each.memory_id, []).append((entry.at, each))
    return found


def _as_it_was(record: _Recalled, changes: _Changes, at: datetime) -> _Recalled:
    """Return a memory as it was known after a turn's message was read, as far as changes tell."""
    own = changes.get(record.id, ())
    before = [decision.after for moment, decision in own if moment <= at]
    after = [decision.before for moment, decision in own if moment > at]
    held = before[-1] if before else after[0] if after else None
    return KINDS[own[0][1].kind].model_validate(held) if held else record
