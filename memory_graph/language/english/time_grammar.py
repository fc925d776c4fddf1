"""Split English text into tokens, and parse the time phrases in it with the grammar."""

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from inspect import signature
from itertools import takewhile
from operator import add, mul, sub
from pathlib import Path
from typing import Any, NamedTuple

from memory_graph.language.english import time_meanings as meanings
from memory_graph.language.english.time_meanings import Amount, Nothing, Recurring, Reference, Span

TokenValue = int | str | date
_DATA = Path(__file__).parent / "data"
_WORDS: dict[str, Any] = json.loads((_DATA / "time_words.json").read_text(encoding="utf-8"))
_HOLIDAYS = json.loads((_DATA / "holidays.json").read_text(encoding="utf-8"))
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
    """Its kinds, its form and its spellings, for quick comparison with a rule or guard."""

    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Tell words and numbers from punctuation."""
        return "WORD" in self.keys


Tokens = Sequence[Token]


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
        return plain, kinds, frozenset({plain, owner, *kinds, *_form(plain)})
    kinds = _READERS[shape](text) if shape in _READERS else {}
    spelling = "-" if shape == "dash" else text
    return spelling, kinds, frozenset({spelling, *kinds, *_form(spelling)})


def _form(text: str) -> Iterator[str]:
    if text[:1].isalnum():
        yield "WORD"
    if text[:1].isdigit():
        yield "DIGITS"
    if text.isalpha():
        yield "LETTERS"
    if text.endswith("s"):
        yield "PLURAL"


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
    if not 1000 <= number <= 2100:
        return {"NUM": number}
    late = {f"YEAR{first}": number for first in (1800, 1900) if number >= first}
    return {"NUM": number, "YEAR": number, **late}


def _read_slashed(text: str) -> dict[str, TokenValue]:
    kinds = ("SLASHED", "DAY13") if max(_numbers(text)) > 12 else ("SLASHED",)
    return dict.fromkeys(kinds, text)


def _read_decade(text: str) -> dict[str, TokenValue]:
    number = _numbers(text)[0]
    return dict.fromkeys(("DECADE", "FULLDECADE") if number > 99 else ("DECADE",), number)


_READERS: dict[str, Callable[[str], dict[str, TokenValue]]] = {
    "isoweek": lambda text: {"ISOWEEK": text},
    "ymd": _read_date,
    "dmy": lambda text: {"NUMERIC": text},
    "ym": _read_year_month,
    "my": _read_year_month,
    "clock": lambda text: {"CLOCK": text},
    "md": _read_slashed,
    "decade": _read_decade,
    "shortyear": lambda text: {"SHORTYEAR": int(text[1:])},
    "ordinal": lambda text: {"ORDINAL": int(text[:-2])},
    "gluednumber": _read_number,
    "number": _read_number,
    "quarter": lambda text: {"QUARTER": _numbers(text)[0]},
    "half": lambda text: {"HALF": _numbers(text)[0]},
}


Value = Span | Recurring | Nothing | Amount | date | int | str | None
Guard = Callable[[Tokens, int, int], bool]
"""Looks at the words around `tokens[start:end]`: does the reading make sense there?"""
Build = Callable[..., Value]
"""Turns what a pattern captured into its meaning; nothing when it has none (31 June)."""
Found = tuple[Value, int]
Matched = tuple[tuple[Value, ...], int]


# — guards: `data/time_guards.txt` explains its own notation —

_NO_TOKEN = frozenset({"END"})
_SKIPPED = frozenset({"the", "early", "late", "mid", "-"})
_LEADING = frozenset({"the", "on", "in", "at"})
_FUNCTION_WORDS = word_set("function_words")
"""Words that may follow a finished time phrase; a noun there makes it part of a name."""
_PAST_VERBS = word_set("past_verbs")
_AHEAD_WORDS = word_set("ahead_words")
"""Words after which a statement speaks of what is to come: `is`, `will`, `planning`."""
_TITLED = word_set("titled")
_HABITS = word_set("habits")
_FULL_STOPS = frozenset({".", "!", "?"})
_HABIT_REACH = 6
_CLAUSE_REACH = 30
"""Tokens looked at for the verb of a sentence."""


def _keys(tokens: Tokens, index: int) -> frozenset[str]:
    return tokens[index].keys if 0 <= index < len(tokens) else _NO_TOKEN


def _before(tokens: Tokens, start: int, _: int) -> int:
    """Return the place of the word before, articles left out."""
    start -= 1
    while not _SKIPPED.isdisjoint(_keys(tokens, start)):
        start -= 1
    return start


def _closes(tokens: Tokens, start: int, end: int) -> bool:
    """Tell whether no noun follows that would make the reading part of a name."""
    if end >= len(tokens):
        return True
    following = tokens[end]
    if following.text == "-" and end + 1 < len(tokens):  # `the second-order method`
        word = tokens[end + 1]
        if following.end == word.start and word.is_word and not word.kinds:
            return False
    if not following.is_word or following.text in _FUNCTION_WORDS:
        return True
    return not following.keys.isdisjoint({"CLOCK", "DAYPART", "NUM"})


def _is_alone(tokens: Tokens, start: int, end: int) -> bool:
    """Tell whether the message consists of nothing else: `Christmas`, `sat.`, `The 28th?`."""
    if any(token.is_word for token in tokens[end : end + _CLAUSE_REACH]):
        return False
    return all(t.text in _LEADING or not t.is_word for t in tokens[max(0, start - 9) : start])


def _sentence(tokens: Tokens, place: int) -> tuple[Tokens, Tokens]:
    """Return what comes before and after a place in its sentence, nearest tokens first."""
    before = takewhile(
        lambda token: token.text not in _FULL_STOPS,
        reversed(tokens[max(0, place - _CLAUSE_REACH) : place]),
    )
    here, *after = tokens[place : place + _CLAUSE_REACH]
    return [*before], [here, *takewhile(lambda token: token.text not in _FULL_STOPS, after)]


def _is_past_verb(token: Token) -> bool:
    return token.text in _PAST_VERBS or (token.text.endswith("ed") and len(token.text) > 4)


def _is_past(tokens: Tokens, start: int, end: int) -> bool:
    """Tell whether a verb of the sentence is in the past tense, as far as its form shows."""
    return any(_is_past_verb(token) for part in _sentence(tokens, start) for token in part)


_FLAGS: dict[str, Guard] = {
    "alone": _is_alone,
    "closes": _closes,
    "closes2": lambda tokens, start, end: _closes(tokens, start, end + 1),
    "past": _is_past,
}
_PLACES: dict[str, Callable[[Tokens, int, int], int]] = {
    "before2": lambda tokens, start, end: start - 2,
    "before": lambda tokens, start, end: start - 1,
    "previous": _before,
    "first": lambda tokens, start, end: start,
    "second": lambda tokens, start, end: start + 1,
    "inner": lambda tokens, start, end: end - 2,
    "last": lambda tokens, start, end: end - 1,
    "after": lambda tokens, start, end: end,
    "after2": lambda tokens, start, end: end + 1,
}


def _condition(written: str) -> Guard:
    """Read `before=in|on`, `after!=WORD`, `alone` or `!closes`."""
    name, _, words = written.partition("=")
    wanted, name = "!" not in name, name.strip("!")
    if not words:
        flag = _FLAGS[name]
        return lambda tokens, start, end: flag(tokens, start, end) is wanted
    place, keys = _PLACES[name], frozenset(words.split("|"))
    return lambda tokens, start, end: (
        keys.isdisjoint(_keys(tokens, place(tokens, start, end))) is not wanted
    )


def _guard(lines: Sequence[str]) -> Guard:
    """Return the guard that accepts what the first of its lines to hold says `yes` to."""
    ways = [
        (verdict == "yes", [_condition(each) for each in conditions])
        for verdict, *conditions in map(str.split, lines)
    ]

    def guard(tokens: Tokens, start: int, end: int) -> bool:
        for verdict, conditions in ways:
            if all(holds(tokens, start, end) for holds in conditions):
                return verdict
        return False

    return guard


# — rules: `data/time_grammar.txt` explains its own notation —


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


@cache
def _grammar() -> Grammar:
    """Read the grammar and its guards."""
    lists = {
        name.upper(): listed.replace(" ", "|")
        for name, listed in _WORDS.items()
        if isinstance(listed, str)
    }
    guards = {
        name: _guard([line.format_map(lists) for line in lines])
        for name, lines in _sections("time_guards").items()
    }
    sections = _sections("time_grammar")
    lists |= {
        name.strip("{}"): words
        for name, _, words in (line.partition(" = ") for line in sections.pop("words"))
    }
    days = [make_rule(name, meanings.holiday(when)) for name, when in _HOLIDAYS.items()]
    rules: dict[str, list[Rule]] = {"holiday": days}
    for symbol, lines in sections.items():
        for line in lines:
            pattern, _, rest = line.format_map(lists).partition(" = ")
            written, _, check = map(str.strip, rest.partition(" ? "))
            guard = guards.get(check) or (_guard([f"yes {check}"]) if check else None)
            rules.setdefault(symbol, []).append(make_rule(pattern, _meaning(written), guard))
    return Grammar(rules)


def _sections(table: str) -> dict[str, list[str]]:
    """Return the lines of a table by the name in brackets above them."""
    found: dict[str, list[str]] = {}
    symbol = "words"
    for line in (_DATA / f"{table}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            symbol = line.strip("[]")
        elif line and not line.startswith("#"):
            found.setdefault(symbol, []).append(line)
    return found


def _meaning(written: str) -> Build:
    node = ast.parse(written.strip().replace("$", "_"), mode="eval").body
    if isinstance(node, ast.Name) and node.id != "nothing" and not node.id.startswith("_"):
        return _function(node.id)
    return lambda ref, *captured: _evaluate(node, ref, captured)


def _evaluate(node: ast.expr, ref: Reference, captured: tuple[Value, ...]) -> Value:
    """Return what an expression means; a call among its arguments that means nothing ends it."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, ref, captured)  # type: ignore[operator]
        case ast.BinOp(left=left, op=operator, right=right):
            numbers = (_evaluate(each, ref, captured) or 0 for each in (left, right))
            return _OPERATIONS[type(operator)](*numbers)
        case ast.Name(id="nothing" | "today" as name):
            return ref.today if name == "today" else Nothing()
        case ast.Name(id=name):
            return captured[int(name[1:]) - 1] if name.startswith("_") else name
        case ast.Call(func=ast.Name(id=name), args=arguments):
            values = [_evaluate(each, ref, captured) for each in arguments]
            pairs = zip(arguments, values, strict=True)
            if any(isinstance(each, ast.Call) and value is None for each, value in pairs):
                return None
            return _function(name)(ref, *values)
    raise ValueError(ast.unparse(node))


