"""The memory block for one message, and what became of every memory: shown, or why not."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_graph.context import Context
from memory_graph.embedding.encoders import count_tokens
from memory_graph.language.sentences import topic_of
from memory_graph.recall.briefing import Told, tell
from memory_graph.recall.lines import AnyFound, Line, Remembered
from memory_graph.recall.rendering import Rendered, render_memory
from memory_graph.recall.search import BEARS, Recalled, recall, search_turns
from memory_graph.records import (
    Considered,
    Episode,
    Fact,
    MemoryKind,
    Pattern,
    RecallFate,
    RecallFound,
    RecallTrace,
    TurnRecord,
)
from memory_graph.safety.secrets import read_within
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import clean_text

_LONGEST_QUERY = 2000  # what a longer message is about shows in its beginning and its end
_TRACED = 40
"""Memories of one turn whose fate is kept; what was shown comes first.

A limit: it travels with the thread's state.
"""
_FURTHER = 30  # memories of each kind that are looked at to say what came next
_EVERY = 10_000


@dataclass(frozen=True, kw_only=True)
class Recollection:
    """What a model is told for one message, and why that and nothing else."""

    block: str
    """The very text that a model gets; empty when there is nothing to tell."""

    tokens: int
    """What the block costs."""

    recalled: Recalled
    rendered: Rendered
    considered: tuple[Considered, ...]
    """Everything that was looked at: first what is shown, in its order, then the rest by fit."""

    records: Mapping[str, Remembered] = field(repr=False)
    """What was looked at, by id."""

    @property
    def found(self) -> RecallFound:
        """Whether memory answers the message: `found`, `weak` or `none`."""
        return self.recalled.verdict.found

    @property
    def shown(self) -> tuple[Considered, ...]:
        """What the block tells, in its order."""
        return tuple(each for each in self.considered if each.fate == "shown")

    @property
    def left_out(self) -> tuple[Considered, ...]:
        """What the block does not tell, the best first, each with the reason."""
        return tuple(each for each in self.considered if each.fate != "shown")

    @property
    def trace(self) -> RecallTrace:
        """What is kept of it with the turn: no text of anybody, no parts of scores."""
        asked, verdict = self.recalled.asked, self.recalled.verdict
        return RecallTrace(
            intent=asked.grade,
            found=verdict.found,
            best=verdict.best,
            threshold=verdict.threshold,
            reason=verdict.reason,
            reach=self.recalled.reach,
            since=asked.phrase.start if asked.phrase else None,
            until=asked.phrase.end if asked.phrase else None,
            tokens=self.tokens,
            considered=tuple(
                each.model_copy(update={"parts": {}}) for each in self.considered[:_TRACED]
            ),
        )


async def recollect(
    memory: UserMemory, text: str, context: Context, now: datetime, *, is_first: bool = False
) -> Recollection:
    """Return what a model is told for a message; `is_first` in its thread, with a briefing."""
    asked = read_within(text, _LONGEST_QUERY).text
    recalled = await recall(memory, asked, context, now)
    told, left = Told(), context.policies.recall.token_budget
    if is_first and context.policies.bootstrap.on_first_turn:
        budget = min(context.policies.bootstrap.token_budget, left)
        told = await tell(memory, text, context, now, budget=budget)
    rendered = render_memory(
        recalled, recalled.telling, budget=left - told.tokens, count=count_tokens
    )
    lines = (line.record for line in (*recalled.lines, *recalled.episodes))
    records = (*(each.record for each in recalled.found), *lines)
    return Recollection(
        block=clean_text("\n".join(filter(None, (told.text, rendered.block)))),
        tokens=told.tokens + rendered.tokens,
        recalled=recalled,
        rendered=rendered,
        considered=tuple(consider(recalled, rendered)),
        records={record.id: record for record in records},
    )


def consider(recalled: Recalled, rendered: Rendered) -> list[Considered]:
    """Return what became of each memory that was looked at, and why."""
    found = {each.record.id: each for each in recalled.found}
    lines = {line.record.id: line for line in (*recalled.lines, *recalled.episodes)}
    chosen = {line.record.id for line in (*recalled.bearing, *recalled.facts, *recalled.episodes)}
    fates: dict[str, RecallFate] = {line.record.id: "shown" for line in rendered.lines}
    rest = [each for each in {**lines, **found} if each not in fates]
    for each in sorted(rest, key=lambda each: -lines[each].fit if each in lines else 1.0):
        line = lines.get(each)
        if each in chosen:
            fates[each] = "over_budget"
        elif line is None:
            record = found[each].record
            is_over = isinstance(record, Fact) and record.valid_to is not None
            fates[each] = "superseded" if is_over else "told_already"
        else:
            bears = recalled.asked.asks or line.relevance >= BEARS or isinstance(line.record, Fact)
            fates[each] = "over_limit" if bears else "below_floor"
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
    "echoes": "It asks, repeats what memory said, or was to be forgotten: it is never found.",
    "archived": "It had to make room for others of its category, and is in the archive.",
}
"""What each fate means, as people are told."""
