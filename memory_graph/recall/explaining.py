"""Say why a memory is not recalled for a message, even if recall never looked at it."""

from dataclasses import replace
from datetime import datetime

from memory_graph.language.sentences import topic_of
from memory_graph.recall.block import Recollection, considered, kind_of
from memory_graph.recall.lines import AnyFound, Remembered
from memory_graph.recall.search import search_turns
from memory_graph.records import Considered, Episode, Fact, Pattern, RecallFate, TurnRecord
from memory_graph.store.scope import UserMemory

_FURTHER = 30  # memories of each kind that are looked at to say what came next
_EVERY = 10_000


async def explained(memory: UserMemory, told: Recollection, now: datetime) -> Recollection:
    """Return a recollection that also says what came next, of each kind, and why it did not."""
    found = await _search(memory, told, now, _FURTHER)
    unseen = [each for each in found if each.record.id not in told.records]
    unseen.sort(key=lambda each: -each.relevance)
    further = [considered(_fate(each.record, told), None, each) for each in unseen]
    return replace(
        told,
        considered=(*told.considered, *further),
        records={**told.records, **{each.record.id: each.record for each in unseen}},
    )


async def fate_of(
    memory: UserMemory, record: Remembered | Pattern, told: Recollection, now: datetime
) -> Considered:
    """Return what became of one memory when a message was recalled for, and why."""
    known = next((each for each in told.considered if each.memory_id == record.id), None)
    if known is not None:
        return known
    if isinstance(record, Pattern):
        return Considered(memory_id=record.id, kind="pattern", fate="not_searched")
    if isinstance(record, Fact) and record.id not in await memory.facts.find([record.id]):
        return Considered(memory_id=record.id, kind="fact", fate="archived")
    found = await _search(memory, told, now, _EVERY, only=type(record))
    for place, each in enumerate(found, start=1):
        if each.record.id == record.id:
            fate = considered(_fate(record, told), None, each)
            return fate.model_copy(update={"place": place})
    return Considered(memory_id=record.id, kind=kind_of(record), fate=_fate(record, told))


async def _search(
    memory: UserMemory,
    told: Recollection,
    now: datetime,
    limit: int,
    *,
    only: type[Remembered] | None = None,
) -> list[AnyFound]:
    """Search again as recall did, further down and at any time."""
    asked = told.recalled.asked
    query = await memory.query(asked.text, now, asks=asked.asks)
    phrase = asked.phrase.phrase if asked.phrase else None
    query = replace(query, topic=asked.topic or topic_of(asked.text, phrase))
    found: list[AnyFound] = []
    if only in {None, Fact}:
        found += await memory.facts.search(query, limit)
    if only in {None, TurnRecord}:
        found += await search_turns(memory, query, limit)
    if only in {None, Episode}:
        found += await memory.episodes.search(query, limit)
    return found


def _fate(record: Remembered, told: Recollection) -> RecallFate:
    """Say why recall did not look at a memory."""
    asked, reach = told.recalled.asked, told.recalled.reach
    if isinstance(record, TurnRecord) and record.echoes:
        return "echoes"
    if isinstance(record, Fact) and record.valid_to is not None:
        return "superseded"
    if asked.is_for_anything and isinstance(record, Fact):
        return "not_searched"
    return "another_time" if asked.is_for_anything and reach != "anytime" else "outranked"


FATES: dict[RecallFate, str] = {
    "shown": "It is shown.",
    "over_budget": "It was chosen, but the token budget was used up before it.",
    "over_limit": "It fits, but better ones filled the lines that are shown.",
    "below_floor": "It bears too little on a message that asks nothing.",
    "told_already": "Another line that is shown says the same.",
    "superseded": "It is no longer true; what took its place is told instead.",
    "another_time": "It is from another time than the one asked about.",
    "outranked": "Too many of its kind fit better for it to be looked at.",
    "not_searched": "Memories of its kind are not searched for such a message.",
    "echoes": "It only asks, or repeats what memory said, so it is never found.",
    "archived": "It had to make room for others of its category, and is in the archive.",
}
"""What each fate means, as people are told."""