_OPERATIONS: dict[type[ast.operator], Build] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul}


@cache
def _function(name: str) -> Build:
    """Return a function of `meanings`, which may do without the reference."""
    function: Build = getattr(meanings, name)
    if "ref" in signature(function).parameters:
        return function
    return lambda ref, *captured: function(*captured)


# — parsing —

DEEPEST = 24
"""Nobody nests phrases deeper; a text that repeats itself must not."""


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


# — where phrases are —

_REACH = 7
"""A phrase has its telling word among its first tokens."""
_TELLING_KINDS = word_set("telling_kinds")
_TELLING_WORDS = word_set("telling_words") | {
    word for name in _HOLIDAYS for word in re.findall(r"[a-z]{4,}", name)
}


class Hit(NamedTuple):
    """A span that a text speaks of, and the words it was read from."""

    span: Span
    phrase: str


def hits(text: str, now: datetime, *, statement: bool) -> Iterator[Hit]:
    """Yield every span a text speaks of; in a statement names may mean what is to come."""
    tokens = tokenize(text.replace("’", "'"))
    back = Parse(_grammar(), tokens, Reference(now=now))
    ahead = Parse(_grammar(), tokens, Reference(now=now, ahead=True))
    read_up_to = 0
    for position in _worth_trying(tokens):
        if position < read_up_to:
            continue
        parse = ahead if statement and _looks_ahead(tokens, position) else back
        found = parse.longest("phrase", position)
        if found is None:
            continue
        value, read_up_to = found
        if isinstance(value, Span) and _speaks_of(tokens, position, read_up_to, statement):
            yield Hit(value, text[tokens[position].start : tokens[read_up_to - 1].end])


