"""Did the user say what a model claims they said, or does it repeat its prompt?"""

import re
from collections.abc import Sequence

from memory_graph.policy.keys import normalise
from memory_graph.records import FactCandidate

_STEM = 4
_GENERIC = frozenset(
    "user the and has have had was were are with for from that this their they his her its who "
    "name named called now not does did own very about into been being years year old".split()
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


def is_grounded(candidate: FactCandidate, texts: Sequence[str]) -> bool:
    """Say whether a candidate's names and value are in the user's words.

    A name must be there; of the value, or else of the statement, at least some word.
    """
    said = _words(" ".join(texts))
    if _is_named(candidate) and not _words(candidate.entity) & said:
        return False
    value = _words(candidate.value or "")
    statement = _words(candidate.statement) - _words(candidate.entity)
    return bool(value & said) or _most(statement, said)


def _is_named(candidate: FactCandidate) -> bool:
    entity = normalise(candidate.entity)
    return entity not in {"user", normalise(candidate.entity_kind or "")}


def _most(words: frozenset[str], said: frozenset[str]) -> bool:
    return bool(words) and len(words & said) * 2 >= len(words)


def _words(text: str) -> frozenset[str]:
    """Return the telling words of a text, folded to their beginnings: `moving` is `moved`."""
    found = re.split(r"[-\s:]+", normalise_all(text))
    return frozenset(
        _NUMBERS.get(word, word[:_STEM] if word.isalpha() else word)
        for word in found
        if word and word not in _GENERIC and (len(word) > 2 or word.isdigit())
    )


def normalise_all(text: str) -> str:
    """Fold every word of a text as keys are folded, however long the text is."""
    return " ".join(normalise(word) for word in text.split())
