"""The last turns, each with what memory kept, refused and recalled in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_graph.records import LedgerEntry, MemoryDecision, RecallTrace, Source, TurnRecord
from memory_graph.store.scope import UserMemory

_Place = tuple[str | None, str]


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

    @property
    def decisions(self) -> tuple[MemoryDecision, ...]:
        """Everything that was decided in it."""
        return tuple(decision for entry in self.entries for decision in entry.decisions)


async def report_turns(memory: UserMemory) -> list[TurnReport]:
    """Return the turns that the ledger knows of, newest first."""
    by_place: dict[_Place, list[LedgerEntry]] = {}
    for entry in reversed(await memory.ledger.recent()):
        for message_id in entry.source.message_ids[-1:]:
            by_place.setdefault((entry.source.thread_id, message_id), []).append(entry)
    words: dict[_Place, list[TurnRecord]] = {}
    for turn in await memory.turns.all():
        for message_id in turn.source.message_ids[-1:]:
            words.setdefault((turn.source.thread_id, message_id), []).append(turn)
    reports = [_report(entries, words.get(place, ())) for place, entries in by_place.items()]
    return sorted(reports, key=lambda report: report.at, reverse=True)


def _report(entries: Sequence[LedgerEntry], words: Sequence[TurnRecord]) -> TurnReport:
    return TurnReport(
        at=entries[0].at,
        source=entries[0].source,
        said=next((turn for turn in words if turn.role == "user"), None),
        replied=next((turn for turn in words if turn.role == "assistant"), None),
        entries=tuple(entries),
        recall=next((entry.recall for entry in entries if entry.recall), None),
    )
