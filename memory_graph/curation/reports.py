"""The last turns, each with what memory kept, refused and recalled in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_graph.curation.lookup import find_by_id
from memory_graph.records import (
    Considered,
    LedgerEntry,
    MemoryDecision,
    RecallTrace,
    Source,
    TurnRecord,
)
from memory_graph.store.scope import KINDS, Memory, UserMemory

_Place = tuple[str | None, str]
_Recalled = Memory | TurnRecord
_Changes = dict[str, list[tuple[datetime, MemoryDecision]]]


@dataclass(frozen=True, kw_only=True)
class TurnReport:
    """One turn, and what memory did in it."""

    at: datetime
    source: Source
    said: TurnRecord | None
    """The user's words, as long as they are kept."""

    replied: TurnRecord | None
    entries: tuple[LedgerEntry, ...]
    """The receipts of its nodes, as `undo` names them."""

    recall: RecallTrace | None
    """What was recalled before the reply, and what was left out."""

    memories: Mapping[str, _Recalled]
    """What was recalled, as it was then; without what is forgotten."""

    @property
    def decisions(self) -> tuple[MemoryDecision, ...]:
        """Everything that was decided in it."""
        return tuple(decision for entry in self.entries for decision in entry.decisions)

    @property
    def recalled(self) -> list[Considered]:
        """What the reply was given."""
        return _recalled(self.recall)


async def report_turns(memory: UserMemory, limit: int, offset: int) -> list[TurnReport]:
    """Return turns that the ledger knows of, newest first."""
    ledger = list(reversed(await memory.ledger.recent()))
    by_place: dict[_Place, list[LedgerEntry]] = {}
    for entry in ledger:
        for message_id in entry.source.message_ids[-1:]:
            by_place.setdefault((entry.source.thread_id, message_id), []).append(entry)
    latest = sorted(by_place.items(), key=lambda pair: pair[1][0].at, reverse=True)
    chosen = latest[offset : offset + limit]
    said = await memory.turns.all()
    words = _by_place(said)
    shown = {each.memory_id for _, entries in chosen for each in _recalled(_trace(entries))}
    now: dict[str, _Recalled] = {each.id: each for each in said if each.id in shown}
    now |= await find_by_id(memory, list(shown - now.keys()))
    changes = _changes(ledger, shown)
    return [
        _report(entries, words.get(place, ()), _as_they_were(entries, now, changes))
        for place, entries in chosen
    ]


def _by_place(said: Iterable[TurnRecord]) -> dict[_Place, list[TurnRecord]]:
    words: dict[_Place, list[TurnRecord]] = {}
    for turn in said:
        for message_id in turn.source.message_ids[-1:]:
            words.setdefault((turn.source.thread_id, message_id), []).append(turn)
    return words


def _changes(ledger: Iterable[LedgerEntry], memory_ids: set[str]) -> _Changes:
    """Return what changed each of the memories, oldest first."""
    found: _Changes = {}
    for entry in ledger:
        for each in entry.decisions:
            if each.memory_id in memory_ids and each.before != each.after:
                found.setdefault(each.memory_id, []).append((entry.at, each))
    return found


def _as_they_were(
    entries: Sequence[LedgerEntry], now: Mapping[str, _Recalled], changes: _Changes
) -> dict[str, _Recalled]:
    """Return what a turn recalled as it was after its own message was read."""
    shown = (each.memory_id for each in _recalled(_trace(entries)))
    return {
        each: as_it_was(now[each], changes.get(each, ()), entries[0].at)
        for each in shown
        if each in now
    }


def as_it_was(
    record: _Recalled, changes: Sequence[tuple[datetime, MemoryDecision]], at: datetime
) -> _Recalled:
    """Return a memory as it was known at a moment, as far as its changes tell."""
    before = [decision.after for moment, decision in changes if moment <= at]
    after = [decision.before for moment, decision in changes if moment > at]
    held = before[-1] if before else after[0] if after else None
    return KINDS[changes[0][1].kind].model_validate(held) if held else record


def _recalled(recall: RecallTrace | None) -> list[Considered]:
    return [each for each in recall.considered if each.fate == "shown"] if recall else []


def _trace(entries: Iterable[LedgerEntry]) -> RecallTrace | None:
    return next((entry.recall for entry in entries if entry.recall), None)


def _report(
    entries: Sequence[LedgerEntry], words: Sequence[TurnRecord], memories: Mapping[str, _Recalled]
) -> TurnReport:
    return TurnReport(
        at=entries[0].at,
        source=entries[0].source,
        said=next((turn for turn in words if turn.role == "user"), None),
        replied=next((turn for turn in words if turn.role == "assistant"), None),
        entries=tuple(entries),
        recall=_trace(entries),
        memories=memories,
    )
