"""Find the past time that a message asks about, and the dates that a statement names."""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache
from inspect import signature
from itertools import islice
from operator import add, mul, sub
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory_graph.language.english.time import guards, meanings
from memory_graph.language.english.time.meanings import Kind, Nothing, Reference, Span, add_days
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
from memory_graph.language.times import (
    DateMention,
    Direction,
    Granularity,
    TimeRange,
    midnight,
    original_place,
    shortened,
)

OLDEST = date(2, 1, 1)
"""The first days of year 1 have no instant in zones east of Greenwich."""
HITS_COMPARED = 5
"""A message full of dates is a list, and its first few are as good as the rest."""
MENTIONS = 50
"""The most dates returned of one statement."""
REACH = 7
"""A phrase has its telling word among its first tokens."""
FIRST_MORNING_HOUR = 6
"""`3:30` without am or pm is in the afternoon, `8:30` in the morning."""
GRANULARITY: dict[Kind, Granularity] = {
    **{"day": "day", "weekend": "day", "week": "week", "month": "month"},
    **{"quarter": "month", "season": "month", "year": "year", "decade": "year"},
}
ONE_DAY = timedelta(days=1)
WEEKS, MONTHS = 14, 100
"""Days up to which a stretch counts as weeks, or as months."""


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
    read = shortened(text)
    tokens = tokenize(read.replace("’", "'"))
    reference = Reference(now=now.astimezone(zone))
    mentions: list[DateMention] = []
    for hit in islice(_hits(tokens, reference, statement=True), MENTIONS):
        if hit.span.start < OLDEST:
            continue
        (span, first, after), clock = _clocked(tokens, hit)
        start, end = midnight(span.start, zone), midnight(span.end, zone)
        if clock and end - start == ONE_DAY:
            start = end = datetime.combine(span.start, clock, tzinfo=zone)
        edges = tokens[first].start, tokens[after - 1].end
        begin, finish = (original_place(edge, len(text) - len(read)) for edge in edges)
        mention = DateMention(
            span=(begin, finish),
            phrase=text[begin:finish],
            start=start,
            end=end,
            granularity="hour" if start == end else _granularity(span),
            direction=_direction(start, end, reference.now),
            bound=span.bound,
            exact=span.hard,
        )
        mentions.append(mention)
    return tuple(mentions)


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


def _clocked(tokens: Sequence[Token], hit: _Hit) -> tuple[_Hit, time | None]:
    """Take in a time of day beside a phrase: `at 3:30 on Tuesday`, `Tuesday at 3 pm`."""
    first, after = hit.first, hit.after
    for index in range(first, after):
        if clock := _clock(tokens, index):
            return hit, clock
    index = after + (after < len(tokens) and tokens[after].text in {"at", "@", ",", "around"})
    if clock := _clock(tokens, index, counted=index > after and tokens[after].text == "at"):
        return hit._replace(after=index + 1), clock
    index = first - 1 - (first > 0 and tokens[first - 1].text in {"on", ","})
    at = index > 0 and tokens[index - 1].text in {"at", "@"}
    if clock := _clock(tokens, index, counted=at):
        return hit._replace(first=index - at), clock
    return hit, None


def _clock(tokens: Sequence[Token], index: int, *, counted: bool = False) -> time | None:
    """Read a time of day; a bare number only where it is `counted` as one by an `at` before it."""
    kinds = tokens[index].kinds if 0 <= index < len(tokens) else {}
    text = str(kinds.get("CLOCK", kinds.get("NUM", "") if counted else ""))
    match = re.match(r"(\d{1,2})(?:[:.](\d\d))?", text)
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    marked = re.search(r"[ap]", text)
    if marked:
        hour = hour % 12 + (12 if marked[0] == "p" else 0)
    elif 0 < hour < FIRST_MORNING_HOUR and not match[1].startswith("0"):
        hour += 12
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _granularity(span: Span) -> Granularity:
    days = (span.end - span.start).days
    by_length: Granularity = "week" if days <= WEEKS else "month" if days <= MONTHS else "year"
    return GRANULARITY.get(span.kind, "day" if days == 1 else by_length)


def _direction(start: datetime, end: datetime, now: datetime) -> Direction:
    if start > now:
        return "future"
    return "past" if end <= now else "present"
