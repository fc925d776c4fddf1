"""Do two texts say the same in mostly the same words?"""

from dataclasses import dataclass
from functools import lru_cache

from memory_graph.policy.sentences import content_words, words

_NEGATIONS = frozenset({"not", "no", "never", "without", "cannot", "avoid", "stop"})


def overlap(one: str, other: str) -> float:
    """Return the share of their words that two texts have in common.

    A text and its negation have nothing in common, whatever words they share.
    """
    if one == other:
        return 1.0
    ours, theirs = _meaning(one), _meaning(other)
    if ours.negated != theirs.negated or not ours.words or not theirs.words:
        return 0.0
    return len(ours.words & theirs.words) / len(ours.words | theirs.words)


def is_negated(text: str) -> bool:
    """Return whether a text says that something is not, or is not to be done."""
    return any(map(_negates, words(text)))


@dataclass(frozen=True)
class _Meaning:
    words: frozenset[str]
    negated: bool


@lru_cache(maxsize=4096)
def _meaning(text: str) -> _Meaning:
    """Return what a text is compared by; each is compared with many others."""
    said = frozenset(word for word in content_words(text) if not _negates(word))
    return _Meaning(said, is_negated(text))


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")
