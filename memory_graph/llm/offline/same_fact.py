"""Are two statements one fact? Answered by words and numbers, without a model."""

import re

_WORD = re.compile(r"[a-z]+|\d+")
_THIN = frozenset(
    "the a an is are was were has have had s user of in at to and or for with their his her its "
    "my your on by as be been now currently recently very really".split()
)
_SHARED_MIN = 0.6


def is_same_fact(old: str, new: str) -> bool:
    """Say whether two statements share their words and differ at most in one value."""
    first, second = _words(old), _words(new)
    if not first or not second:
        return False
    shared = len(first & second) / min(len(first), len(second))
    return shared >= _SHARED_MIN


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in _THIN}
