"""Export and import memories as JSON Lines."""

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import ValidationError

from memory_graph.curation.lookup import find_by_id, puts_of
from memory_graph.facts.timeline import is_pending_retraction, joined
from memory_graph.records import Action, Fact, Pattern, Record, SecretKind, TurnRecord
from memory_graph.safety.own_voice import is_instruction, is_takeover
from memory_graph.safety.secrets import holds_secret, stated, without_secrets
from memory_graph.settings import get_settings
from memory_graph.store.changes import KINDS, Memory, decision_for
from memory_graph.store.scope import UserMemory

Moved = Memory | TurnRecord  # what is exported and imported
_KINDS: dict[str, type[Moved]] = {
    **{str(kind): record for kind, record in KINDS.items()},
    "antipattern": Pattern,
    "turn": TurnRecord,
}
"""What a line's `kind` may be; a pattern says itself whether it is one to avoid."""

_BATCH = 100

Fate = Literal["created", "updated", "unchanged", "outdated"]
"""What became of an imported record; `outdated`: something newer is known."""


@dataclass(frozen=True)
class BadLine:
    """A line that is not a memory."""

    number: int
    reason: str


@dataclass
class Imported:
    """What became of the lines of an import."""

    fates: dict[Fate, int] = field(default_factory=dict)
    bad: list[BadLine] = field(default_factory=list)


async def export_lines(memory: UserMemory) -> list[str]:
    """Return every fact, episode, pattern and turn as a line of JSON, without vectors.

    Retractions that wait for their fact come last, as facts that never held.
    """
    waiting = [each for each in await memory.archive.all() if is_pending_retraction(each)]
    moved = [*await everything(memory), *sorted(waiting, key=lambda fact: fact.id)]
    return [json.dumps(as_json(each), ensure_ascii=False) for each in moved]


async def everything(memory: UserMemory) -> list[Moved]:
    """Return every fact, episode, pattern and turn, in this order; archived facts too."""
    archived = [each for each in await memory.archive.all() if not is_pending_retraction(each)]
    facts = sorted([*await memory.facts.all(), *archived], key=lambda fact: fact.id)
    episodes = sorted(await memory.episodes.all(), key=lambda each: (each.started_at, each.id))
    patterns = sorted(await memory.patterns.all(), key=lambda each: each.name)
    said = [turn for turn in await memory.turns.all() if turn.text]
    turns = sorted(said, key=lambda turn: (turn.said_at, turn.position, turn.id))
    return [*facts, *episodes, *patterns, *turns]


async def import_lines(memory: UserMemory, lines: Iterable[str], now: datetime) -> Imported:
    """Save the memories in `lines`; an invalid line is reported and skipped.

    Importing the same lines again changes nothing.
    """
    imported = Imported()
    records: dict[str, Moved] = {}
    sensitive = get_settings().admission.sensitive
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = read_line(line)
            if reason := refusal(record, sensitive):
                raise ValueError(reason)
            records[record.id] = without_secrets(record, sensitive)
        except ValueError as error:
            imported.bad.append(BadLine(number, str(error)))
    waiting = list(records.values())
    for start in range(0, len(waiting), _BATCH):
        await _save(memory, waiting[start : start + _BATCH], imported, now)
    return imported


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file; bytes that are not text spoil only their own line.

    Only line feeds end a line: JSON may hold every other separator as it is.
    """
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        content = content.decode("utf-16", "replace").encode()
    text = content.removeprefix(BOM_UTF8).decode("utf-8", "replace")
    return [line.removesuffix("\r") for line in text.split("\n")]


def read_line(line: str) -> Moved:
    """Return the memory in a line of JSON."""
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg} at column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"`kind` must be one of {', '.join(_KINDS)}")
    try:
        return _KINDS[kind].model_validate(value)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False)
        places = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
        raise ValueError("; ".join(places)) from error


async def _save(
    memory: UserMemory, records: Sequence[Moved], imported: Imported, now: datetime
) -> None:
    ids = [record.id for record in records]
    known: dict[str, Moved] = {**await find_by_id(memory, ids), **await memory.turns.find(ids)}
    decisions, puts = [], []
    for each in records:
        before = known.get(each.id)
        record, fate = _compared(each, before)
        imported.fates[fate] = imported.fates.get(fate, 0) + 1
        if fate not in {"created", "updated"}:
            continue
        puts += await puts_of(memory, record, now, before=before)
        if not isinstance(record, TurnRecord) and not isinstance(before, TurnRecord):
            action: Action = "update" if before else "create"
            decisions.append(decision_for(action, "imported", before=before, after=record))
    if puts:
        await memory.apply("import", decisions, puts, at=now)


def _compared(record: Moved, known: Moved | None) -> tuple[Moved, Fate]:
    """Return what to import, where one side may only know that a fact ended, and its fate."""
    is_waiting = isinstance(known, Fact) and is_pending_retraction(known)
    if isinstance(record, Fact) and isinstance(known, Fact):
        if is_pending_retraction(record):
            record = joined(known, record)
        elif is_waiting:
            record = joined(record, known)
    if known == record:
        return record, "unchanged"
    if known is None or is_waiting:
        return record, "created"
    return record, "outdated" if _changed_at(known) > _changed_at(record) else "updated"


def as_json(record: Moved) -> Mapping[str, object]:
    """Return a memory as exports, `--json` and the server show it."""
    kind = next(name for name, model in _KINDS.items() if isinstance(record, model))
    return {"kind": kind, **record.model_dump(mode="json")}


def _changed_at(record: Moved) -> datetime:
    return record.said_at if isinstance(record, TurnRecord) else record.updated_at


SECRET = "holds a secret, which is never kept"
ORDER = "gives an order or claims a right, which is no fact"


def refusal(record: Record, sensitive: Collection[SecretKind]) -> str | None:
    """Return why a fact or a pattern is refused, if it is."""
    if isinstance(record, Pattern):
        return ORDER if is_takeover(f"{record.trigger}\n{record.action}") else None
    if not isinstance(record, Fact):
        return None
    if holds_secret(stated(record), sensitive):
        return SECRET
    return ORDER if is_instruction(stated(record)) else None
