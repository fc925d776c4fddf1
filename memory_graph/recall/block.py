"""The memory block for one message, and the trace of everything recall looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memory_graph.context import Context
from memory_graph.recall.briefing import Told, tell
from memory_graph.recall.lines import AnyFound, Line, Remembered
from memory_graph.recall.rendering import Rendered, render_memory
from memory_graph.recall.search import BEARS, Recalled, recall
from memory_graph.records import (
    Considered,
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

_LONGEST_QUERY = 2000  # what a longer message is about shows in its beginning and its end
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
    from memory_graph.embedding.encoders import count_tokens  # noqa: PLC0415 — brings numpy

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
