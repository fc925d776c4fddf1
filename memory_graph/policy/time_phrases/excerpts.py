"""Which parts of a text can hold a time phrase at all, so that the rest need not be read?"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memory_graph.policy.time_phrases.holidays import HOLIDAYS
from memory_graph.policy.time_phrases.lexicon import ALIASES, KINDS, words
from memory_graph.policy.time_phrases.tokens import Token

_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"\d+|(?<=on the )(?:first|second)\b")
_TELLING_KINDS = frozenset(
    words(
        "MONTH MONTHS WEEKDAY WEEKDAYS UNIT SEASON SEASONS DAYPART DECADE TEEN TENS ORDINAL "
        "DATE NUMERIC YEARMONTH YEARPAIR ISOWEEK WEEKCODE SLASHED CLOCK YEAR SHORTYEAR FISCAL "
        "QUARTER HALF"
    )
)
_TELLING_WORDS = frozenset(
    words(
        "today todays tonight yesterday yesterdays tomorrow tomorrows ago recently lately "
        "ytd thousand thousands hundred christmases while recent"
    )
)
CHARACTERS_BEFORE = 60
CHARACTERS_AFTER = 80
REACH = 7
"""A phrase has its telling word among its first tokens."""


def _telling() -> frozenset[str]:
    known = {word for word, kinds in KINDS.items() if kinds.keys() & _TELLING_KINDS}
    known |= _TELLING_WORDS
    known |= {short for short, word in ALIASES.items() if word in known}
    known -= {"first", "second"}  # Everyday words that tell only beside another one.
    for name in HOLIDAYS:
        parts = name.split()
        if known.isdisjoint(parts):
            known |= {parts[-1], parts[-1].removesuffix("s")}
    return frozenset(known)


TELLING = _telling()


def excerpts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches around numbers and telling words, as positions in the text."""
    lowered = text.replace("İ", "I").lower()  # The one letter whose lowercase is longer.
    places = [match.start() for match in _NUMBER.finditer(lowered)]
    for word in TELLING.intersection(_WORD.findall(lowered)):
        places += [match.start() for match in _whole_word(word).finditer(lowered)]
    read_up_to = 0
    for first, last in _merged(sorted(places)):
        begin = max(read_up_to, lowered.rfind(" ", 0, max(0, first - CHARACTERS_BEFORE)) + 1)
        read_up_to = lowered.find(" ", last + CHARACTERS_AFTER)
        yield begin, read_up_to if read_up_to >= 0 else len(text)


@lru_cache(maxsize=1024)
def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z]){word}(?![a-z])")


def _merged(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield runs of places whose surroundings would touch, as first and last."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and place - runs[-1][1] < CHARACTERS_BEFORE + CHARACTERS_AFTER:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    yield from runs


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
    if "NUM" not in token.kinds:
        return False
    counts = index + 1 < len(tokens) and "SHORTUNIT" in tokens[index + 1].kinds
    return counts or (index > 0 and tokens[index - 1].text in {"on", "the"})
