"""Report the last turns: what memory kept, refused and recalled in each."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_graph import records
from memory_graph.curation.lookup import find_by_id
from memory_graph.store.scope import KINDS, Memory, UserMemory

_Place = tuple[str | None, str]
_Recalled = Memory | records.TurnRecord


@dataclass(frozen=True, kw_only=True)
class TurnReport:
    """One turn, and what memory did in it."""

    at: datetime
    source: records.Source
    said: records.TurnRecord | None  # the user's words, as long as they are kept
    replied: records.TurnRecord | None
    entries: tuple[records.LedgerEntry, ...]  # the receipts of its nodes, as `undo` names them
    recall: records.RecallTrace | None  # what was recalled before the reply, and what was left out
    memories: Mapping[str, _Recalled]
    """What was recalled, as it was then; without what is forgotten."""

    @property
    def decisions(self) -> tuple[records.MemoryDecision, ...]:
        """Everything that was decided in it."""
        return tuple(decision for entry in self.entries for decision in entry.decisions)

    @property
    def recalled(self) -> list[records.Considered]:
        """What the reply was given."""
        return _recalled(self.entries)


async def report_turns(memory: UserMemory, limit: int, offset: int) -> list[TurnReport]:
    """Return turns that the ledger knows of, newest first."""
    ledger = list(reversed(await memory.ledger.recent()))
    by_place: dict[_Place, list[records.LedgerEntry]] = defaultdict(list)
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


def _recalled(entries: Iterable[records.LedgerEntry]) -> list[records.Considered]:
    recall = _trace(entries)
    return [each for each in recall.considered if each.fate == "shown"] if recall else []


def _trace(entries: Iterable[records.LedgerEntry]) -> records.RecallTrace | None:
    return next((entry.recall for entry in entries if entry.recall), None)


_Changes = Mapping[str, Sequence[tuple[datetime, records.MemoryDecision]]]


def _changes(ledger: Iterable[records.LedgerEntry], memory_ids: set[str]) -> _Changes:
    """Return what changed each of the memories, oldest first."""
    found: dict[str, list[tuple[datetime, records.MemoryDecision]]] = {}
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
