"""What a model is told for one message: the stable part, and the block of what bears on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory_graph.context import Context
from memory_graph.embedding.encoders import count_tokens
from memory_graph.language.words import words_of
from memory_graph.recall.lines import Remembered
from memory_graph.recall.profile import Stable, stable_part
from memory_graph.recall.rendering import Rendered, View, render_memory
from memory_graph.recall.search import Recalled, recall
from memory_graph.recall.trace import consider
from memory_graph.records import Considered, RecallFound, RecallTrace
from memory_graph.safety.secrets import escape_for_prompt, read_within
from memory_graph.shape import shape_of
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
    """What bears on the message, as a model gets it; empty when nothing does."""

    profile: str
    """Who the user is and what they want of the agent, as every message is sent with it."""

    tokens: int
    """What both cost."""

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


@dataclass(frozen=True)
class UserMessage:
    """What the user says, and in which conversation."""

    text: str
    id: str = ""
    """What came of this message itself is not shown beside it."""

    since: datetime | None = None
    """As of when the profile is shown; by default as of now."""


async def recollect(
    memory: UserMemory, message: UserMessage, context: Context, now: datetime
) -> Recollection:
    """Return what a model is told for a message."""
    asked = read_within(message.text, _LONGEST_QUERY).text
    policies = context.policies
    recalled = await recall(memory, asked, context, now, message_id=message.id)
    stable = await stable_part(
        memory,
        policies.profile,
        since=message.since or now,
        now=now.astimezone(context.zone),
        count=count_tokens,
        documents=shape_of(context).shown,
    )
    rendered = render_memory(
        recalled.bearing,
        View(context.zone, now, words_of(asked)),
        budget=policies.recall.token_budget,
        count=count_tokens,
        reach=recalled.reach,
    )
    wishes = await _wishes_for(memory, asked, context, now)
    return _recollection(recalled, rendered, stable, wishes)


def _recollection(
    recalled: Recalled, rendered: Rendered, stable: Stable, wishes: Sequence[str]
) -> Recollection:
    records = (
        *(each.record for each in recalled.found),
        *(line.record for line in recalled.lines),
    )
    return Recollection(
        block=clean_text("\n".join(filter(None, (rendered.block, *wishes)))),
        profile=clean_text(stable.text),
        tokens=stable.tokens + rendered.tokens,
        recalled=recalled,
        rendered=rendered,
        considered=tuple(consider(recalled, rendered)),
        records={record.id: record for record in records},
    )


async def _wishes_for(memory: UserMemory, text: str, context: Context, now: datetime) -> list[str]:
    """Return the user's wishes for an occasion that the message is one of."""
    policy = context.policies.profile
    today = now.astimezone(context.zone).date()
    scoped = {e.id: e for e in await memory.instructions.in_force(today) if not e.is_global}
    if not scoped or not policy.scoped:
        return []
    near = await memory.instructions.similar(text, len(scoped) + policy.scoped)
    fitting = [each for each, alike in near if each.id in scoped and alike >= policy.scoped_min]
    lines = [f"- {escape_for_prompt(each.wish)}" for each in fitting[: policy.scoped]]
    return ["How the user wants this done:", *lines] if lines else []
