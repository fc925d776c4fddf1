"""What memory keeps beside the memories: decisions and counts of recall."""

import asyncio
import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import orjson
from langgraph.store.base import Item, PutOp

from memory_graph.errors import RecordNotFoundError
from memory_graph.recent import Recent
from memory_graph.records import AccessCount, LedgerEntry
from memory_graph.store.gateway import Gateway
from memory_graph.store.values import to_jsonable, warn_once

_TRIM_EVERY = 200
"""Turns between two looks at all entries for those past the bound: such a look reads them."""


@dataclass(frozen=True)
class Ledger:
    """One user's decisions. An entry is also the receipt that a node handled a turn.

    Every turn reads receipts, so they are short. Their details are kept apart: the records as they
    were and as they became, and what was recalled.
    """

    gateway: Gateway
    namespace: tuple[str, ...]
    max_entries: int

    @property
    def _details(self) -> tuple[str, ...]:
        return (*self.namespace[:-1], f"{self.namespace[-1]}-details")

    async def keep(self, entry: LedgerEntry) -> list[PutOp]:
        """Return the writes that keep an entry, and drop the oldest now and then."""
        return [*self.puts(entry), *await self._surplus(entry.id)]

    async def get(self, entry_id: str) -> LedgerEntry:
        """Return one entry.

        Raises:
            RecordNotFoundError: If this user has no such entry.
        """
        found = await self.find([entry_id])
        if entry_id not in found:
            raise RecordNotFoundError("ledger entry", entry_id)
        return found[entry_id]

    async def find(
        self, entry_ids: Iterable[str], *, details: bool = True
    ) -> dict[str, LedgerEntry]:
        """Return those of the entries that exist, by id, with their details or without."""
        wanted = list(entry_ids)
        if not details:
            return {e.id: e for e in _entries(await self.gateway.get(self.namespace, wanted))}
        apart = [each for entry_id in wanted for each in _apart(entry_id)]
        found = await asyncio.gather(
            self.gateway.get(self.namespace, wanted), self.gateway.get(self._details, apart)
        )
        return {entry.id: entry for entry in _entries(*found)}

    async def recent(self, *, node: str | None = None, details: bool = True) -> list[LedgerEntry]:
        """Return the entries, newest first, with their details or without."""
        namespaces = (self.namespace, self._details) if details else (self.namespace,)
        found = await self.gateway.scan_all(namespaces, self.gateway.scan_timeout_s)
        entries = (entry for entry in _entries(*found) if node in {None, entry.node})
        return sorted(entries, key=lambda entry: (entry.at, entry.id), reverse=True)

    async def about(self, memory_id: str) -> list[LedgerEntry]:
        """Return the entries that touched a memory, oldest first."""
        entries = reversed(await self.recent())
        return [e for e in entries if any(d.memory_id == memory_id for d in e.decisions)]

    def puts(self, entry: LedgerEntry) -> list[PutOp]:
        """Return the writes that save an entry, new or rewritten.

        What was recalled stays where a rewritten entry does not speak of it.
        """
        changes = {
            str(number): {"before": each.before, "after": each.after}
            for number, each in enumerate(entry.decisions)
            if each.before or each.after
        }
        changes_id, recall_id = _apart(entry.id)
        kept = _packed(changes) if changes else None
        puts = [self.brief(entry), PutOp(self._details, changes_id, kept, index=False)]
        if entry.recall:
            told = entry.recall.model_dump(mode="json", exclude_defaults=True)
            puts.append(PutOp(self._details, recall_id, _packed(told), index=False))
        return puts

    def brief(self, entry: LedgerEntry) -> PutOp:
        """Return the write that saves an entry without its details."""
        brief = entry.model_dump(
            mode="json", exclude={"recall": True, "decisions": {"__all__": {"before", "after"}}}
        )
        return PutOp(self.namespace, entry.id, _storable(brief), index=False)

    async def unreadable(self) -> list[PutOp]:
        """Return deletions of what nobody can read, and so cannot be cleaned of a memory."""
        places = (self.namespace, self._details)
        brief, details = await self.gateway.scan_all(places, self.gateway.scan_timeout_s)
        gone = [item for item in brief if _entry(item, {}) is None]
        gone += [item for item in details if _details_in(item) is None]
        return [PutOp(item.namespace, item.key, None) for item in gone]

    def deletions(self, entry_ids: Iterable[str]) -> list[PutOp]:
        """Return the writes that delete entries."""
        gone = list(entry_ids)
        apart = [each for entry_id in gone for each in _apart(entry_id)]
        return [
            *(PutOp(self.namespace, each, None) for each in gone),
            *(PutOp(self._details, each, None) for each in apart),
        ]

    async def _surplus(self, newest_id: str) -> list[PutOp]:
        """Return deletions of the entries past the bound; looks only now and then.

        None is read as a record: a thousand at once would hold up everybody else.
        """
        if int(newest_id[:8], 16) % _TRIM_EVERY:
            return []
        items = await self.gateway.scan(self.namespace)
        newest = sorted(
            items, key=lambda item: (str(item.value.get("at", "")), item.key), reverse=True
        )
        return self.deletions(item.key for item in newest[self.max_entries :])


