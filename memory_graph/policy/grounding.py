"""Did the user say what a model claims they said, or does it repeat its prompt?"""

import re
from collections.abc import Sequence

from memory_graph.policy.keys import normalise
from memory_graph.records import FactCandidate

_STEM = 4
_LEAST_WORDS = 2
_SEPARATORS = re.compile(r"(?:['’]s\b)|[^\w+#]+|(?<=\d)(?=[a-z])")
_GENERIC = frozenset(
    "user the and has have had was were are with for from that this their they his her its who "
    "name named called now not does did own very about into been being years year old a an i is "
    "in on at of to my no planned longer like likes love loves hate hates dislike dislikes".split()
)
_ANSWERS = frozenset("yes no true false like dislike".split())
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


def is_grounded(candidate: FactCandidate, texts: Sequence[str]) -> bool:
    """Say whether a candidate's names and value are in the user's words.

    A name must be there; of the value some word, or else two of the statement.
    """
    said, value = _words(" ".join(texts)), _words(_stated_value(candidate))
    if _is_named(candidate) and not _words(candidate.entity) & said:
        return False
    statement = {word for word in _words(candidate.statement) if not word.isdigit()}
    statement -= _words(candidate.entity)
    least = min(len(statement), _LEAST_WORDS if value else 1)
    return bool(value & said) or len(statement & said) >= max(least, 1)


def _stated_value(candidate: FactCandidate) -> str:
    """Return the value, unless it only says yes or no to what the statement names."""
    value = candidate.value or ""
    return "" if value.casefold() in _ANSWERS else value


def _is_named(candidate: FactCandidate) -> bool:
    entity = normalise(candidate.entity)
    return entity not in {"user", normalise(candidate.entity_kind or "")}


def _words(text: str) -> frozenset[str]:
    """Return the telling words of a text, folded to their beginnings: `moving` is `moved`."""
    words = [word for word in _SEPARATORS.split(text) if word]
    return frozenset(
        _folded(word) for word in words if word.casefold() not in _GENERIC and _is_telling(word)
    )


def _is_telling(word: str) -> bool:
    return len(word) > 2 or word.isdigit() or word[0].isupper()


def _folded(word: str) -> str:
    if word.isdigit():
        return word.lstrip("0") or "0"
    folded = normalise(word)
    return _NUMBERS.get(folded, folded[:_STEM])
