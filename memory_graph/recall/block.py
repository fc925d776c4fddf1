"""The memory block for one message, and the trace of everything recall looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memory_graph.context import Context
from memory_graph.recall.briefing import Told, tell
from memory_graph.recall.lines import Line, Remembered
from memory_graph.recall.rendering import Material, Rendered, render_memory
from memory_graph.recall.search import BEARS, AnyFound, Recalled, recall
from memory_graph.records import (
    Considered,
    Episode,
    Fact,
    MemoryKind,
    RecallFate,
    RecallFound,
    RecallTrace,
    TurnRecord,
)
from memory_graph.safety.secrets import read_within
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import clean_text

_LONGEST_QUERY = 2000
"""What a longer message is about shows in its beginning and its end."""

_TRACED = 40
"""Memories of one turn whose fate is kept; what was shown comes first.

A limit: it travels with the thread's state.
"""


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
    told = await _briefing(memory, text, context, now) if is_first else Told()
    rendered = _render(recalled, context.recall.token_budget - told.tokens)
    return Recollection(
        block=clean_text("\n".join(filter(None, (told.text, rendered.block)))),
        tokens=told.tokens + rendered.tokens,
        recalled=recalled,
        rendered=rendered,
        considered=tuple(consider(recalled, rendered)),
        records=_records(recalled),
    )


async def _briefing(memory: UserMemory, task: str, context: Context, now: datetime) -> Told:
    """Return what a new thread should know before its first turn, where that is switched on."""
    if not context.bootstrap.on_first_turn:
        return Told()
    budget = min(context.bootstrap.token_budget, context.recall.token_budget)
    return await tell(memory, task, context, now, budget=budget)


def _render(recalled: Recalled, budget: int) -> Rendered:
    """Return what is shown within what a briefing left; the heads have loaded the tokenizer."""
    from memory_graph.embedding.encoders import count_tokens  # noqa: PLC0415 — brings numpy

    material = Material(
        bearing=recalled.bearing,
        facts=recalled.facts,
        episodes=recalled.episodes,
        reach=recalled.reach,
    )
    return render_memory(material, recalled.telling, budget=budget, count=count_tokens)


def consider(recalled: Recalled, rendered: Rendered) -> list[Considered]:
    """Return what became of each memory that was looked at, and why."""
    found = {each.record.id: each for each in recalled.found}
    lines = {line.record.id: line for line in (*recalled.lines, *recalled.episodes)}
    shown = [line.record.id for line in rendered.lines]
    rest = sorted({*found, *lines} - {*shown}, key=lambda each: -_fit(lines.get(each)))
    chosen = {line.record.id for line in (*recalled.bearing, *recalled.facts, *recalled.episodes)}
    fates: dict[str, RecallFate] = dict.fromkeys(shown, "shown")
    for each in rest:
        fates[each] = (
            "over_budget" if each in chosen else _fate(lines.get(each), found.get(each), recalled)
        )
    return [considered(fate, lines.get(each), found.get(each)) for each, fate in fates.items()]


def _fit(line: Line | None) -> float:
    return line.fit if line else -1.0


def _fate(line: Line | None, found: AnyFound | None, recalled: Recalled) -> RecallFate:
    """Say why a memory that was looked at was not chosen."""
    if line is None:
        record = found.record if found else None
        is_over = isinstance(record, Fact) and record.valid_to is not None
        return "superseded" if is_over else "told_already"
    bears = recalled.asked.asks or line.relevance >= BEARS
    return "over_limit" if bears or isinstance(line.record, Fact) else "below_floor"


def considered(fate: RecallFate, line: Line | None, found: AnyFound | None) -> Considered:
    """Return what is kept of a memory that was looked at."""
    weighed = line or found
    assert weighed is not None
    parts = found.parts if found else {}
    return Considered(
        memory_id=weighed.record.id,
        kind=_KINDS[type(weighed.record)],
        fate=fate,
        fit=round(line.fit, 3) if line else 0.0,
        relevance=round(weighed.relevance, 3),
        words=round(weighed.words, 3),
        meaning=round(weighed.meaning, 3),
        parts={name: round(added, 3) for name, added in parts.items() if added},
    )


_KINDS: dict[type[Remembered], MemoryKind] = {
    Fact: "fact",
    Episode: "episode",
    TurnRecord: "turn",
}


def _records(recalled: Recalled) -> dict[str, Remembered]:
    lines = (line.record for line in (*recalled.lines, *recalled.episodes))
    return {record.id: record for record in (*(each.record for each in recalled.found), *lines)}