def _apart(entry_id: str) -> tuple[str, str]:
    """Return where the details of an entry are kept: what it changed, and what was recalled."""
    return f"{entry_id}/changes", f"{entry_id}/recall"


def _entries(items: Iterable[Item], details: Iterable[Item] = ()) -> Iterator[LedgerEntry]:
    """Yield entries, each with those of its details that were read.

    What cannot be read costs itself and a warning.
    """
    known = {item.key: each for item in details if (each := _details_in(item)) is not None}
    for item in items:
        entry = _entry(item, known)
        if entry is None:
            warn_once("Skipping an unreadable ledger entry; forgetting something deletes it.")
        else:
            yield entry


def _entry(item: Item, known: Mapping[str, Mapping[str, Any]]) -> LedgerEntry | None:
    changes, recall = (known.get(each) for each in _apart(item.key))
    try:
        if not changes and not recall:
            return _brief_entry(item)
        decisions = [
            {**each, **(changes or {}).get(str(number), {})}
            for number, each in enumerate(item.value.get("decisions", ()))
        ]
        value = {**item.value, "decisions": decisions, "recall": recall}
        return LedgerEntry.model_validate(value)
    except (ValueError, TypeError):
        return None


def _details_in(item: Item) -> Mapping[str, Any] | None:
    try:
        found = _unpacked(item.value)
    except (ValueError, TypeError, KeyError, zlib.error):
        return None
    return found if isinstance(found, Mapping) else None


_briefs: Recent[tuple[object, str], tuple[dict[str, Any], LedgerEntry]] = Recent(2000)
"""Receipts as they were read last: every turn reads those of the ten turns before it again."""


def _brief_entry(item: Item) -> LedgerEntry:
    """Return an entry without details; one that did not change since is validated once."""
    where = (item.namespace, item.key)
    known = _briefs.get(where)
    if known is None or known[0] != item.value:
        known = _briefs.put(where, (item.value, LedgerEntry.model_validate(item.value)))
    return known[1]


_LONG = 4_000
"""Bytes from which on details are compressed: those of a merge hold a long episode twice."""


def _packed(details: Mapping[str, object]) -> dict[str, Any]:
    """Return details as one text: nobody filters on them, and few ever read them."""
    told = orjson.dumps(to_jsonable(details))
    if len(told) < _LONG:
        return {"json": told.decode()}
    return {"zlib": b64encode(zlib.compress(told, level=1)).decode()}


def _unpacked(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return details as they were; older ones were not packed."""
    told = zlib.decompress(b64decode(value["zlib"])) if "zlib" in value else value.get("json")
    packed: Mapping[str, Any] = orjson.loads(told) if told else value
    return packed


def _storable(value: Mapping[str, object]) -> dict[str, Any]:
    stored = to_jsonable(value)
    assert isinstance(stored, dict)
    return stored


Counted: TypeAlias = tuple[str, Mapping[str, Any]]
"""A day, and by record how often it was recalled on that day and when last."""


@dataclass(frozen=True)
class AccessCounts:
    """How often and when one user's records were recalled, one item a day.

    Approximate: of two processes that count at the same moment, one is not counted.
    """

    gateway: Gateway
    namespace: tuple[str, ...]

    async def counted(self, now: datetime) -> Counted:
        """Return a day and what was counted on it."""
        day = now.date().isoformat()
        found = await self.gateway.get(self.namespace, [day])
        return day, found[0].value if found else {}

    async def touch(
        self, record_ids: Sequence[str], now: datetime, counted: Counted | None = None
    ) -> list[PutOp]:
        """Return the write that counts one more access of each record.

        `counted` is what the day holds, if it was just read.
        """
        if not record_ids:
            return []
        if counted is None or counted[0] != now.date().isoformat():
            counted = await self.counted(now)
        day, counts = counted
        more = {each: [counts.get(each, (0,))[0] + 1, now.isoformat()] for each in record_ids}
        return [PutOp(self.namespace, day, {**counts, **more}, index=False)]

    async def find(self, record_ids: Collection[str]) -> dict[str, AccessCount]:
        """Return how often and when last records were recalled, of those that were."""
        found: dict[str, AccessCount] = {}
        days = await self.gateway.scan(self.namespace)
        for day in sorted(days, key=lambda item: item.key):
            for each in day.value.keys() & {*record_ids}:
                try:
                    more, last = day.value[each]
                    before = found[each].count if each in found else 0
                    found[each] = AccessCount(
                        record_id=each, count=before + more, last_accessed_at=last
                    )
                except (ValueError, TypeError):
                    warn_once("Skipping an unreadable count of recalls.")
        return found

    async def forget(self, record_id: str) -> list[PutOp]:
        """Return the writes after which nothing tells that a record was recalled."""
        return [
            PutOp(
                self.namespace,
                day.key,
                {each: counted for each, counted in day.value.items() if each != record_id},
                index=False,
            )
            for day in await self.gateway.scan(self.namespace)
            if record_id in day.value
        ]
