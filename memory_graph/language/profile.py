"""Read name, age, home and job from statements, by a table of patterns for each language."""

import re
from collections.abc import Iterator
from functools import cache

from memory_graph.language.sentences import split_sentences, supposes
from memory_graph.language.words import folded, function_words, table
from memory_graph.records import FactCandidate, FactRead

_BEFORE = 14
"""Characters before a statement in which it may be denied, or put in the past."""


def read_profile(text: str, language: str) -> tuple[FactRead, ...]:
    """Return the name, age, home, job and employer that a message gives its author."""
    found: dict[tuple[str, bool], FactRead] = {}
    for sentence in split_sentences(text):
        if sentence.endswith(("?", "？")) or supposes(sentence, language):
            continue
        for attribute, value, words, retracts in _statements(sentence, language):
            read = _fact(attribute, value, retracts=retracts)
            found.setdefault((attribute, retracts), FactRead(read, sentence, words))
    return tuple(found.values())


def said_to_user(attribute: str, value: str, language: str) -> str | None:
    """Return an attribute of the user's as it is said to them, where their language has words."""
    frame = table("profile")["said"].get(language, {}).get(attribute)
    return frame.format(value=value) if frame else None


def _statements(sentence: str, language: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield attribute and value, the words that say so, and whether they end it."""
    for kind in ("ended", "read"):
        for attribute, pattern in _patterns(kind, language):
            for match in pattern.finditer(sentence):
                value = match["v"].rstrip(" .'-")
                is_so = kind == "ended" or not _is_denied(sentence, match, language)
                if is_so and not _is_word(value, attribute, language):
                    if attribute == "name":
                        value = value[:1].upper() + value[1:]
                    yield attribute, value, match[0], kind == "ended"
                    break


def _is_word(value: str, attribute: str, language: str) -> bool:
    """Say whether a value begins with a word that is none: `ich heiße euch willkommen`."""
    first = folded(value).split(" ")[0]
    known = function_words().get(language, frozenset())
    return first in known or (attribute == "name" and first in _no_names())


@cache
def _no_names() -> frozenset[str]:
    from memory_graph.language.english.facts.phrases import words  # noqa: PLC0415 — a grammar

    return words("not_names") | function_words()["en"]


def _is_denied(sentence: str, match: re.Match[str], language: str) -> bool:
    said = sentence[max(match.start() - _BEFORE, 0) : match.start("v")]
    return _denials(language).search(said) is not None


def _fact(attribute: str, value: str, *, retracts: bool) -> FactCandidate:
    from memory_graph.language.english.facts import rules  # noqa: PLC0415 — a grammar

    return rules.candidate(rules.USER, rules.Reading(attribute, value, retracts))


@cache
def _patterns(kind: str, language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    listed = table("profile")[kind].get(language, ())
    return tuple((attribute, re.compile(_whole(each, language))) for attribute, each in listed)


def _whole(pattern: str, language: str) -> str:
    """Return a pattern with the parts that it names by `@`."""
    parts = dict(table("profile")["parts"])
    jobs = table("profile")["occupations"].get(language, "")
    kind = r"(?: (?:de|d'|für) [^\W\d_]+)?"
    parts["OCCUPATION"] = rf"(?P<v>\b(?i:[^\W\d_]*(?:{jobs}))[^\W\d_-]*{kind})"
    return re.sub("@([A-Z]+)", lambda part: parts[part[1]], pattern)


@cache
def _denials(language: str) -> re.Pattern[str]:
    words = table("profile")["not"].get(language, table("profile")["not"]["en"])
    return re.compile(words if language == "zh" else rf"\b(?:{words})\b", re.IGNORECASE)
