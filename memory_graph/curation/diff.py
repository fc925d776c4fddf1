"""What changed in a memory between two moments, by the decisions that changed it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from memory_graph.records import LedgerEntry, MemoryKind
from memory_graph.store.scope import UserMemory

Sign = Literal["+", "~", "-"]
Stored = Mapping[str, JsonValue]
_WORDS: Mapping[MemoryKind, str] = {
    "fact": "statement",
    "episode": "summary",
    "pattern": "action",
    "instruction": "wish",
    "turn": "text",
}
_ENDS: Mapping[MemoryKind, str] = {"fact": "valid_to", "instruction": "ended_at"}


@dataclass(frozen=True)
class Difference:
    """One memory as it was before and as it is after."""

    kind: MemoryKind
    memory_id: str
    before: Stored | None
    after: Stored | None

    @property
    def sign(self) -> Sign:
        """`+` for what is new, `-` for what is over, `~` for what changed."""
        if self.after is None or self._is_over(self.after):
            return "-"
        return "+" if self.before is None or self._is_over(self.before) else "~"

    def _is_over(self, record: Stored) -> bool:
        return bool(record.get(_ENDS.get(self.kind, "")))

    @property
    def line(self) -> str:
        """Return the change on one line: `~ fact: Luna is 3. → Luna is 4.`."""
        name = _WORDS[self.kind]
        before, after = (str((each or {}).get(name) or "") for each in (self.before, self.after))
        said = f"{before} → {after}" if self.sign == "~" and before != after else after or before
        return f"{self.sign} {self.kind}: {said}"


@dataclass(frozen=True)
class Diff:
    """What changed, and whether older decisions that may have changed more are gone."""

    changes: tuple[Difference, ...]
    is_partial: bool = False

    @property
    def lines(self) -> list[str]:
        """Return the changes, a line each."""
        return [each.line for each in self.changes]


async def diff(
    memory: UserMemory,
    since: datetime,
    until: datetime | None = None,
    *,
    thread_id: str | None = None,
) -> Diff:
    """Return what changed after `since`, up to `until`; of one thread only, where one is named."""
    entries = sorted(await memory.ledger.recent(), key=lambda each: each.at)
    chosen = [
        each
        for each in entries
        if since < each.at
        and (until is None or each.at <= until)
        and thread_id in {None, each.source.thread_id}
    ]
    is_full = len(entries) >= memory.ledger.max_entries
    return Diff(fold(chosen), is_full and bool(entries) and entries[0].at > since)


def fold(entries: Iterable[LedgerEntry]) -> tuple[Difference, ...]:
    """Return one difference for each memory that is not in the end as it was."""
    found: dict[str, Difference] = {}
    for decision in (each for entry in entries for each in entry.decisions):
        memory_id = decision.memory_id
        if memory_id is None or decision.action in {"skip", "verify"}:
            continue
        before = found[memory_id].before if memory_id in found else decision.before
        found[memory_id] = Difference(decision.kind, memory_id, before, decision.after)
    return tuple(
        each for each in found.values() if _said(each, each.before) != _said(each, each.after)
    )


def _said(change: Difference, record: Stored | None) -> tuple[object, ...]:
    """Return what a reader sees of a record: its words, and whether it is over."""
    if record is None:
        return ()
    return record.get(_WORDS[change.kind]), bool(record.get(_ENDS.get(change.kind, "")))
