"""What became of a conversation: of the facts told, of corrections, and of questions.

Every expectation is a list of regular expressions, searched without regard to case.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from unicodedata import combining, normalize

import yaml
from pydantic import BaseModel

from evals.harness.runner import CASES, Figure

WORDING = "people/wording.yaml"
FIRST_LINES = 3
_MATTERS = {"facts kept", "corrected", "in block", "first three", "reply right", "honest"}
_QUOTED = re.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|\"[^\"]*\"")
_BREAK = re.compile(r"\n+|(?<=[.!?\0])\s+(?![(\[,;—–])|(?<=[。！？])")
_HEADING = re.compile(r"</?[\w -]+>|[^-].*:")
_WAS = r"\b(was|were|war|era|était)\b.{0,30}"

Patterns = tuple[str, ...]


class Ask(BaseModel):
    """What a question expects: so many of `expect`, and nothing of `reject` told as current."""

    expect: Patterns
    reject: Patterns = ()
    min: int = 1
    never_told: bool = False


class Told(BaseModel):
    """A durable fact in a message, and what it makes untrue."""

    expect: Patterns
    supersedes: Patterns = ()


class ToolUse(BaseModel):
    """A tool the scripted agent called."""

    name: str
    args: Mapping[str, object] = {}
    result: str
    error: bool = False


class Turn(BaseModel):
    """Something said, and what to expect of it; a `trap` must not be among the current facts."""

    at: datetime
    say: str
    thread: str = ""
    ask: Ask | None = None
    fact: tuple[Told, ...] = ()
    trap: Patterns = ()
    tools: tuple[ToolUse, ...] = ()
    reply: str = ""


class Person(BaseModel):
    """One conversation, over days."""

    id: str
    zone: str
    language: str = "en"
    turns: tuple[Turn, ...]


class Answer(NamedTuple):
    """What came back to a question: the reply, and what a model would have been given."""

    ask: Ask
    reply: str
    block: str


class Kept(NamedTuple):
    """The facts in memory at the end, each as its statement and value."""

    current: Sequence[str]
    past: Sequence[str] = ()


def figures_of(person: Person, answers: Sequence[Answer], kept: Kept) -> dict[str, Figure]:
    """Return what one conversation is read by; floors are what is promised of all together."""
    traps = [trap for turn in person.turns for trap in turn.trap]
    sound = [text for text in kept.current if not _hits(traps, text)]
    told = [each for each in answers if not each.ask.never_told]
    shown = [each for each in told if has_answer(each.ask, lines_of(each.block))]
    return {
        "facts kept": _share(_facts(person, Kept(sound, kept.past)), 0.8),
        "corrected": _share(_corrections(person, kept.current, sound), 0.7),
        "sound facts": Figure(len(sound), len(kept.current), 0.95),
        "in block": Figure(len(shown), len(told), 0.9),
        "first three": _share((is_early(each) for each in told), 0.75),
        "reply right": _share((is_right(each.ask, each.reply) for each in told), 0.7),
        "changed": _share((is_right(e.ask, e.reply) for e in told if e.ask.reject), 0.65),
        "honest": _share((is_honest(e.reply) for e in answers if e.ask.never_told), 0.85),
        "no denial": _share((not denies(each.reply) for each in shown), 1.0),
    }


def overall(figures: Mapping[str, Figure]) -> float:
    """Return the share of everything expected of memory that came true."""
    matter = [figure for name, figure in figures.items() if name in _MATTERS]
    return sum(each.right for each in matter) / max(1, sum(each.of for each in matter))


def has_answer(ask: Ask, parts: Iterable[str]) -> bool:
    """Say whether a text holds what a question expects."""
    return _hits(ask.expect, "\n".join(parts)) >= ask.min


def lines_of(block: str) -> list[str]:
    """Return the lines of a memory block that tell something: no tags, no headings."""
    lines = (line.strip() for line in block.splitlines())
    return [line for line in lines if line and not _HEADING.fullmatch(line)]


def is_early(answer: Answer) -> bool:
    """Say whether the answer is within the first lines of the block."""
    return has_answer(answer.ask, lines_of(answer.block)[:FIRST_LINES])


def is_right(ask: Ask, reply: str) -> bool:
    """Say whether a reply tells what is expected, denies nothing, and nothing old as current."""
    return has_answer(ask, [reply]) and not denies(reply) and not _is_stale(ask, reply)


def is_honest(reply: str) -> bool:
    """Say whether a reply to what was never told claims nothing."""
    return any(_says(what, _own(reply)) for what in ("denies", "hedges", "says_nothing"))


def denies(reply: str) -> bool:
    """Say whether a reply says, in words of its own, that it does not know."""
    return _says("denies", _own(reply))


def _is_stale(ask: Ask, reply: str) -> bool:
    """Say whether a sentence tells an old value as if it still held."""
    own = _own(reply)
    cuts = [0, *(each.end() for each in _BREAK.finditer(own)), len(own)]
    sentences = [slice(*each) for each in pairwise(cuts)]
    old = [s for s in sentences if _hits(ask.reject, reply[s]) and not _hits(ask.expect, reply[s])]
    was = [f"{_WAS}(?:{each})" for each in ask.reject]
    return any(not _says("past", own[s]) and not _hits(was, reply[s]) for s in old)


def _own(text: str) -> str:
    """Return a text of the same length in which quotations are blank."""
    return _QUOTED.sub(lambda quote: "\0" * len(quote[0]), text)


def _facts(person: Person, kept: Kept) -> Iterator[bool]:
    """Yield of each fact whether it is kept; one that was changed later may be a past one."""
    for number, told in _told(person):
        places = [*kept.current, *kept.past] if _is_over(person, number, told) else kept.current
        yield any(_hits(told.expect, text) for text in places)


def _corrections(person: Person, current: Sequence[str], sound: Sequence[str]) -> Iterator[bool]:
    """Yield of each last change whether the new value is current and the old one is not."""
    for number, told in _told(person):
        if told.supersedes and not _is_over(person, number, told):
            old = [text for text in current if _hits(told.supersedes, text)]
            is_new = any(_hits(told.expect, text) for text in sound)
            yield is_new and all(_hits(told.expect, text) for text in old)


def _told(person: Person) -> list[tuple[int, Told]]:
    return [(number, told) for number, turn in enumerate(person.turns) for told in turn.fact]


def _is_over(person: Person, number: int, told: Told) -> bool:
    """Say whether something said later replaces what these patterns find in the message."""
    said = person.turns[number].say
    later = [old for place, each in _told(person) if place > number for old in each.supersedes]
    found, replaced = _spans(told.expect, said), _spans(later, said)
    return any(a < end and start < b for a, b in replaced for start, end in found)


def _spans(patterns: Iterable[str], text: str) -> list[tuple[int, int]]:
    return [m.span() for pattern in patterns for m in re.finditer(pattern, text, re.I)]


def _hits(patterns: Iterable[str], text: str) -> int:
    """Count patterns that a text matches, also without accents: people type `gdansk`."""
    plain = "".join(c for c in normalize("NFKD", text) if not combining(c))
    return sum(
        bool(re.search(pattern, text, re.I) or re.search(pattern, plain, re.I))
        for pattern in patterns
    )


def _share(outcomes: Iterable[bool], floor: float) -> Figure:
    listed = list(outcomes)
    return Figure(sum(listed), len(listed), floor)


def _says(what: str, text: str) -> bool:
    return bool(_hits(_wording(CASES / WORDING)[what], text.strip("\0 ")))


@cache
def _wording(path: Path) -> dict[str, list[str]]:
    wording: dict[str, list[str]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return wording
