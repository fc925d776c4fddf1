"""What a user wants of memory itself: to remember, to forget, to look back."""

import re
from collections.abc import Iterable
from functools import cache

from memory_graph.language.sentences import (
    FIRST_WORDS,
    UNSPACED,
    as_begun,
    begins_with,
    split_sentences,
    without_opener,
)
from memory_graph.language.words import DEFAULT, table, words_of

_LOOKS_BACK = re.compile("|".join(table("asking")["looks_back"]))


def asks_to_remember(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether the user wants this very sentence kept, as in `remember that …`."""
    is_asked = wants_to_look_back(sentence)  # `remember what we talked about?`
    return not is_asked and begins_with(without_opener(sentence), "remember", language)


def to_forget(sentence: str) -> str | None:
    """Return what the user wants no longer kept, if they ask for that: `forget my address`.

    In any language, since `Vergiss Jules` is too short to tell which it is. To delete is a request
    to memory only where it names what was told: `delete the test file` is for the agent.
    """
    said = without_opener(sentence).lstrip(" \"“'(-–—¿¡").replace("’", "'")
    if asked := _requests("forget").match(said):
        return said[asked.end() :]
    asked = _requests("delete").match(said)
    is_of_memory = asked is not None and _speaks_of_telling().search(said, asked.end())
    return said[asked.end() :] if asked and is_of_memory else None


@cache
def _requests(name: str) -> re.Pattern[str]:
    spaced = [lists for code, lists in table("clauses").items() if code not in UNSPACED]
    joined = [table("clauses")[code] for code in UNSPACED]
    polite, verbs = _any_of(spaced, "asking"), _any_of(spaced, name)
    return re.compile(
        rf"(?i)(?:(?:(?:{polite}),?\s+)*(?:{verbs})[,:]?\s+|(?:{_any_of(joined, name)}))"
    )


@cache
def _speaks_of_telling() -> re.Pattern[str]:
    spaced = [lists for code, lists in table("clauses").items() if code not in UNSPACED]
    joined = [table("clauses")[code] for code in UNSPACED]
    return re.compile(rf"(?i)\b(?:{_any_of(spaced, 'told')})\b|{_any_of(joined, 'told')}")


def _any_of(listed: Iterable[dict[str, list[str]]], name: str) -> str:
    forms = {form for lists in listed for form in lists.get(name, ())}
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


def without_requests(text: str) -> str:
    """Return a text without the sentences that ask to forget something."""
    sentences = split_sentences(text)
    kept = [each for each in sentences if to_forget(each) is None]
    return text if len(kept) == len(sentences) else " ".join(kept)


def means_everything(asked: str) -> bool:
    """Say whether somebody wants all of it forgotten: `everything you know about me`."""
    said = {*FIRST_WORDS.findall(asked.casefold())}
    return any(not said.isdisjoint(e.get("everything", ())) for e in table("clauses").values())


@cache
def words_about_forgetting() -> frozenset[str]:
    """Return the stems in a request to forget that do not say what: `everything you know about`."""
    lists = table("clauses").items()
    words = ((" ".join(each.get("forgotten", ())), code) for code, each in lists)
    return frozenset(stem for text, code in words for stem in words_of(text, code))


def wants_to_look_back(text: str) -> bool:
    """Say whether a text asks for what was said before: `summarise the decisions so far`."""
    return _LOOKS_BACK.match(as_begun(text).lower()) is not None
