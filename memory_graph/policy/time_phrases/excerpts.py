"""Which parts of a text can hold a time phrase at all, so that the rest need not be read?"""

import re
from collections.abc import Iterator, Sequence

from memory_graph.policy.time_phrases.holidays import HOLIDAYS
from memory_graph.policy.time_phrases.lexicon import KINDS, words
from memory_graph.policy.time_phrases.tokens import Token

_WORD = re.compile(r"[^\W_]+")
_TELLING_KINDS = frozenset(
    words(
        "MONTH WEEKDAY WEEKDAYS UNIT SEASON SEASONS DAYPART DECADE TEEN TENS ORDINAL DATE NUMERIC "
        "YEARMONTH ISOWEEK SLASHED CLOCK YEAR SHORTYEAR QUARTER HALF"
    )
)
_TELLING_WORDS = frozenset(
    words(
        "today todays tonight yesterday yesterdays tomorrow tomorrows ago back recently lately "
        "ytd thousand thousands hundred"
    )
)
WORDS_AROUND = 10
REACH = 8
"""A phrase has its telling word among its first tokens."""


def _telling() -> frozenset[str]:
    known = {word for word, kinds in KINDS.items() if kinds.keys() & _TELLING_KINDS}
    known |= _TELLING_WORDS
    for name in HOLIDAYS:
        parts = {part for part in name.split() if part.isalpha()}
        if not parts & known:
            known |= parts | {part.removesuffix("s") for part in parts}
    return frozenset(known)


TELLING = _telling()


def excerpts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches around numbers and telling words, as positions in the text."""
    found = list(_WORD.finditer(text))
    telling = [i for i, match in enumerate(found) if _word_tells(match.group())]
    for first, last in _merged(telling):
        begin = max(0, first - WORDS_AROUND)
        end = last + WORDS_AROUND + 1
        yield (
            found[begin].start() if begin else 0,
            found[end].start() if end < len(found) else len(text),
        )


def _word_tells(word: str) -> bool:
    return not word.isalpha() or word.lower() in TELLING


def _merged(indices: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield runs of indices whose surroundings would touch, as first and last."""
    first = last = None
    for index in indices:
        if first is None or last is None:
            first = index
        elif index - last > 2 * WORDS_AROUND:
            yield first, last
            first = index
        last = index
    if first is not None and last is not None:
        yield first, last


def worth_trying(tokens: Sequence[Token]) -> list[int]:
    """Return where a phrase may begin: a telling token is within reach."""
    positions: list[int] = []
    telling = len(tokens) + REACH
    for index in range(len(tokens) - 1, -1, -1):
        if _tells(tokens, index):
            telling = index
        if telling - index < REACH:
            positions.append(index)
    return positions[::-1]


def _tells(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if not TELLING.isdisjoint(token.keys) or not _TELLING_KINDS.isdisjoint(token.keys):
        return True
    return "NUM" in token.kinds and index > 0 and tokens[index - 1].text in {"on", "the"}
