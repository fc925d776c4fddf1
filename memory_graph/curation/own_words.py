"""Move facts that older versions kept in the user's own words to what was said: quotations."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memory_graph.curation.lookup import deletions_of
from memory_graph.facts.reading import RULES
from memory_graph.facts.timeline import is_over, versions_of
from memory_graph.keys import turn_record_id
from memory_graph.records import Fact, FactVersion, LedgerEntry, Source, TurnRecord
from memory_graph.store.changes import decision_for
from memory_graph.store.locks import facts_lock
from memory_graph.store.scope import UserMemory

BY = "migrate-own-words"


class OwnWords(NamedTuple):
    """A fact in the user's own words, and the quotations that lack a record of their own."""

    fact: Fact
    turns: tuple[TurnRecord, ...]


async def find_own_words(memory: UserMemory, now: datetime) -> list[OwnWords]:
    """Look through everything a user has; changes nothing.

    What the user asked to remember is a fact and stays one, and so does what is pinned.
    """
    said = {
        message_id
        for turn in await memory.turns.all()
        if turn.role == "user" and turn.text
        for message_id in turn.source.message_ids
    }
    facts = [
        fact
        for fact in await memory.facts.all()
        if fact.own_words and not fact.pinned and fact.extractor != RULES
    ]
    facts.sort(key=lambda fact: (fact.created_at, fact.id))
    return [OwnWords(fact, tuple(_quotations(fact, said, now))) for fact in facts]


def _quotations(fact: Fact, said: set[str], now: datetime) -> list[TurnRecord]:
    """Return a record for each thing said of a fact whose message has none."""
    versions = versions_of(fact)
    found: list[TurnRecord] = []
    for place, version in enumerate(versions):
        if said.isdisjoint(version.source.message_ids):
            is_last = place == len(versions) - 1
            found.append(_quotation(fact, version, is_past=not is_last or is_over(fact, now)))
    return found


def _quotation(fact: Fact, version: FactVersion, *, is_past: bool) -> TurnRecord:
    at = version.said_at or version.valid_from
    named = Source(thread_id=version.source.thread_id, message_ids=(f"{fact.id}-{at.isoformat()}",))
    source = version.source if version.source.message_ids else named
    return TurnRecord(
        id=turn_record_id(source, "user"),
        text=version.statement,
        speaker="user",
        session=source.thread_id or "",
        position=int(at.timestamp() * 1000),
        said_at=at,
        source=source,
        outdated_at=version.valid_to or fact.updated_at if is_past else None,
    )


async def move_own_words(
    memory: UserMemory, found: Sequence[OwnWords], now: datetime
) -> LedgerEntry:
    """Write what was said, and take the facts out: one entry, which can be undone."""
    async with facts_lock(memory.scope):
        turns = {turn.id: turn for each in found for turn in each.turns}
        puts = await memory.turns.puts([*turns.values()], now) if turns else []
        for each in found:
            puts += deletions_of(memory, each.fact)
        decisions = [
            decision_for("evict", "own_words", before=each.fact, after=None) for each in found
        ]
        return await memory.apply(BY, decisions, puts, at=now)
