"""Which wishes in force a message ends or changes, read without a model: by cues and likeness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory_graph.instructions.wishes import ends_wish, may_change, names_a_rule
from memory_graph.reading import Reading
from memory_graph.records import Instruction, Named
from memory_graph.store.scope import UserMemory

Alteration = Literal["ends", "changes", "none"]


@dataclass(frozen=True)
class Altered:
    """What a message says of wishes in force, by its sentences."""

    ended: Mapping[str, Named] = field(default_factory=dict)
    replaced: Mapping[str, Named] = field(default_factory=dict)


async def altered_by(reading: Reading, memory: UserMemory, least: float) -> Altered:
    """Return which wishes in force the sentences of a message end, and which they change.

    A wish is meant from a likeness of `least`; `that rule` alone means the newest.
    """
    says = {each: alteration_in(each, reading.language) for each in reading.sentences}
    about = [each for each, alteration in says.items() if alteration != "none"]
    known = await memory.instructions.current() if about else []
    ended: dict[str, Named] = {}
    replaced: dict[str, Named] = {}
    for each in about if known else ():
        near = await memory.instructions.similar(each, len(known) + _SPARE)
        is_end = says[each] == "ends"
        newest = known[0] if is_end and names_a_rule(each, reading.language) else None
        if (meant := _meant(near, known, least) or newest) is not None:
            (ended if is_end else replaced)[each] = Named(id=meant.id, revision=meant.updated_at)
    return Altered(ended, replaced)


_SPARE = 20
"""Wishes that are over may be nearer than those in force."""


def alteration_in(sentence: str, language: str) -> Alteration:
    """Say whether a sentence reads as the end of a wish, as another one in its place, or neither.

    An end comes first: `you can use emojis again instead` wishes for nothing new.
    """
    if ends_wish(sentence, language):
        return "ends"
    return "changes" if may_change(sentence, language) else "none"


def _meant(
    near: Sequence[tuple[Instruction, float]], known: Sequence[Instruction], least: float
) -> Instruction | None:
    in_force = {each.id for each in known}
    fitting = (wish for wish, alike in near if alike >= least and wish.id in in_force)
    return next(fitting, None)
