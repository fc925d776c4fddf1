"""Which words, numbers and numeric dates does a text consist of?"""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from memory_graph.policy.time_phrases.lexicon import KINDS, MONTHS, UNITS

TokenValue = int | str | date
_MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_UNIT_NAMES = "|".join(sorted(UNITS, key=len, reverse=True))
_ALONE = r"(?<![\d.,:_])(?<!\d[-/])"
"""Not the tail of a longer number, a version, a phone number or a code."""
_ENDS = r"(?![\d_])(?![-/.:,]\d)(?!%)"
_ALONE_SLASHED = r"(?<![\d.,:_/])"
_ENDS_SLASHED = r"(?![\d_])(?![/.:]\d)(?!%)"
"""Dates with slashes may be joined by a dash: 10/1-11/7."""

_TOKEN = re.compile(
    rf"""
      (?P<plain> (?<!\w)[^\W\d_]+(?:'[^\W\d_]*)?(?:(?![\w.:@])|(?=\.(?:\s|$))) )
    | (?P<link> https?://\S+ | [\w.+-]{{1,64}}@\S{{1,99}}
              | [a-z]\w*\.(?:com|org|net|io|dev|ai|py|js|txt|md)\b )
    | (?P<tag> [$€£\#@]\s?\w[\w.,]* )
    | (?P<isoweek> {_ALONE}\d{{4}}-?w\d{{2}}\b )
    | (?P<ymd> {_ALONE}\d{{4}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}{_ENDS} )
    | (?P<ymd8> {_ALONE}(?<!\w)(?:19|20)\d{{6}}(?!\w){_ENDS} )
    | (?P<dmy> {_ALONE}(?<![a-z])\d{{1,2}}(?:-\d{{1,2}}-(?:\d{{4}}|\d{{2}})
              |\.\d{{1,2}}\.\d{{4}}){_ENDS}
              | {_ALONE_SLASHED}(?<![a-z])\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}}){_ENDS_SLASHED} )
    | (?P<ym> {_ALONE}\d{{4}}\s?[-/]\s?\d{{1,2}}(?!\s?[a-z]){_ENDS} )
    | (?P<my> {_ALONE}(?<![a-z]-)\d{{1,2}}\s?[-/]\s?\d{{4}}(?!\w){_ENDS} )
    | (?P<clock> {_ALONE}\d{{1,2}}(?::\d{{2}}){{1,2}}(?:\s?[ap]\.?m\b)?
              | {_ALONE}\d{{1,2}}(?:\.\d{{2}})?(?:\s?[ap]\.?m\b|\s?o'?clock\b|[ap]\b) )
    | (?P<md> {_ALONE_SLASHED}(?<![a-z])\d{{1,2}}/\d{{1,2}}(?!\w){_ENDS_SLASHED} )
    | (?P<decade> (?<![\w.,-])'?(?:\d{{3}}0\s?'?s|[1-9]0'?s)\b )
    | (?P<shortyear> (?<!\w)'\d{{2}}(?!\w) )
    | (?P<ordinal> (?<!\w)\d{{1,2}}(?:st|nd|rd|th)\b )
    | (?P<gluedmonth> (?<!\w)(?:{_MONTH_NAMES})(?=\d{{1,4}}\b) )
    | (?P<gluednumber> {_ALONE}(?<!\w)\d{{1,3}}(?=(?:{_UNIT_NAMES}|[mhdwy]|mo)\b) )
    | (?P<gluedyear> (?<!\w)\d{{4}}(?=[qh]\d\b) )
    | (?P<quarter> (?<![a-z])q[1-4]\b )
    | (?P<half> (?<![a-z])h[12]\b )
    | (?P<mixed> [^\W\d_]+[\d_]\w* | \d[\d.,]*[^\W\d]\w* | _\w* )
    | (?P<number> \d+(?:[.,:]\d+)* )
    | (?P<word> [^\W\d_]+(?:'[^\W\d_]*)? )
    | (?P<dash> [-–—~] )
    | (?P<mark> [^\w\s] )
    """,
    re.VERBOSE | re.IGNORECASE,
)


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
        for match in _TOKEN.finditer(text, start, end)
    ]


@lru_cache(maxsize=8192)
def _read(shape: str, text: str) -> Reading:
    if shape in {"plain", "word", "gluedmonth"}:
        return _read_word(text)
    kinds = _READERS[shape](text) if shape in _READERS else {}
    spelling = "-" if shape == "dash" else text
    return Reading(spelling, kinds, frozenset({spelling, *kinds}))


def _read_word(text: str) -> Reading:
    plain = text.replace("'", "")
    owner = text.split("'")[0]
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
    return {"YEARMONTH": year * 12 + month - 1} if 1 <= month <= 12 and year > 1800 else {}


def _read_number(text: str) -> dict[str, TokenValue]:
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
    "number": _read_number,
    "quarter": lambda text: {"QUARTER": int(text[1:])},
    "half": lambda text: {"HALF": int(text[1:])},
}
