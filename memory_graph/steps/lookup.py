"""Which memory or ledger entry does somebody mean by an id, or by the beginning of one?"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from memory_graph.errors import MemoryGraphError, RecordNotFoundError
from memory_graph.policy.pattern_names import resolve_name
from memory_graph.policy.timeline import never_held
from memory_graph.records import Episode, Fact, LedgerEntry, Pattern
from memory_graph.steps.by_hand import Memory, find_by_id
from memory_graph.storage.scope import UserMemory

R = TypeVar("R")
_SHORT = 8


class AmbiguousIdError(MemoryGraphError):
    """Several ids begin with what was given."""

    def __init__(self, given: str, matches: Iterable[str]) -> None:
        super().__init__(f"{given!r} could be any of: {', '.join(sorted(matches))}.")


async def find_memory(memory: UserMemory, given: str) -> Memory:
    """Return the fact, episode or pattern whose id is, or begins with, `given`.

    Raises:
        RecordNotFoundError: If there is none.
        AmbiguousIdError: If there are several.
    """
    exact = {**await memory.archive.find([given]), **await find_by_id(memory, [given])}
    if given in exact:
        return exact[given]
    everything: list[Memory] = [
        *(each for each in await memory.archive.all() if not never_held(each)),
        *await memory.facts.all(),
        *await memory.episodes.all(),
        *await memory.patterns.all(),
    ]
    return _only(given, {each.id: each for each in everything}, "memory")


async def find_fact(memory: UserMemory, given: str) -> Fact:
    """Return the fact whose id is, or begins with, `given`.

    Raises:
        RecordNotFoundError: If there is none.
        AmbiguousIdError: If there are several.
    """
    return _only(given, {fact.id: fact for fact in await memory.facts.all()}, "fact")


async def find_episode(memory: UserMemory, given: str) -> Episode:
    """Return the episode whose id is, or begins with, `given`.

    Raises:
        RecordNotFoundError: If there is none.
        AmbiguousIdError: If there are several.
    """
    return _only(given, {each.id: each for each in await memory.episodes.all()}, "episode")


async def find_pattern(memory: UserMemory, given: str) -> Pattern:
    """Return the pattern whose name is `given`, or has it as a part.

    Raises:
        RecordNotFoundError: If there is none.
        AmbiguousIdError: If there are several.
    """
    known = {each.name: each for each in await memory.patterns.all()}
    resolution = resolve_name(given, known)
    if resolution.name is not None:
        return known[resolution.name]
    if resolution.choices:
        raise AmbiguousIdError(given, resolution.choices)
    raise RecordNotFoundError("pattern", given)


async def find_entry(memory: UserMemory, given: str) -> LedgerEntry:
    """Return the ledger entry with the id `given`, or with that short name.

    Raises:
        RecordNotFoundError: If there is none.
        AmbiguousIdError: If there are several.
    """
    entries = {entry.id: entry for entry in await memory.ledger.recent()}
    named = {each: entry for each, entry in entries.items() if short_name(each) == given}
    return next(iter(named.values())) if len(named) == 1 else _only(given, entries, "ledger entry")


async def entries_about(memory: UserMemory, given: str) -> tuple[str, list[LedgerEntry]]:
    """Return the full id of a memory and the entries about it; it may be gone by now.

    Raises:
        RecordNotFoundError: If there is neither such a memory nor a decision about it.
    """
    entries = await memory.ledger.about(given)
    if entries:
        return given, entries
    found = await find_memory(memory, given)
    return found.id, await memory.ledger.about(found.id)


def short_name(entry_id: str) -> str:
    """Return an entry's id as people can type it: `3fa9c2d1-memory_hotpath`."""
    digest, _, node = entry_id.partition("-")
    return f"{digest[:_SHORT]}-{node}"


def _only(given: str, known: Mapping[str, R], kind: str) -> R:
    if given in known:
        return known[given]
    matches = [each for each in known if each.startswith(given)]
    if not matches or not given:
        raise RecordNotFoundError(kind, given)
    if len(matches) > 1:
        raise AmbiguousIdError(given, matches)
    return known[matches[0]]
