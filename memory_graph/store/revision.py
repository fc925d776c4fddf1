"""Which writes to a user's memory a process has seen, and when all of it was erased.

Every process counts its writes to a user's memory under an id of its own, and lists the keys of
the last ones. No two processes change the same item, so that neither a lock across processes nor
an order of clocks is needed. Who holds an index compares the counts with those it has applied.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from langgraph.store.base import PutOp

from memory_graph.store.backends.protocol import Guard, mark_in
from memory_graph.store.gateway import Gateway

REVISIONS = "revisions"
"""Last part of the namespace that holds the counts; it is read in every step, and stays small."""

CHANGES = "changes"
"""Last part of the namespace that lists the keys of each write."""

_EPOCH, _ERASED, _WRITER = "epoch", "emptied", "writer:"

_LISTED = 24
"""Writes of one process that stay listed; who missed more reads everything again."""

_MOST_KEYS = 200
"""A write that changes more is not worth listing."""

_MOST_WRITERS = 16
"""Processes come and go; with more of them the counts start anew."""

_OPAQUE = "turns"
"""The kind whose keys are hashes; other keys say what a memory is about."""


class Version(NamedTuple):
    """What every write of any process to a user's memory changes."""

    epoch: str = ""
    counts: Mapping[str, int] = {}
    """By writer, how often it wrote in this epoch."""


@dataclass(frozen=True)
class Erasure:
    """The last time a user's memory was erased, if ever.

    A write that began under another mark is older than what was forgotten. Marks are compared
    rather than times, since no two clocks agree; times only where nothing else is known.
    """

    mark: str = ""
    at: datetime | None = None


class Revision(NamedTuple):
    """What a user's memory looked like from afar at one moment."""

    version: Version
    erasure: Erasure


async def read_revision(gateway: Gateway, root: tuple[str, ...]) -> Revision:
    """Return what a user's memory looks like from afar now."""
    items = {item.key: item.value for item in await gateway.few((*root, REVISIONS))}
    counts = {key: int(items[key].get("count", 0)) for key in items if key.startswith(_WRITER)}
    version = Version(str(items.get(_EPOCH, {}).get("token", "")), counts)
    if (erased := items.get(_ERASED)) is None:
        return Revision(version, Erasure())
    return Revision(version, Erasure(mark_in(erased), datetime.fromisoformat(str(erased["at"]))))


def erasure_put(root: tuple[str, ...], now: datetime) -> PutOp:
    """Return the write that keeps the time at which a user's memory was erased."""
    value = {"at": now.isoformat(), "mark": uuid4().hex}
    return PutOp((*root, REVISIONS), _ERASED, value, index=False)


def erasure_guard(root: tuple[str, ...], mark: str) -> Guard:
    """Return what a write that began under a mark depends on."""
    return Guard((*root, REVISIONS), _ERASED, mark)


async def new_epoch(gateway: Gateway, root: tuple[str, ...]) -> list[PutOp]:
    """Return the writes after which no write is listed, and everybody reads anew."""
    counts, changes = (*root, REVISIONS), (*root, CHANGES)
    found = await gateway.scan_all((counts, changes), gateway.scan_timeout_s)
    gone = [item for items in found for item in items if item.key not in {_EPOCH, _ERASED}]
    return [
        PutOp(counts, _EPOCH, {"token": uuid4().hex}, index=False),
        *(PutOp(item.namespace, item.key, None) for item in gone),
    ]


def needs_new_epoch(puts: Sequence[PutOp], version: Version | None) -> bool:
    """Say whether a write is too large to be listed, or deletes what must leave no trace.

    Old turns that make room for new ones may be listed: nobody asked to forget them.
    """
    written = {put.namespace[-1] for put in puts if put.value is not None}
    gone = {put.namespace[-1] for put in puts if put.value is None}
    is_crowded = version is not None and len(version.counts) > _MOST_WRITERS
    return bool(gone - (written & {_OPAQUE})) or len(puts) > _MOST_KEYS or is_crowded


async def changed_since(
    gateway: Gateway, namespace: tuple[str, ...], old: Version, new: Version
) -> set[str] | None:
    """Return the keys that were written between two versions, or nothing if too much was."""
    missed = {each: new.counts.get(each, 0) - old.counts.get(each, 0) for each in new.counts}
    if old.epoch != new.epoch or old.counts.keys() - missed.keys():
        return None
    if not all(0 <= gap <= _LISTED for gap in missed.values()):
        return None
    wanted = [
        f"{writer}:{new.counts[writer] - behind}"
        for writer, gap in missed.items()
        for behind in range(gap)
    ]
    changes = await gateway.get((*namespace[:-1], CHANGES), wanted)
    if len(changes) < len(wanted):
        return None
    return {str(key) for change in changes for key in change.value.get(namespace[-1], ())}


@dataclass
class Writer:
    """One process as a writer of one user's memory."""

    id: str = field(default_factory=lambda: f"{_WRITER}{uuid4().hex[:16]}")
    count: int = 0

    def announce(self, puts: Sequence[PutOp]) -> list[PutOp]:
        """Count a write, and return the writes that name what it changes."""
        self.count += 1
        root = puts[0].namespace[:-1]
        keys: dict[str, list[str]] = {}
        for put in puts:
            keys.setdefault(put.namespace[-1], []).append(put.key)
        changes = (*root, CHANGES)
        past = self.count - _LISTED
        return [
            PutOp(changes, f"{self.id}:{self.count}", keys, index=False),
            *([PutOp(changes, f"{self.id}:{past}", None)] if past > 0 else ()),
            PutOp((*root, REVISIONS), self.id, {"count": self.count}, index=False),
        ]


@dataclass
class Marks:
    """A user's revision as one step of a turn found it, and the records the step has read.

    A step looks once, whichever kinds it searches, and again after it has written or has waited
    for a lock. Whoever lives longer than a step keeps nothing, and looks every time.
    """

    keeps: bool = False
    sizes: dict[str, int] = field(default_factory=dict)
    """How many items kinds have that are not indexed here."""

    began: str | None = None
    """The mark of the last erasure when the turn began, if what it writes depends on that."""

    last: Revision | None = None
    _records: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def forget(self) -> None:
        """Look again the next time."""
        self.last = None
        self._records.clear()

    def records(self, namespace: tuple[str, ...]) -> dict[str, Any]:
        """Return the records of a namespace that this step has read, by id."""
        return self._records.setdefault(namespace, {}) if self.keeps else {}

    async def revision(self, gateway: Gateway, root: tuple[str, ...]) -> Revision:
        """Return the revision of a user's memory; those who ask together look once."""
        if not self.keeps:
            return await read_revision(gateway, root)
        async with self._looking:
            self.last = self.last or await read_revision(gateway, root)
            return self.last
