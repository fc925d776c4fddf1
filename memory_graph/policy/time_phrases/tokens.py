"""Which words, numbers and numeric dates does a text consist of?"""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from memory_graph.policy.time_phrases.lexicon import ALIASES, KINDS
from memory_graph.policy.time_phrases.shapes import TOKEN

TokenValue = int | str | date


class Reading(NamedTuple):
    """Everything a piece of text may be read as."""

    text: str
    """Lowercase, without apostrophes; every dash is `-`."""

    kinds: dict[str, TokenValue]
    keys: frozenset[str]
    """Its kinds and its spellings, for quick comparison with a rule."""


class Token(NamedTuple):
    """One piece of text and where it stands."""

    text: str
    kinds: dict[str, TokenValue]
    keys: frozenset[str]
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Tell words and numbers from punctuation."""
        return self.text[:1].isalnum()


def tokenize(text: str, start: int, end: int) -> list[Token]:
    """Split a stretch of text, with straight apostrophes, into tokens."""
    return [
        Token(*_read(match.lastgroup or "", match.group().lower()), *match.span())
        for match in TOKEN.finditer(text, start, end)
    ]


@lru_cache(maxsize=8192)
def _read(shape: str, text: str) -> Reading:
    if shape in {"plain", "word", "gluedmonth"}:
        return _read_word(text)
    if shape == "weekend":
        return _read_word("weekend")
    kinds = _READERS[shape](text) if shape in _READERS else {}
    spelling = "-" if shape == "dash" else text
    return Reading(spelling, kinds, frozenset({spelling, *kinds}))


def _read_word(text: str) -> Reading:
    owner = text.split("'")[0]
    owner = ALIASES.get(owner, owner)
    plain = text.replace("'", "")
    plain = ALIASES.get(plain, plain)
    known: dict[str, TokenValue] = {**KINDS.get(owner, {})}
    return Reading(plain, known, frozenset({plain, owner, *known}))


def _numbers(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", text)]


def _read_ymd(text: str) -> dict[str, TokenValue]:
    year, month, day = _numbers(text)
    return _real_date(year, month, day)


def _read_ymd8(text: str) -> dict[str, TokenValue]:
    return _real_date(int(text[:4]), int(text[4:6]), int(text[6:]))


def _real_date(year: int, month: int, day: int) -> dict[str, TokenValue]:
    try:
        return {"DATE": date(year, month, day)}
    except ValueError:
        return {}


def _read_year_month(text: str) -> dict[str, TokenValue]:
    year, month = sorted(_numbers(text), reverse=True)
    if month == (year + 1) % 100 and month > 12 and text.startswith(str(year)):
        return {"YEARPAIR": year}
    return {"YEARMONTH": year * 12 + month - 1} if 1 <= month <= 12 and year > 1800 else {}


def _read_number(text: str) -> dict[str, TokenValue]:
    if text.endswith(".5") and text[:-2].isdecimal() and len(text) < 5:
        return {"ANDAHALF": int(text[:-2])}
    if not text.isdecimal() or len(text) > 4:
        return {}
    number = int(text)
    if 1000 <= number <= 2100:
        return {"NUM": number, "YEAR": number}
    return {"NUM": number}


def _read_decade(text: str) -> dict[str, TokenValue]:
    return {"DECADE": _numbers(text)[0]}


_READERS: dict[str, Callable[[str], dict[str, TokenValue]]] = {
    "isoweek": lambda text: {"ISOWEEK": text},
    "ymd": _read_ymd,
    "ymd8": _read_ymd8,
    "dmy": lambda text: {"NUMERIC": text},
    "ym": _read_year_month,
    "my": _read_year_month,
    "clock": lambda text: {"CLOCK": text},
    "md": lambda text: {"SLASHED": text},
    "decade": _read_decade,
    "shortyear": lambda text: {"SHORTYEAR": int(text[1:])},
    "ordinal": lambda text: {"ORDINAL": int(text[:-2])},
    "gluednumber": _read_number,
    "gluedyear": _read_number,
    "daybeforeyear": _read_number,
    "fiscal": lambda text: {"FISCAL": _numbers(text)[0]},
    "weekcode": lambda text: {"WEEKCODE": _numbers(text)[0]},
    "number": _read_number,
    "quarter": lambda text: {"QUARTER": _numbers(text)[0]},
    "half": lambda text: {"HALF": _numbers(text)[0]},
}
