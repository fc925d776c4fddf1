"""Split English text into tokens, and parse time phrases with the grammar."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from memory_graph.language.english.time.meanings import Amount, Nothing, Recurring, Reference, Span

TokenValue = int | str | date
DATA = Path(__file__).parent.parent / "data"
_WORDS: dict[str, Any] = json.loads((DATA / "time_words.json").read_text(encoding="utf-8"))
_ALIASES: dict[str, str] = _WORDS["aliases"]
"""Spellings of chat messages."""


def word_set(name: str) -> frozenset[str]:
    """Return one of the word lists of `time_words.json`."""
    return frozenset(_WORDS[name].split())


def _numbered(name: str, first: int, step: int = 1) -> dict[str, int]:
    listed = _WORDS[name] if isinstance(_WORDS[name], list) else _WORDS[name].split()
    return {w: first + i * step for i, line in enumerate(listed) for w in line.split()}


def _spelled(name: str) -> dict[str, str]:
    return {word: meaning for meaning, listed in _WORDS[name].items() for word in listed.split()}


_WEEKDAYS = _numbered("weekdays", 0)
_MONTHS, _UNITS, _SEASONS = _numbered("months", 1), _spelled("units"), _spelled("seasons")
_TABLES: dict[str, Mapping[str, TokenValue]] = {
    "MONTH": _MONTHS,
    "WEEKDAY": _WEEKDAYS,
    "WEEKDAYS": {f"{name}s": n for name, n in _WEEKDAYS.items() if name.endswith("day")},
    "UNIT": _UNITS,
    "SHORTUNIT": _spelled("short_units"),
    "SEASON": _SEASONS,
    "SEASONS": {f"{name}s": season for name, season in _SEASONS.items()},
    "DAYPART": {part: part for part in word_set("day_parts")},
    "DIGIT": _numbered("digits", 1),
    "TEEN": _numbered("teens", 10),
    "TENS": _numbered("tens", 20, 10),
    "ORDINAL": _numbered("ordinals", 1) | {"thirtieth": 30},
    "DECADE": _numbered("decades", 20, 10),
}
_KINDS: dict[str, dict[str, TokenValue]] = {}
"""For every known word its kinds, each with what it stands for."""
for _kind, _table in _TABLES.items():
    for _word, _value in _table.items():
        _KINDS.setdefault(_word, {})[_kind] = _value

_MONTH_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_UNIT_NAMES = "|".join(sorted(_UNITS, key=len, reverse=True))
_ALONE = r"(?<![\d.,:_])(?<!\d[-/])"
"""Not the tail of a longer number, a version, a phone number or a code."""
_ENDS = r"(?![\d_])(?![-/.:,]\d)(?!%)"
_ALONE_SLASHED = r"(?<![\d.,:_/])"
_ENDS_SLASHED = r"(?![\d_])(?![/.:]\d)(?!%)"
"""Dates with slashes may be joined by a dash: 10/1-11/7."""
TOKEN = re.compile(
    rf"""
      (?P<weekend> (?<!\w)week(?:-ends?|\send)(?![\w-]) )
    | (?P<plain> (?<!\w)[^\W\d_]+(?:'[^\W\d_]*)?(?:(?![\w.:@])|(?=\.(?:\s|$))) )
    | (?P<link> https?://\S{{1,500}} | [\w.+-]{{1,64}}@\S{{1,99}}
              | [a-z]\w{{0,40}}\.(?:com|org|net|io|dev|ai|py|js|txt|md)\b )
    | (?P<tag> [$€£\#@]\s?\w[\w.,]{{0,60}} )
    | (?P<isoweek> {_ALONE}\d{{4}}-?w\d{{2}}\b )
    | (?P<ymd> {_ALONE}\d{{4}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}{_ENDS} )
    | (?P<dmy> {_ALONE}(?<![a-z])\d{{1,2}}(?:-\d{{1,2}}-(?:\d{{4}}|\d{{2}})
              |\.\d{{1,2}}\.\d{{4}}){_ENDS}
              | {_ALONE_SLASHED}(?<![a-z])\d{{1,2}}/\d{{1,2}}/(?:\d{{4}}|\d{{2}}){_ENDS_SLASHED} )
    | (?P<ym> {_ALONE}\d{{4}}\s?[-/]\s?\d{{1,2}}(?!\s?[a-z]){_ENDS} )
    | (?P<my> {_ALONE}(?<![a-z][-/])\d{{1,2}}\s?[-/]\s?\d{{4}}(?!\w){_ENDS} )
    | (?P<clock> {_ALONE}\d{{1,2}}(?::\d{{2}}){{1,2}}(?:\s?[ap]\.?m\b)?
              | {_ALONE}\d{{1,2}}(?:\.\d{{2}})?(?:\s?[ap]\.?m\b|\s?o'?clock\b|[ap]\b) )
    | (?P<md> {_ALONE_SLASHED}(?<![a-z])\d{{1,2}}/\d{{1,2}}(?!\w){_ENDS_SLASHED} )
    | (?P<decade> (?<![\w.,])(?<!\d-)'?(?:\d{{3}}0\s?'?s|[1-9]0'?s)\b )
    | (?P<shortyear> (?:(?<!\w)|(?<=q\d)|(?<=h\d))'\d{{2}}(?!\w) )
    | (?P<ordinal> (?<!\w)\d{{1,2}}(?:st|nd|rd|th)\b )
    | (?P<gluedmonth> (?<!\w)(?:{_MONTH_NAMES})(?=\d{{1,4}}\b) )
    | (?P<gluednumber> {_ALONE}(?<!\w)\d{{1,3}}(?=(?:{_UNIT_NAMES}|[smhdwy]|mo)\b)
              | (?<![\w.,-])\d{{1,2}}(?=(?:{_MONTH_NAMES})\b)
              | {_ALONE}(?<!\w)\d{{1,2}}(?=,(?:19|20)\d\d\b) | (?<!\w)\d{{4}}(?=[qh]\d\b) )
    | (?P<quarter> (?<![a-z])q[1-4](?!\w) | (?<!\w)[1-4]q(?=\d\d\b|\s\d{{4}}\b) )
    | (?P<half> (?<![a-z])h[12](?!\w) | (?<!\w)[12]h(?=\s\d{{4}}\b) )
    | (?P<mixed> [^\W\d_]{{1,60}}[\d_]\w{{0,60}} | \d[\d.,]{{0,40}}[^\W\d]\w{{0,60}} | _\w{{0,60}} )
    | (?P<number> \d{{1,60}}(?:[.,:]\d{{1,60}}){{0,20}} )
    | (?P<word> [^\W\d_]+(?:'[^\W\d_]*)? )
    | (?P<dash> [-–—~] )
    | (?P<mark> [^\w\s] )
    """,
    re.VERBOSE | re.IGNORECASE,
)


class Token(NamedTuple):
    """One piece of text, everything it may be read as, and where it stands."""

    text: str
    """Lowercase, without apostrophes; every dash is `-`."""

    kinds: dict[str, TokenValue]
    keys: frozenset[str]
    """Its kinds and its spellings, for quick comparison with a rule."""

    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Tell words and numbers from punctuation."""
        return self.text[:1].isalnum()


def tokenize(text: str) -> list[Token]:
    """Split a text, with straight apostrophes, into tokens."""
    return [
        Token(*_read(match.lastgroup or "", match.group().lower()), *match.span())
        for match in TOKEN.finditer(text)
    ]


@lru_cache(maxsize=8192)
def _read(shape: str, text: str) -> tuple[str, dict[str, TokenValue], frozenset[str]]:
    """Return the spelling of a token, its kinds, and both for quick comparison."""
    if shape in {"plain", "word", "gluedmonth", "weekend"}:
        text = "weekend" if shape == "weekend" else text
        owner, plain = text.split("'")[0], text.replace("'", "")
        owner, plain = _ALIASES.get(owner, owner), _ALIASES.get(plain, plain)
        kinds = _KINDS.get(owner, {})
        return plain, kinds, frozenset({plain, owner, *kinds})
    kinds = _READERS[shape](text) if shape in _READERS else {}
    spelling = "-" if shape == "dash" else text
    return spelling, kinds, frozenset({spelling, *kinds})


def _numbers(text: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", text)]


def _read_date(text: str) -> dict[str, TokenValue]:
    try:
        return {"DATE": date(*_numbers(text))}
    except ValueError:
        return {}


def _read_year_month(text: str) -> dict[str, TokenValue]:
    year, month = sorted(_numbers(text), reverse=True)
    return {"YEARMONTH": date(year, month, 1)} if 1 <= month <= 12 and year > 1800 else {}


def _read_number(text: str) -> dict[str, TokenValue]:
    if not text.isdecimal() or len(text) > 4:
        return {}
    number = int(text)
    return {"NUM": number, "YEAR": number} if 1000 <= number <= 2100 else {"NUM": number}


_READERS: dict[str, Callable[[str], dict[str, TokenValue]]] = {
    "isoweek": lambda text: {"ISOWEEK": text},
    "ymd": _read_date,
    "dmy": lambda text: {"NUMERIC": text},
    "ym": _read_year_month,
    "my": _read_year_month,
    "clock": lambda text: {"CLOCK": text},
    "md": lambda text: {"SLASHED": text},
    "decade": lambda text: {"DECADE": _numbers(text)[0]},
    "shortyear": lambda text: {"SHORTYEAR": int(text[1:])},
    "ordinal": lambda text: {"ORDINAL": int(text[:-2])},
    "gluednumber": _read_number,
    "number": _read_number,
    "quarter": lambda text: {"QUARTER": _numbers(text)[0]},
    "half": lambda text: {"HALF": _numbers(text)[0]},
}
Value = Span | Recurring | Nothing | Amount | date | int | str | None
Guard = Callable[[Sequence[Token], int, int], bool]
"""Looks at the words around `tokens[start:end]`: does the reading make sense there?"""
Build = Callable[..., Value]
"""Turns what a pattern captured into its meaning; nothing when it has none (31 June)."""
Found = tuple[Value, int]
Matched = tuple[tuple[Value, ...], int]
DEEPEST = 24
"""Nobody nests phrases deeper; a text that repeats itself must not."""


@dataclass(frozen=True, slots=True)
class Element:
    """One place in a pattern: a word, a captured `KIND`, or a captured `<symbol>`."""

    keys: frozenset[str]
    symbol: str = ""
    captures: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to write a symbol."""

    elements: tuple[Element, ...]
    build: Build
    guard: Guard | None


def make_rule(pattern: str, build: Build, guard: Guard | None = None) -> Rule:
    """Read a pattern such as `the? <ordinal> of MONTH`."""
    elements: list[Element] = []
    for word in pattern.split():
        optional = len(word) > 1 and word.endswith("?")
        name = word[:-1] if optional else word
        if name.startswith("<"):
            elements.append(Element(frozenset(), name[1:-1], True, optional))
        else:
            elements.append(Element(frozenset(name.split("|")), "", name.isupper(), optional))
    return Rule(tuple(elements), build, guard)


class Grammar:
    """Rules by symbol, with the tokens each rule may begin with worked out in advance."""

    def __init__(self, rules: Mapping[str, Sequence[Rule]]) -> None:
        self._rules = rules
        self._openings: dict[tuple[str, frozenset[str]], list[Rule]] = {}
        self._firsts: dict[str, frozenset[str]] = dict.fromkeys(rules, frozenset())
        before: dict[str, frozenset[str]] = {}
        while self._firsts != before:
            before = self._firsts
            self._firsts = {
                symbol: frozenset().union(*map(self._first_of, ways))
                for symbol, ways in rules.items()
            }

    def openings(self, symbol: str, token: Token) -> list[Rule]:
        """Return the rules of a symbol that may begin with `token`."""
        keys = self._firsts[symbol] & token.keys
        found = self._openings.get((symbol, keys))
        if found is None:
            found = [r for r in self._rules[symbol] if not keys.isdisjoint(self._first_of(r))]
            self._openings[symbol, keys] = found
        return found

    def _first_of(self, rule: Rule) -> frozenset[str]:
        keys: frozenset[str] = frozenset()
        for element in rule.elements:
            keys |= self._firsts[element.symbol] if element.symbol else element.keys
            if not element.optional:
                break
        return keys


@dataclass
class Parse:
    """One text being matched; every symbol is tried at most once per position."""

    grammar: Grammar
    tokens: Sequence[Token]
    reference: Reference
    _known: dict[tuple[str, int], Found | None] = field(default_factory=dict)
    _depth: int = 0

    def longest(self, symbol: str, start: int) -> Found | None:
        """Return the meaning of the longest `symbol` at `start`, and where it ends."""
        key = (symbol, start)
        if key in self._known:
            return self._known[key]
        if start >= len(self.tokens) or self._depth >= DEEPEST:
            return None
        self._known[key] = None  # A symbol inside itself at the same place finds nothing.
        self._depth += 1
        best: Found | None = None
        for rule in self.grammar.openings(symbol, self.tokens[start]):
            found = self._apply(rule, start)
            if found and (best is None or found[1] > best[1]):
                best = found
        self._depth -= 1
        self._known[key] = best
        return best

    def _apply(self, rule: Rule, start: int) -> Found | None:
        matched = self._match(rule.elements, start)
        if matched is None:
            return None
        captures, end = matched
        if rule.guard and not rule.guard(self.tokens, start, end):
            return None
        for captured in captures:
            if isinstance(captured, Nothing):  # Part of `every week` makes no date of it either.
                return captured, end
        try:
            value = rule.build(self.reference, *captures)
        except (ValueError, OverflowError):  # The calendar has no such day.
            return None
        return None if value is None else (value, end)

    def _match(self, elements: tuple[Element, ...], start: int) -> Matched | None:
        if not elements:
            return (), start
        element = elements[0]
        here = self._one(element, start)
        tail = self._match(elements[1:], here[1]) if here else None
        if here and tail:
            return ((here[0], *tail[0]), tail[1]) if element.captures else tail
        tail = self._match(elements[1:], start) if element.optional else None
        return ((None, *tail[0]), tail[1]) if tail and element.captures else tail

    def _one(self, element: Element, start: int) -> Found | None:
        if element.symbol:
            return self.longest(element.symbol, start)
        if start >= len(self.tokens):
            return None
        token = self.tokens[start]
        if not element.captures:
            return None if element.keys.isdisjoint(token.keys) else (None, start + 1)
        kind = next((kind for kind in token.kinds if kind in element.keys), None)
        return None if kind is None else (token.kinds[kind], start + 1)