def _worth_trying(tokens: Tokens) -> list[int]:
    """Return where a phrase may begin: a telling token is within reach."""
    positions: list[int] = []
    telling = len(tokens) + _REACH
    for index in range(len(tokens) - 1, -1, -1):
        keys = tokens[index].keys
        is_day = "NUM" in keys and index > 0 and tokens[index - 1].text in {"on", "the"}
        if is_day or not (_TELLING_KINDS.isdisjoint(keys) and _TELLING_WORDS.isdisjoint(keys)):
            telling = index
        if telling - index < _REACH:
            positions.append(index)
    return positions[::-1]


def _speaks_of(tokens: Tokens, start: int, end: int, statement: bool) -> bool:
    """Tell a time the sentence is about from a title or a habit; `due on Friday` is a statement."""
    before = [token.text for token in tokens[max(0, start - _HABIT_REACH) : start] if token.is_word]
    habits = _HABITS.intersection(before) - ({"due"} if statement else set())
    if habits and not _is_past(tokens, start, end):
        return False
    if before[-2:] == ["when", "is"]:
        return False
    if before:
        return before[-1] not in _TITLED and before not in (["play"], ["watch"], ["stream"])
    by = "by" in _keys(tokens, end)
    return not by or any(token.kinds for token in tokens[end + 1 : end + 4])


def _looks_ahead(tokens: Tokens, start: int) -> bool:
    """Tell whether a statement means the coming day by `on Friday`.

    The nearest verb before the phrase decides, then the first one after it; without a verb
    (`dentist on Friday`) the day is to come, as it is after `moved to` and `booked for`.
    """
    before, after = _sentence(tokens, start)
    if tokens[start].text in {"since", "ever"}:
        return False
    if tokens[start].text == "by" or not _keys(tokens, start - 1).isdisjoint({"to", "for"}):
        return True
    nearest = [*before, *after]
    for index, token in enumerate(nearest):
        goes_on = 0 < index < len(before) and nearest[index - 1].text.endswith("ing")
        if token.text in _AHEAD_WORDS or _is_contracted(token, goes_on=goes_on):
            return True
        auxiliary = nearest[index + 1].text if index + 1 < len(before) else ""
        passive = auxiliary.endswith("ing") or auxiliary in {"is", "are", "be", "get", "gets"}
        if _is_past_verb(token) and not passive:
            return False
    return True


def _is_contracted(token: Token, *, goes_on: bool) -> bool:
    """Tell `we're`, `I'll` and the `he's` of `he's coming` from `were`, `ill` and `his`."""
    ends = ("ll", "re", "m", "s") if goes_on else ("ll", "re", "m")
    return any(token.text.endswith(end) and token.text[: -len(end)] in token.keys for end in ends)
