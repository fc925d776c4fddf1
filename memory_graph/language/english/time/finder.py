"""Find the past time that a message asks about, and the dates that a statement names."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from inspect import signature
from itertools import islice
from operator import add, mul, sub
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.language.english.time import guards, meanings
from memory_graph.language.english.time.meanings import Nothing, Reference, Span, add_days
from memory_graph.language.english.time.parser import (
    DATA,
    Build,
    Grammar,
    Parse,
    Rule,
    Token,
    Value,
    make_rule,
    tokenize,
    word_set,
)
from memory_graph.language.times import DateMention, TimeRange, midnight, shortened

OLDEST = date(2, 1, 1)
"""The first days of year 1 have no instant in zones east of Greenwich."""
HITS_COMPARED = 5
"""A message full of dates is a list, and its first few are as good as the rest."""
MENTIONS = 50
"""The most dates returned of one statement."""
REACH = 7
"""A phrase has its telling word among its first tokens."""
ONE_DAY = timedelta(days=1)


# — the grammar: `data/time_grammar.txt` explains its own notation —


@cache
def _grammar() -> Grammar:
    days = [make_rule(name, meanings.holiday(when)) for name, when in _HOLIDAYS.items()]
    rules: dict[str, list[Rule]] = {"holiday": days}
    words: dict[str, str] = {}
    symbol = ""
    for line in (DATA / "time_grammar.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            symbol = line.strip("[]")
        elif line.startswith("{") and not symbol:
            name, _, meaning = line.partition(" = ")
            words[name.strip("{}")] = meaning
        elif line and not line.startswith("#"):
            pattern, _, rest = line.format_map(words).partition(" = ")
            written, _, guard = rest.partition(" ? ")
            check = getattr(guards, guard.strip()) if guard else None
            rules.setdefault(symbol, []).append(make_rule(pattern, _meaning(written), check))
    return Grammar(rules)


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
            numbers = _evaluate(left, ref, captured), _evaluate(right, ref, captured)
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


_HOLIDAYS = json.loads((DATA / "holidays.json").read_text(encoding="utf-8"))
_TELLING_KINDS = word_set("telling_kinds")
_TELLING_WORDS = word_set("telling_words") | {
    word for name in _HOLIDAYS for word in re.findall(r"[a-z]{4,}", name)
}


class _Hit(NamedTuple):
    span: Span
    first: int
    after: int
    """The tokens it was read from."""


def find_time_phrase(text: str, *, now: datetime, zone: ZoneInfo) -> TimeRange | None:
    """Find the past time a message speaks of.

    Args:
        text: What the user wrote; of more than `MAX_CHARACTERS` the beginning and the end are read.
        now: When they wrote it; aware.
        zone: Where they are; days begin there.

    Returns:
        The clearest phrase: exact before vague, then the first. Nothing when no phrase looks back.
    """
    text = shortened(text)
    reference = Reference(now=now.astimezone(zone))
    found = islice(_past_ranges(text, reference, zone), HITS_COMPARED)
    return max(found, key=lambda each: each.hard, default=None)


def _past_ranges(text: str, reference: Reference, zone: ZoneInfo) -> Iterator[TimeRange]:
    tokens = tokenize(text.replace("’", "'"))
    for span, first, after in _hits(tokens, reference, statement=False):
        if window := _window(span, reference.today):
            start, end = (midnight(day, zone) if day else None for day in window)
            phrase = text[tokens[first].start : tokens[after - 1].end]
            yield TimeRange(phrase=phrase, start=start, end=end, hard=span.hard)


def _window(span: Span, today: date) -> tuple[date | None, date | None] | None:
    """Return the past days meant, if they have begun."""
    if span.bound in {"before", "by"}:
        end = span.start if span.bound == "before" else span.end
        return (None, end) if OLDEST <= end <= today else None
    start = span.end if span.bound == "after" else span.start
    if not OLDEST <= start <= today:
        return None
    return start, span.end if span.bound == "at" else add_days(today, 1)


def find_dates(text: str, *, now: datetime, zone: ZoneInfo) -> list[DateMention]:
    """Find every time a statement tells, past or future, in the order of the text.

    A name without a year or `last` means the coming day or month (`dentist on Friday`), or the
    latest one where the clause is in the past tense (`went on Friday`); `next Friday` is the first
    one after today. Habits (`every Monday`) and hours alone are no dates. Of more than
    `MAX_CHARACTERS` the beginning and the end are read.
    """
    return list(_dates(text, now.replace(second=0, microsecond=0), zone))


@lru_cache(maxsize=512)
def _dates(text: str, now: datetime, zone: ZoneInfo) -> tuple[DateMention, ...]:
    """Find the dates of a text once: the nodes of a turn ask for them, at nearly the same time."""
    text = shortened(text)
    tokens = tokenize(text.replace("’", "'"))
    found = islice(_hits(tokens, Reference(now=now.astimezone(zone)), statement=True), MENTIONS)
    return tuple(
        DateMention(
            phrase=text[tokens[first].start : tokens[after - 1].end],
            start=midnight(span.start, zone),
            end=midnight(span.end, zone),
            is_day=span.kind in {"day", "weekend"}
            or (span.kind, span.end - span.start) == ("range", ONE_DAY),
            bound=span.bound,
            exact=span.hard,
        )
        for span, first, after in found
        if span.start >= OLDEST
    )


def _hits(tokens: Sequence[Token], reference: Reference, *, statement: bool) -> Iterator[_Hit]:
    """Yield every span the sentence speaks of, with the tokens it was read from."""
    back = Parse(_grammar(), tokens, reference)
    ahead = Parse(_grammar(), tokens, Reference(now=reference.now, ahead=True))
    read_up_to = 0
    for position in _worth_trying(tokens):
        if position < read_up_to:
            continue
        parse = ahead if statement and guards.looks_ahead(tokens, position) else back
        found = parse.longest("phrase", position)
        if found is None:
            continue
        value, read_up_to = found
        if isinstance(value, Span) and guards.speaks_of(tokens, position, read_up_to, statement):
            yield _Hit(value, position, read_up_to)


def _worth_trying(tokens: Sequence[Token]) -> list[int]:
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
    keys = tokens[index].keys
    if not _TELLING_KINDS.isdisjoint(keys) or not _TELLING_WORDS.isdisjoint(keys):
        return True
    if "NUM" not in keys:
        return False
    return index > 0 and tokens[index - 1].text in {"on", "the"}
