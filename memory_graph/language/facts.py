"""Read facts with keys from statements: by English rules, and by a table for each language."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memory_graph.language.sentences import split_sentences, supposes, to_forget
from memory_graph.language.words import DEFAULT, folded, function_words, table
from memory_graph.records import Claim, FactRead

_BEFORE = 14
"""Characters before a statement in which it may be denied, or put in the past."""


def read_facts(texts: Sequence[str], language: str) -> tuple[FactRead, ...]:
    """Return the facts with keys in the last of `texts`; the others only tell who `she` is.

    In every language they say who the user is. What else is durable is kept in the user's own
    words.
    """
    from memory_graph.language.english import facts as english  # noqa: PLC0415 — brings its rules

    read = english.read_facts(texts) if language == DEFAULT else ()
    known = {each.candidate.attribute for each in read if each.candidate.entity == "user"}
    more = read_profile(texts[-1], language)
    return (*read, *(each for each in more if each.candidate.attribute not in known))


def read_profile(text: str, language: str) -> tuple[FactRead, ...]:
    """Return the name, age, home, job and employer that a message gives its author."""
    from memory_graph.language.english import facts as rules  # noqa: PLC0415 — a grammar

    found: dict[tuple[str, bool], FactRead] = {}
    for sentence in split_sentences(text):
        if sentence.endswith(("?", "？")) or supposes(sentence, language):
            continue
        for attribute, value, words, retracts in _statements(sentence, language):
            ends = retracts or to_forget(sentence) is not None
            fact = rules.candidate(rules.USER, rules.Reading(attribute, value, ends))
            found.setdefault((attribute, ends), FactRead(fact, sentence, words))
    return tuple(found.values())


def said_to_user(attribute: str, value: str, language: str) -> str | None:
    """Return an attribute of the user's as it is said to them, where their language has words."""
    frame = table("profile")["said"].get(language, {}).get(attribute)
    return frame.format(value=value) if frame else None


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
    from memory_graph.language.english.values import words  # noqa: PLC0415 — a grammar

    first, known = folded(value).split(" ")[0], function_words()
    is_no_name = attribute == "name" and (first in words("not_names") or first in known["en"])
    return is_no_name or first in known.get(language, ())


_Patterns = tuple[tuple[str, re.Pattern[str], bool], ...]


@cache
def _patterns(language: str) -> tuple[_Patterns, _Patterns, re.Pattern[str]]:
    """Return what ends and what states an attribute, with their `@PARTS`, and what denies it."""
    listed = table("profile")
    kind = r"(?: (?:de|d'|für) [^\W\d_]+)?"
    jobs = listed["occupations"].get(language, "")
    job = rf"(?P<v>\b(?i:[^\W\d_]*(?:{jobs}))[^\W\d_-]*{kind})"
    parts = {**listed["parts"], "OCCUPATION": job}
    ended, read = (
        tuple(
            (name, re.compile(re.sub("@([A-Z]+)", lambda part: parts[part[1]], each)), ends)
            for name, each in listed["ended" if ends else "read"].get(language, ())
        )
        for ends in (True, False)
    )
    no = listed["not"].get(language, listed["not"]["en"])
    return ended, read, re.compile(no if language == "zh" else rf"\b(?:{no})\b", re.IGNORECASE)


def as_stated(about: Claim, value: str) -> str:
    """Return the sentence `The user is 35 years old.` of a fact, with another value."""
    from memory_graph.language.english import facts  # noqa: PLC0415 — a grammar

    reading = facts.Reading(about.attribute or "", value)
    return facts.candidate(facts.Subject(about.entity, about.entity_kind), reading).statement
