"""What became of every memory when a message was recalled for: shown, or why not."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory_graph.facts.timeline import is_over
from memory_graph.language.questions import topic_of
from memory_graph.recall.lines import AnyFound, Line, Remembered
from memory_graph.recall.rendering import Rendered
from memory_graph.recall.search import Recalled, search_turns
from memory_graph.records import (
    Considered,
    Episode,
    Fact,
    MemoryKind,
    Pattern,
    RecallFate,
    TurnRecord,
)
from memory_graph.store.scope import UserMemory

if TYPE_CHECKING:
    from memory_graph.recall.block import Recollection

_FURTHER = 30  # memories of each kind that are looked at to say what came next
_EVERY = 10_000


def consider(recalled: Recalled, rendered: Rendered) -> list[Considered]:
    """Return what became of each memory that was looked at, and why."""
    found = {each.record.id: each for each in recalled.found}
    lines = {line.record.id: line for line in recalled.lines}
    bearing = {line.record.id for line in recalled.bearing}
    fates: dict[str, RecallFate] = {line.record.id: "shown" for line in rendered.lines}
    least = min((line.relevance for line in recalled.bearing), default=1.0)
    rest = [each for each in {**lines, **found} if each not in fates]
    for each in sorted(rest, key=lambda each: -lines[each].fit if each in lines else 1.0):
        if each in bearing:
            fates[each] = "over_budget"
        elif (line := lines.get(each)) is None:
            record = found[each].record
            past = isinstance(record, Fact) and is_over(record, recalled.now)
            fates[each] = "superseded" if past else "told_already"
        else:
            fates[each] = "over_limit" if line.relevance >= least else "below_floor"
    return [considered(fate, lines.get(each), found.get(each)) for each, fate in fates.items()]


def considered(fate: RecallFate, line: Line | None, found: AnyFound | None) -> Considered:
    """Return what is kept of a memory that was looked at."""
    weighed = line or found
    assert weighed is not None
    parts = found.parts if found else {}
    return Considered(
        memory_id=weighed.record.id,
        kind=kind_of(weighed.record),
        fate=fate,
        fit=round(line.fit, 3) if line else 0.0,
        relevance=round(weighed.relevance, 3),
        words=round(weighed.words, 3),
        meaning=round(weighed.meaning, 3),
        parts={name: round(added, 3) for name, added in parts.items() if added},
    )


def kind_of(record: Remembered) -> MemoryKind:
    """Return what a memory is called."""
    if isinstance(record, Fact):
        return "fact"
    return "turn" if isinstance(record, TurnRecord) else "episode"


async def explained(memory: UserMemory, told: "Recollection", now: datetime) -> "Recollection":
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
    memory: UserMemory, record: Remembered | Pattern, told: "Recollection", now: datetime
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
    told: "Recollection",
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


def _fate(record: Remembered, told: "Recollection") -> RecallFate:
    """Say why recall did not look at a memory."""
    asked, reach = told.recalled.asked, told.recalled.reach
    if isinstance(record, TurnRecord) and record.echoes:
        return "echoes"
    if isinstance(record, Fact) and is_over(record, told.recalled.now):
        return "superseded"
    if asked.is_for_anything and isinstance(record, Fact):
        return "not_searched"
    return "another_time" if asked.is_for_anything and reach != "anytime" else "outranked"


FATES: dict[RecallFate, str] = {
    "shown": "It is shown.",
    "over_budget": "It was chosen, but the token budget was used up before it.",
    "over_limit": "It fits, but better ones filled the lines that are shown.",
    "below_floor": "It bears too little on the message.",
    "told_already": "Another line that is shown says the same.",
    "superseded": "It is no longer true; what took its place is told instead.",
    "another_time": "It is from another time than the one asked about.",
    "outranked": "Too many of its kind fit better for it to be looked at.",
    "not_searched": "Memories of its kind are not searched for such a message.",
    "echoes": "It asks, repeats what memory said, or was to be forgotten: it is never found.",
    "archived": "It had to make room for others of its category, and is in the archive.",
}
"""What each fate means, as people are told."""
