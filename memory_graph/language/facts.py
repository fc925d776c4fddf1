"""Read facts with keys from statements: by English rules, and by a table for each language."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memory_graph.language.requests import to_forget
from memory_graph.language.sentences import split_sentences, supposes
from memory_graph.language.statements import USER, candidate
from memory_graph.language.words import DEFAULT, folded, function_words, listed, table
from memory_graph.records import FactRead

_BEFORE = 14
"""Characters before a statement in which it may be denied, or put in the past."""


def read_facts(texts: Sequence[str], language: str) -> tuple[FactRead, ...]:
    """Return the facts with keys in the last of `texts`; the others only tell who `she` is.

    In every language they say who the user is. What else is durable is kept in the user's own
    words.
    """
    from memory_graph.language.english.facts import read_english  # noqa: PLC0415 — brings its rules

    read = read_english(texts) if language == DEFAULT else ()
    known = {each.candidate.attribute for each in read if each.candidate.entity == "user"}
    more = read_profile(texts[-1], language)
    return (*read, *(each for each in more if each.candidate.attribute not in known))


def read_profile(text: str, language: str) -> tuple[FactRead, ...]:
    """Return the name, age, home, job and employer that a message gives its author."""
    found: dict[tuple[str, bool], FactRead] = {}
    for sentence in split_sentences(text):
        if sentence.endswith(("?", "？")) or supposes(sentence, language):
            continue
        for attribute, value, words, retracts in _statements(sentence, language):
            ends = retracts or to_forget(sentence) is not None
            fact = candidate(USER, attribute, value, retracts=ends)
            found.setdefault((attribute, ends), FactRead(fact, sentence, words))
    return tuple(found.values())


def _statements(sentence: str, language: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield attribute and value, the words that say so, and whether they end it."""
    ended, read, denials = _patterns(language)
    for attribute, pattern, ends in (*ended, *read):
        for match in pattern.finditer(sentence):
            value = match["v"].rstrip(" .'-")
            said = sentence[max(match.start() - _BEFORE, 0) : match.start("v")]
            is_so = ends or denials.search(said) is None
            if is_so and not _is_word(value, attribute, language):
                named = value[:1].upper() + value[1:] if attribute == "name" else value
                yield attribute, named, match[0], ends
                break


def _is_word(value: str, attribute: str, language: str) -> bool:
    """Say whether a value begins with a word that is none: `ich heiße euch willkommen`."""
    first, known = folded(value).split(" ")[0], function_words()
    is_no_name = attribute == "name" and (first in listed("not_names") or first in known["en"])
    return is_no_name or first in known.get(language, ())


_Patterns = tuple[tuple[str, re.Pattern[str], bool], ...]


@cache
def _patterns(language: str) -> tuple[_Patterns, _Patterns, re.Pattern[str]]:
    """Return what ends and what states an attribute, with their `@PARTS`, and what denies it."""
    data = table("profile")
    kind = r"(?: (?:de|d'|für) [^\W\d_]+)?"
    jobs = data["occupations"].get(language, "")
    job = rf"(?P<v>\b(?i:[^\W\d_]*(?:{jobs}))[^\W\d_-]*{kind})"
    parts = {**data["parts"], "OCCUPATION": job}
    ended, read = (
        tuple(
            (name, re.compile(re.sub("@([A-Z]+)", lambda part: parts[part[1]], each)), ends)
            for name, each in data["ended" if ends else "read"].get(language, ())
        )
        for ends in (True, False)
    )
    no = data["not"].get(language, data["not"]["en"])
    return ended, read, re.compile(no if language == "zh" else rf"\b(?:{no})\b", re.IGNORECASE)
