"""Shorten a sentence to a headline: drop its opener, cut it at the end of a clause."""

import re
from functools import cache

from memory_graph.language.sentences import split_clauses
from memory_graph.language.words import BASE_FORMS, DEFAULT, shorten, table

_MARKS = " ,.;:!?…。！？-–—\"“”'"
_ADVERBS = "just|finally|already|now|also|actually|then|really"
_HAVING = re.compile(rf"(?:i|we)(?:['’](?:ve|d)| have| had)?(?: (?:{_ADVERBS}))* ", re.IGNORECASE)
_BEING = re.compile(rf"(?:i['’]m|we['’]re|i am|we are)(?: (?:{_ADVERBS}))* ", re.IGNORECASE)
_WILL = re.compile(r"(?:i|we)(?:['’]ll| will) ", re.IGNORECASE)
_SHORTEST = 24
_SEAMS = (
    re.compile(r"(?<=[^\s]{2})\s*(?:[;；。]|\s[-–—]\s|\s\()"),
    re.compile(r"(?:[,:](?!\d)|，|、)\s*"),
)


def headline(sentence: str, language: str = DEFAULT, *, longest: int = 112) -> str:
    """Return a sentence as a headline of at most `longest` characters."""
    bare = _without_openers(sentence.strip(_MARKS), language)
    if language == DEFAULT:
        bare = _without_subject(bare)
    short = _cut(bare.strip(_MARKS), language, longest)
    return short[:1].upper() + short[1:]


def _without_openers(sentence: str, language: str) -> str:
    pattern = _opening(language)
    while pattern and (match := pattern.match(sentence)) and sentence[match.end() :].strip(_MARKS):
        sentence = sentence[match.end() :]
    return sentence


_LIGHT = frozenset(
    "so and but ok okay hey hi oh btw und aber ach na y pero pues et mais bon".split()
)


@cache
def _opening(language: str) -> re.Pattern[str] | None:
    listed = table("openers").get(language, {}).get("openers", ())
    words = sorted(listed, key=len, reverse=True)
    if not words:
        return None
    several = "|".join(map(re.escape, words))
    light = "|".join(re.escape(word) for word in words if word in _LIGHT)
    # A conjunction may go without a comma (`so we picked`); `no` would turn the meaning round.
    return re.compile(rf"(?:(?:{several})\s*[,.!:…–—-]+\s*|(?:{light})\s+)", re.IGNORECASE)


def _without_subject(sentence: str) -> str:
    """Leave out `I have`, `we` and the like before what was done: `Moved the export`."""
    if (match := _HAVING.match(sentence)) and _is_past(sentence[match.end() :]):
        return sentence[match.end() :]
    if (match := _BEING.match(sentence)) and re.match(r"\w+ing\b", sentence[match.end() :]):
        return sentence[match.end() :]
    match = _WILL.match(sentence)
    return f"Will {sentence[match.end() :]}" if match else sentence


def _is_past(rest: str) -> bool:
    verb = re.match(r"[a-z]+", rest)
    return verb is not None and (
        verb[0].endswith("ed") or verb[0] in BASE_FORMS or verb[0] in _SAME
    )


_SAME = frozenset("put set cut let read quit hit left got".split())
"""Past forms that are also words of their own."""


def _cut(text: str, language: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    first = split_clauses(text, language)[0]
    if _SHORTEST <= len(first) <= longest:
        return first.strip(_MARKS)
    for seam in _SEAMS:
        ends = [each.start() for each in seam.finditer(text) if each.start() >= _SHORTEST]
        fitting = [end for end in ends if end <= longest]
        if fitting:
            return text[: fitting[-1]].strip(_MARKS)
    return shorten(text, longest)
