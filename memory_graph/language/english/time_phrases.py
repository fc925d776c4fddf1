"""Find the time phrases of English text by patterns, and say what each means.

The patterns are in `data/time_phrases.txt`. What they capture, read by its kind, are the arguments
of their meaning. A meaning of nothing leaves the words to a shorter phrase.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Literal, NamedTuple, cast

from memory_graph.language.english import calendar_days as days
from memory_graph.language.english.calendar_days import (
    NOTHING,
    Recurring,
    Reference,
    Span,
    add_days,
    move,
    one_day,
    settle,
    units_on,
)
from memory_graph.language.words import lines, table

Value = Span | Recurring | None
Takes = Literal["nothing", "whole", "point"]


class Hit(NamedTuple):
    """A span that a text speaks of, and the words it was read from."""

    span: Span
    phrase: str


# — words —

_WORDS: Mapping[str, str] = table("english/time_words")
_LINES = {
    name: {word: line.split()[0] for line in _WORDS[name].split(",") for word in line.split()}
    for name in ("months", "weekdays", "units")
}
_MONTHS, _WEEKDAYS, _UNITS = _LINES.values()
_MONTH_NAMES = [line.split()[0] for line in _WORDS["months"].split(",")]
_NUMBERS = {word: n for n, word in enumerate(_WORDS["numbers"].split(), 1)}
_NUMBERS |= {word: 10 * n for n, word in enumerate(_WORDS["tens"].split(), 2)}
_NUMBERS |= {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}
_ORDINALS = {word: n for n, word in enumerate(_WORDS["ordinals"].split(), 1)}
_VAGUE = ("couple", "few", "several")
_LONG_UNITS = frozenset({"week", "month", "quarter", "year", "decade"})


def _any(words: Mapping[str, object] | str) -> str:
    listed = words.split() if isinstance(words, str) else [*words]
    return "|".join(sorted(map(re.escape, listed), key=len, reverse=True))


def _after(words: str) -> str:
    """Return what one of these words must stand before."""
    return "(?:{})".format("|".join(rf"(?<=\b{each} )" for each in words.split()))


_PARTS = {
    "month": rf"(?:{_any(_MONTHS)})\b\.?",
    "weekday": rf"(?:{_any(_WEEKDAYS)})\b\.?",
    "weekdays": rf"(?:{_any(_WEEKDAYS)})s?\b",
    "unit": rf"(?:{_any(_UNITS)})\b",
    "n": rf"(?:\d{{1,4}}|(?:an? )?(?:couple(?: of)?|few)|{_any(_NUMBERS)})\b",
    "nth": rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{_any(_ORDINALS)})\b",
    "day": rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{_any(_ORDINALS)})\b(?![-:/]?\d|%)",
    "date": r"\d{1,2}(?:st|nd|rd|th)?(?!\d)",
    "year": r"(?:(?:1[89]|20)\d\d\b(?!-?\w)|'\d\d\b)",
    "season": r"(?:spring|summer|autumn|fall|winter)(?:time)?\b",
    "holiday": "(?:{})\\b".format("|".join(days.holidays())),
    "part": rf"(?:{_any(_WORDS['day_parts'])})\b",
    "last": r"(?:last|previous|past|prior)\b",
    "next": r"(?:next|coming|upcoming)\b",
    "about": r"(?:about|around|almost|nearly|roughly|approximately|maybe|like|some)\b",
    "to": r"(?:to|until|till|through|thru|-|–)",
    "owned": _after("the my our your"),
    "event": rf"(?=(?:{_any(_WORDS['events'])})\b)",
    "after": _after(
        "in on at since until till before after during from through between by of late early mid "
        "around throughout"
    ),
    "closes": rf"(?= ?(?:$|[^\w\s'’])|\s+(?:{_any(_WORDS['function_words'])}|\d)\b|\n)(?!-\w|\.\w)",
    "clock": r",? ?(?:at |around |about )?\d{1,2}(?:(?::\d\d)?\s?(?:[ap]\.?m\b|o'?clock)|:\d\d\b)",
}
_PARTS["full"] = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PARTS["not"] = "".join(f"(?<!{each} )" for each in _WORDS["no_day_after"].split())
_PARTS["sure"] = f"(?:{_any(_WORDS['sure_months'])})"
_PARTS["monthday"] = (
    "(?:{weekday},? )?(?:{month} (?:the )?{day}|(?:the )?{day} (?:day )?(?:of )?{month})"
).format_map(_PARTS)
_PARTS["name"] = (
    r"(?:{monthday}|{month}|{holiday}|{weekday}|{season}|q[1-4]|week \d{{1,2}}"
    r"|(?:the )?(?:first|second|third|fourth|last|[1-4](?:st|nd|rd|th)) quarter)\b"
).format_map(_PARTS)


def _number(_: Reference, text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.removesuffix(" of").split()[-1]]


def _day_number(_: Reference, text: str) -> int:
    return _ORDINALS[text] if text in _ORDINALS else int(re.sub(r"\D", "", text))


def _year(ref: Reference, text: str) -> int:
    number = int(text.strip("'"))
    century = ref.today.year // 100 * 100
    late = century + number > ref.today.year
    return number if number > 99 else century + number - 100 * late


def _month(_: Reference, text: str) -> int:
    return _MONTH_NAMES.index(_MONTHS[text.strip(".")]) + 1


def _month_day(ref: Reference, text: str) -> Recurring:
    month = next(word for word in re.findall(r"[a-z]+", text)[::-1] if word in _MONTHS)
    numbers = re.findall(rf"\b{_PARTS['nth']}|\d+", text.replace(month, " "))
    return days.month_day(_month(ref, month), _day_number(ref, numbers[-1]))


def _named(ref: Reference, text: str) -> Recurring:
    """Return what a name means that comes round: `March`, `3 March`, `Friday`, `Easter`, `Q1`."""
    bare = text.removeprefix("the ").strip(".").removesuffix("time")
    if bare in _MONTHS:
        return days.months("month", _month(ref, bare), 1)
    if bare in _WEEKDAYS:
        return days.weekly(_WEEKDAYS[bare])
    if bare in days.SEASON_STARTS:
        return days.season(ref, bare)
    if bare.startswith("week "):
        return days.numbered_week(int(bare[5:]))
    if bare[0] == "q" or bare.endswith("quarter"):
        nth = int(bare[1]) if bare[1:].isdigit() else _NTH_QUARTER[bare[:2]]
        return days.months("quarter", 3 * nth - 2, 3)
    holiday = (named for way, named in days.holidays().items() if re.fullmatch(way, text))
    return next(holiday, None) or _month_day(ref, text)


_NTH_QUARTER = {"fi": 1, "1s": 1, "se": 2, "2n": 2, "th": 3, "3r": 3, "fo": 4, "4t": 4, "la": 4}
_READERS: Mapping[str, Callable[[Reference, str], object]] = {
    **{"n": _number, "nth": _day_number, "day": _day_number, "date": _day_number},
    **{"year": _year, "month": _month, "name": _named, "monthday": _month_day, "holiday": _named},
    **{"unit": lambda _, text: _UNITS[text], "weekday": _named},
    "weekdays": lambda ref, text: _named(ref, text if text in _WEEKDAYS else text[:-1]),
}


# — what the patterns mean —

_VAGUE_DAYS = 7
_AROUND_DAYS = 3
"""What `around Easter` adds on both sides."""


def _day(ref: Reference, count: int) -> Span:
    return one_day(add_days(ref.today, count))


def _last_units(ref: Reference, n: int, unit: str) -> Value:
    """Return `the last 7 days`: rolling, today included; weekends and quarters stay whole."""
    tomorrow = add_days(ref.today, 1)
    if unit in {"hour", "minute"}:
        return Span(days.hours_before(ref, n / (60 if unit == "minute" else 1)), tomorrow, "range")
    if unit in {"weekend", "quarter", "decade"}:
        return Span(units_on(ref, unit, -n).start, units_on(ref, unit, -1).end, "range")
    return Span(move(tomorrow, unit, -n), tomorrow, "range")


def _next_units(ref: Reference, n: int, unit: str) -> Value:
    tomorrow = add_days(ref.today, 1)
    return Span(tomorrow, move(tomorrow, unit, n), "range")


def _which_unit(ref: Reference, which: str, unit: str) -> Value:
    if unit in {"hour", "minute"} or (unit == "day" and which in {"last", "past"}):
        return None
    count = {"this": 0, "current": 0, "next": 1, "coming": 1, "upcoming": 1}.get(which, -1)
    early = unit == "weekend" and count == 0 and ref.past and ref.today.weekday() < 3
    return units_on(ref, unit, -1 if early else count)


def _ago(
    ref: Reference, count: str, unit: str, about: str | None = None, half: str | None = None
) -> Span:
    """Return the day that long ago; only a boost when the count is a rough one."""
    number = 0 if count == "half" else _number(ref, count)
    if unit in {"hour", "minute"}:
        hours = number + 0.5 * bool(half)
        return one_day(days.hours_before(ref, hours / (60 if unit == "minute" else 1)))
    if unit == "weekend":
        return units_on(ref, unit, -number)
    day = move(ref.today, unit, -number)
    if half:
        day = move(day, *{"year": ("month", -6), "month": ("day", -15)}.get(unit, ("day", -3)))
    is_vague = any(word in count for word in _VAGUE)
    kind: days.Kind = "month" if days.LENGTHS[unit][0] else "week" if is_vague else "day"
    return Span(day, add_days(day, 1), kind, hard=unit == "day" and not (is_vague or about))


def _ahead(ref: Reference, n: int, unit: str) -> Value:
    if unit in {"hour", "minute"}:
        return NOTHING
    day = move(ref.today, unit, n)
    return Span(day, add_days(day, 1), "day", hard=unit == "day")


def _which_name(ref: Reference, which: str, name: Recurring) -> Value:
    match which:
        case "this past":
            return days.latest(name, ref.today)
        case "this":
            return days.current(name, ref.today)
        case "next" | "coming" | "upcoming":
            return days.first_from(name, add_days(ref.today, 1))
    return days.nth_past(name, ref.today)


def _within(ref: Reference, name: Recurring, which: str, unit: str) -> Value:
    count = {"this": 0, "next": 1}.get(which, -1)
    return days.within(name, units_on(ref, unit, count))


def _numeric(ref: Reference, a: str, b: str, year: int, mark: str) -> Value:
    """Read 03/04/2025: month first, unless only the other order exists or is past."""
    orders = [(int(a), int(b)), (int(b), int(a))]
    dates = [days.existing(year, *order) for order in (orders[::-1] if mark == "." else orders)]
    found = [each for each in dates if each]
    return next(iter([each for each in found if each.start <= ref.today] or found), None)


def _dates(ref: Reference, month: int, date: int, date2: int, year: int | None = None) -> Value:
    known = days.existing(year, month, date) if year else None
    start = known or settle(ref, days.month_day(month, date))
    end = start and days.existing(start.start.year, month, date2)
    return Span(start.start, end.end, "range") if start and end and date < date2 else None


def _adjoining(ref: Reference, name: Recurring, name2: Recurring) -> Value:
    """Return `March and April`, `Tuesday and Wednesday`: one range where no gap lies between."""
    whole = _between(ref, name, name2)
    first = settle(ref, name)
    is_one = first and days.first_from(name2, first.start) == days.first_from(name2, first.end)
    second = days.first_from(name2, first.end) if first and is_one else None
    return whole if first and second and second.start == first.end else None


def _begun(ref: Reference, whole: Value, part: Callable[[Span], Span | None]) -> Span | None:
    """Return the part of the latest period in which it has begun: `late March`, said in March."""
    period = settle(ref, whole)
    found = part(period) if period else None
    if found and found.start > ref.today and isinstance(whole, Recurring) and not ref.ahead:
        before = days.nth_past(whole, ref.today)
        return before and part(before)
    return found


def _part(ref: Reference, whole: Value, which: str) -> Value:
    nth = {"e": 0, "b": 0, "s": 0, "f": 0, "m": 1}.get(which[0], 2)
    if which in {"end", "second half"}:
        nth = 2
    thirds = which in {"beginning", "start", "middle", "end"}
    return _begun(ref, whole, lambda period: days.part_of(period, nth, thirds=thirds))


def _nth_of(ref: Reference, whole: Value, which: str, what: str) -> Value:
    nth = -1 if which in {"last", "final"} else _day_number(ref, which)
    named = _WEEKDAYS.get(what) or _UNITS[what]
    return _begun(ref, whole, lambda period: days.nth_in(period, nth, named))


def _counted_from(ref: Reference, whole: Value, unit: str, way: str, count: str) -> Value:
    """Return `two weeks before Christmas`, `the week before 16 September`."""
    sign, period = (-1 if way == "before" else 1), settle(ref, whole)
    if period is None or count != "the":
        return period and one_day(move(period.start, unit, sign * _number(ref, count)))
    after = period.end if unit == "day" else move(add_days(period.end, -1), unit, 1)
    return days.unit_of(move(period.start, unit, -1) if sign < 0 else after, unit)


def _unit_around(ref: Reference, whole: Value, unit: str) -> Value:
    period = settle(ref, whole)
    return period and days.unit_of(period.start, unit)


def _open(ref: Reference, point: Value, way: str) -> Value:
    """Return `since May`, `before Christmas`, `around Easter`."""
    span = settle(ref, point)
    if span is None or (way == "by" and isinstance(point, Recurring) and not ref.ahead):
        return None
    if way in {"around", "near", "circa"}:
        start, end = add_days(span.start, -_AROUND_DAYS), add_days(span.end, _AROUND_DAYS)
        return span.soft() if span.kind == "year" else Span(start, end, "range").soft()
    if way in {"after", "by"}:
        return span.bounded("after" if way == "after" else "by")
    is_start = way.endswith("since") or way in {"starting", "beginning", "effective"}
    return span.bounded("since" if is_start else "before")


def _edge(ref: Reference, whole: Value, way: str) -> Value:
    period = settle(ref, whole)
    return period and period.bounded("since" if way in {"since", "after"} else "by")


def _between(ref: Reference, first: Value, second: Value) -> Value:
    """Return the range from the first through the second, ends inclusive."""
    start = settle(ref, first)
    if NOTHING in {first, second} or start is None:
        return None
    if isinstance(first, Recurring) and isinstance(second, Span):
        start = days.latest(first, add_days(second.start, 1))
    end = (
        days.first_from(second, start.start) if start and isinstance(second, Recurring) else second
    )
    if start is None or not isinstance(end, Span) or start.start >= end.end:
        return None
    is_week = isinstance(first, Recurring) and first.cycle == "week"
    too_long = is_week and (end.end - start.start).days > 31  # the `Mon-Fri 9` of `Mon-Fri 9-5`
    return None if too_long else Span(start.start, end.end, "range")


_MEANINGS: Mapping[str, Callable[..., Value]] = {
    "today": lambda ref: _day(ref, 0),
    "later_today": lambda ref: _day(ref, 0) if ref.ahead else NOTHING,
    "yesterday": lambda ref: _day(ref, -1),
    "before_that": lambda ref: _day(ref, -2),
    "tomorrow": lambda ref: _day(ref, 1),
    "after_that": lambda ref: _day(ref, 2),
    "iso_date": lambda ref, y, a, b, mark: days.existing(int(y), int(a), int(b)),
    "numeric_date": _numeric,
    "name_of_year": lambda ref, name, year: (
        (name.occurrence(year) or NOTHING) if name.cycle == "year" else None
    ),
    "unit_before": lambda ref, unit: units_on(ref, unit, -2),
    "last_unit": lambda ref, unit: _last_units(ref, 1, unit),
    "last_units": _last_units,
    "which_unit": _which_unit,
    "next_units": _next_units,
    "weekend": lambda ref: units_on(
        ref, "weekend", 0 if ref.ahead or ref.today.weekday() > 4 else -1
    ),
    "ago": _ago,
    "longer_ago": lambda ref, count, unit: _ago(ref, count, unit).bounded("before"),
    "weekdays_ago": lambda ref, n, weekdays: days.nth_past(weekdays, ref.today, n),
    "same_day": lambda ref, unit: _ago(ref, "1", unit),
    "ahead": _ahead,
    "which_name": _which_name,
    "name_within": _within,
    "day_within": lambda ref, nth, which, unit: _within(ref, days.monthly(nth), which, unit),
    "name": lambda ref, name, general=None: None if general is not None and not ref.past else name,
    "day": lambda ref, day: days.monthly(day),
    "week_of_year": lambda ref, year, week: days.iso_week(year, int(week)),
    "week": lambda ref, week: days.numbered_week(int(week)),
    "year": lambda ref, year: days.unit_of(date(year, 1, 1), "year"),
    "decade": lambda ref, decade: days.unit_of(date(_year(ref, decade), 1, 1), "decade"),
    "month_of_year": lambda ref, year, a: days.unit_of(date(year, int(a), 1), "month"),
    "month_day": lambda ref, a, b: days.month_day(*sorted(map(int, (a, b)), key=lambda n: n > 12)),
    "adjoining": _adjoining,
    "dates": _dates,
    "vague": lambda ref: Span(add_days(ref.today, -_VAGUE_DAYS), ref.today, "range").soft(),
    "no_time": lambda ref: NOTHING,
    "nth_of": _nth_of,
    "unit_around": _unit_around,
    "part": _part,
    "counted_from": _counted_from,
    "same": lambda ref, whole: whole,
    "edge": _edge,
    "bounded": _open,
}
"""By their names in `data/time_phrases.txt`."""


class _Rule(NamedTuple):
    """A way to write a time, and what it means."""

    pattern: re.Pattern[str]
    means: Callable[..., Value]

    def read(self, ref: Reference, match: re.Match[str], *taken: Value) -> Value:
        """Return what matched words mean; nothing where the calendar has no such time."""
        try:
            said = {
                name: reader(ref, text) if (reader := _READERS.get(name.rstrip("2"))) else text
                for name, text in match.groupdict().items()
                if text is not None
            }
            return self.means(ref, *taken, **said)
        except (ValueError, OverflowError, KeyError):
            return None


def _written(way: str) -> str:
    """Write out the parts of a pattern."""

    def part(found: re.Match[str]) -> str:
        name, again = found[2], found[3]
        if name not in _PARTS:
            return found[0]
        return f"(?:{_PARTS[name]})" if found[1] else f"(?P<{name}{again}>{_PARTS[name]})"

    return re.sub(r"\{(-?)([a-z]+)(2?)\}", part, way)


def _rules() -> dict[Takes, list[_Rule]]:
    found: dict[Takes, list[_Rule]] = {"nothing": [], "whole": [], "point": []}
    section: Takes = "nothing"
    for line in lines("time_phrases"):
        if line.startswith("["):
            section = cast(Takes, line.strip("[]"))
        else:
            name, way = line.split(maxsplit=1)
            found[section].append(_Rule(re.compile(_written(way)), _MEANINGS[name]))
    return found


_RULES = _rules()


# — where phrases are —


class _Read(NamedTuple):
    """What stands at a place of a text, and where it ends."""

    value: Value
    end: int


_BETWEEN = re.compile(r"(?:between|from) (?:the )?")
_TO, _AND, _ONWARDS = map(
    re.compile, map(_written, (" ?{-to} ?(?:the )?", " and (?:the )?", r" (?:onwards?|or later)\b"))
)
_NAME, _UNIT, _YEAR = map(re.compile, map(_written, ("{-name}", "{-unit}", "{-year}{-closes}")))
_TELLING = re.compile(
    _written(
        r"\b(?:{-month}|{-weekdays}|{-unit}|{-season}|{-holiday}|{-part}|today|tonight|yesterday"
        r"|y'?day|tomorrow|tmrw|ago|recently|lately|while|long)\b|\d{1,4}[-/.]\d|\d(?:st|nd|rd|th)\b"
        r"|\b(?:1[89]|20)\d\d|'\d\d\b|\bq[1-4]\b|\b[1-9]0'?s\b"
    )
)
_STARTS = re.compile(r"(?<![\w'$€£#@.,=/-])[\w']")
_REACH = 45
"""Characters within which a phrase has its telling word."""


def _longest(found: Iterator[_Read]) -> _Read | None:
    """Return the longest reading that means something; of equals the first."""
    return max(found, key=lambda each: (each.value is not None, each.end), default=None)


class _Parser:
    """One text, read against one moment."""

    def __init__(self, text: str, ref: Reference) -> None:
        self.text, self.ref = text, ref

    def _matched(self, takes: Takes, at: int) -> Iterator[_Read]:
        """Yield what the rules of one level read."""
        for rule in _RULES[takes]:
            if (match := rule.pattern.match(self.text, at)) is None:
                continue
            if takes == "nothing":
                yield _Read(rule.read(self.ref, match), match.end())
            elif rest := (self.whole if takes == "whole" else self.end)(match.end()):
                is_nothing = rest.value == NOTHING
                value = NOTHING if is_nothing else rule.read(self.ref, match, rest.value)
                yield _Read(value, rest.end)

    def base(self, at: int) -> _Read | None:
        """Read a time that holds no other."""
        return _longest(self._matched("nothing", at))

    def whole(self, at: int) -> _Read | None:
        """Read a period that a part is taken of: `May`, `last year`, `2024`, `the month`."""

        def ways() -> Iterator[_Read]:
            if found := self.base(at):
                yield found
            yield from self._names(at)
            if (match := _UNIT.match(self.text, at)) and _UNITS[match[0]] in _LONG_UNITS:
                yield _Read(units_on(self.ref, _UNITS[match[0]], 0), match.end())

        return _longest(ways())

    def _names(self, at: int) -> Iterator[_Read]:
        """Yield a name or a year that needs no word before it: `May`, `2024`."""
        if match := _NAME.match(self.text, at):
            yield _Read(_named(self.ref, match[0]), match.end())
        if match := _YEAR.match(self.text, at):
            yield _Read(_MEANINGS["year"](self.ref, _year(self.ref, match[0])), match.end())

    def point(self, at: int) -> _Read | None:
        """Read a time, or a part of one."""

        def ways() -> Iterator[_Read]:
            yield from self._matched("whole", at)
            if found := self.base(at):
                yield found

        return _longest(ways())

    def end(self, at: int) -> _Read | None:
        """Read one end of a range, where nothing but a time makes sense."""

        def ways() -> Iterator[_Read]:
            for start in (at, at + 4) if self.text.startswith("the ", at) else (at,):
                if found := self.point(start):
                    yield found
                yield from self._names(start)
            if self.text.startswith("now", at):
                yield _Read(one_day(self.ref.today), at + 3)

        return _longest(ways())

    def phrase(self, at: int) -> _Read | None:
        """Read the longest time at a place, with its ends and directions."""

        def ways() -> Iterator[_Read]:
            first = self.point(at)
            if opened := _BETWEEN.match(self.text, at):
                joiner = _AND if opened[0].startswith("b") else _TO
                yield from self._range(self.end(opened.end()), joiner)
            if first:
                yield first
                yield from self._range(first, _TO)
                if later := _ONWARDS.match(self.text, first.end):
                    span = settle(self.ref, first.value)
                    yield _Read(span and span.bounded("since"), later.end())
            yield from self._matched("point", at)

        return _longest(ways())

    def _range(self, first: _Read | None, joiner: re.Pattern[str]) -> Iterator[_Read]:
        joined = first and joiner.match(self.text, first.end)
        second = self.end(joined.end()) if joined else None
        if first and second and (value := _between(self.ref, first.value, second.value)):
            yield _Read(value, second.end)


def hits(text: str, now: datetime, *, statement: bool) -> Iterator[Hit]:
    """Yield every span a text speaks of; in a statement names may mean what is to come."""
    plain = "".join(each.lower()[:1] if each != "’" else "'" for each in text)
    parsers: dict[tuple[bool, bool], _Parser] = {}
    read_up_to = 0
    for at in _places(plain):
        if at < read_up_to:
            continue
        ahead, past = statement and _looks_ahead(plain, at), _is_past(plain, at)
        new = _Parser(plain, Reference(now, ahead=ahead, past=past and not ahead))
        parser = parsers.setdefault((ahead, past), new)
        if (found := parser.phrase(at)) is None:
            continue
        read_up_to = found.end
        span = settle(parser.ref, found.value)
        if span and _speaks_of(plain, at, statement=statement):
            yield Hit(span, text[at : found.end].rstrip(" .,"))


def _places(text: str) -> Iterator[int]:
    """Yield where a phrase may begin: a telling word is within reach."""
    last = -1
    for telling in _TELLING.finditer(text):
        for start in _STARTS.finditer(
            text, max(last + 1, telling.start() - _REACH), telling.start() + 1
        ):
            last = start.start()
            yield last


_CLAUSE_REACH = 200
_SENTENCE = re.compile(r"[.!?](?:\s|$)|\n")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_PAST_VERBS, _AHEAD_WORDS, _TITLED = (
    frozenset(_WORDS[name].split()) for name in ("past_verbs", "ahead_words", "titled")
)
_HABITS = frozenset("usually always normally typically generally mostly due".split())
_CONTRACTED = re.compile(r"\w+'(?:ll|re|m|s)")


def _is_past_verb(word: str) -> bool:
    return word in _PAST_VERBS or (word.endswith("ed") and len(word) > 4)


def _around(text: str, at: int) -> tuple[list[str], list[str]]:
    """Return the words before and after a place in its sentence, nearest first."""
    before = _SENTENCE.split(text[max(0, at - _CLAUSE_REACH) : at])[-1]
    after = _SENTENCE.split(text[at : at + _CLAUSE_REACH])[0]
    return _WORD.findall(before)[::-1], _WORD.findall(after)


def _is_past(text: str, at: int) -> bool:
    """Tell whether a verb of the sentence is in the past tense, as far as its form shows."""
    return any(_is_past_verb(word.replace("'", "")) for part in _around(text, at) for word in part)


def _speaks_of(text: str, start: int, *, statement: bool) -> bool:
    """Tell a time the sentence is about from a title or a habit; `due on Friday` is a statement."""
    before, _ = _around(text, start)
    habits = _HABITS.intersection(before[:6]) - ({"due"} if statement else set())
    if habits and not _is_past(text, start):
        return False
    if before[:2] == ["is", "when"] or before in (["play"], ["watch"], ["stream"]):
        return False
    return not (before and before[0] in _TITLED)


def _looks_ahead(text: str, at: int) -> bool:
    """Tell whether a statement means the coming day by `on Friday`.

    The nearest verb before the phrase decides, then the first one after it; without a verb
    (`dentist on Friday`) the day is to come, as it is after `moved to` and `booked for`.
    """
    before, after = _around(text, at)
    if text.startswith(("since", "ever"), at):
        return False
    if text.startswith("by ", at) or before[:1] in (["to"], ["for"]):
        return True
    for index, word in enumerate([*before, *after]):
        goes_on = 0 < index < len(before) and before[index - 1].endswith("ing")
        is_contracted = _CONTRACTED.fullmatch(word) and (not word.endswith("'s") or goes_on)
        if word.replace("'", "") in _AHEAD_WORDS or is_contracted:
            return True
        auxiliary = before[index + 1] if index + 1 < len(before) else ""
        is_passive = auxiliary.endswith("ing") or auxiliary in {"is", "are", "be", "get", "gets"}
        if _is_past_verb(word.replace("'", "")) and not is_passive:
            return False
    return True
