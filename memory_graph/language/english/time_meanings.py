"""What a time phrase means: local days, calendar units, days that come round, and lengths.

The grammar calls these functions by name, and gives `ref` to those that ask for it. A function that
returns nothing or raises `ValueError` says that the calendar has no such time (31 June).
"""

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Literal, cast

Bound = Literal["at", "since", "after", "before", "by"]
Unit = (
    Literal["second", "minute", "hour", "day", "weekend", "week", "fortnight"]
    | Literal["month", "quarter", "season", "year", "decade", "century"]
)
Kind = Literal["day", "weekend", "week", "month", "quarter", "season", "year", "decade", "range"]
Cycle = Literal["week", "month", "year"]
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
SATURDAY, THURSDAY = 5, 3
CYCLES_TO_TRY: dict[Cycle, int] = {"week": 60, "month": 100, "year": 12}
"""29 February skips up to eight years, `Monday the 31st` several months."""
STILL_THIS = timedelta(days=92)
"""How long the Christmas or winter of last year is still called `this` one."""
LONGEST_COUNT = 9999
VAGUE_DAYS = 7
AROUND_DAYS = 3
"""What `around Easter` adds on both sides."""
DAYS_FROM_WEEKDAY = 31
EARLY_IN_WEEK = range(3)
SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""Meteorological, in the northern hemisphere."""
SOUTHERN_ZONES = (
    *("Australia/", "Antarctica/", "Pacific/Auckland", "America/Argentina/", "America/Sao_Paulo"),
    *("America/Santiago", "America/Montevideo", "America/Asuncion", "Africa/Johannesburg"),
)


@dataclass(frozen=True)
class Span:
    """Local days from `start` up to, not including, `end`."""

    start: date
    end: date
    kind: Kind = "day"
    hard: bool = True
    bound: Bound = "at"


@dataclass(frozen=True)
class Recurring:
    """A span that comes round every week, month or year: Friday, the 27th, March, Easter."""

    cycle: Cycle
    occurrence: Callable[[int], Span | None]
    """The span in a given cycle, if that cycle has one (29 February)."""

    other_day: bool = False
    """Said on the day itself, another one is meant: `on Friday`, said on a Friday."""


Timed = Span | Recurring


@dataclass(frozen=True)
class Amount:
    """A length of time as people say it: `two weeks`, `a year and a half`, `a few days`."""

    months: int = 0
    days: int = 0
    minutes: int = 0
    rough: bool = False
    """Counted in weeks or more, or not at all: people say two weeks for seventeen days."""

    vague: bool = False
    """Not counted at all: `a few days`."""


LENGTHS: dict[Unit, Amount] = {
    **{"second": Amount(), "minute": Amount(minutes=1), "hour": Amount(minutes=60)},
    **{"day": Amount(days=1), "weekend": Amount(days=7, rough=True)},
    **{"week": Amount(days=7, rough=True), "fortnight": Amount(days=14, rough=True)},
    **{"month": Amount(1, rough=True), "quarter": Amount(3, rough=True)},
    **{"season": Amount(3, rough=True), "year": Amount(12, rough=True)},
    **{"decade": Amount(120, rough=True), "century": Amount(1200, rough=True)},
}
HALVES: dict[Unit, Amount] = {
    "hour": Amount(minutes=30),
    "week": Amount(days=3, rough=True),
    "month": Amount(days=15, rough=True),
}


class Nothing:
    """A phrase that was understood and names no one time: `every week`."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The user's here and now, against which a phrase is read."""

    now: datetime
    """Aware, in the user's zone."""

    ahead: bool = False
    """Names mean the coming occurrence (`dentist on Friday`), not the latest."""

    @property
    def today(self) -> date:
        """Return the local date."""
        return self.now.date()


# — days and calendar units —


def add_days(day: date, count: int) -> date:
    """Move by days; raises `OverflowError` beyond the calendar."""
    return day + timedelta(days=count)


def add(day: date, length: Amount, times: int = 1) -> date:
    """Move by a length of time, hours left out; a day the month lacks becomes its last one."""
    index = day.year * 12 + day.month - 1 + times * length.months
    first = date(index // 12, index % 12 + 1, 1)
    moved = first.replace(day=min(day.day, monthrange(first.year, first.month)[1]))
    return add_days(moved, times * length.days)


def one_day(day: date) -> Span:
    """Return a day as a span."""
    return Span(day, add_days(day, 1))


def existing(year: int, month: int, day: int) -> Span | None:
    """Return a day, unless the calendar has none such."""
    try:
        return one_day(date(year, month, day))
    except ValueError:
        return None


def unit_of(day: date, unit: Unit) -> Span:
    """Return the calendar unit `day` lies in; the weekend is that of its week."""
    length, monday = LENGTHS[unit], add_days(day, -day.weekday())
    if unit == "weekend":
        return Span(add_days(monday, SATURDAY), add_days(monday, 7), "weekend")
    start = day if unit == "day" else monday
    if length.months:
        index = (day.year * 12 + day.month - 1) // length.months * length.months
        start = date(index // 12, index % 12 + 1, 1)
    kind = "range" if unit in {"fortnight", "century"} else cast(Kind, unit)
    return Span(start, add(start, length), kind)


def nth_weekday(period: Span, nth: int, weekday: int) -> date | None:
    """Return the nth, or with -1 the last, such weekday of a period."""
    if nth < 0:
        final = add_days(period.end, -1)
        day = add_days(final, -((final.weekday() - weekday) % 7))
    else:
        first = period.start
        day = add_days(first, (weekday - first.weekday()) % 7 + 7 * (nth - 1))
    return day if period.start <= day < period.end else None


def years(first: int, count: int) -> Span:
    """Return calendar years: `2024`, `the 1990s`, `the 15th century`."""
    kinds: dict[int, Kind] = {1: "year", 10: "decade"}
    return Span(date(first, 1, 1), date(first + count, 1, 1), kinds.get(count, "range"))


def two_digit_year(ref: Reference, number: int) -> int:
    """Return the latest such year that has begun."""
    century = ref.today.year // 100 * 100
    return century + number if century + number <= ref.today.year else century - 100 + number


def spoken_year(hundreds: int, rest: int) -> int | None:
    """Return `nineteen ninety nine`, `twenty twenty two`."""
    return hundreds * 100 + rest if hundreds <= 20 and rest > 9 else None


def written_iso_week(text: str) -> Span:
    """Read 2026-W09."""
    return unit_of(date.fromisocalendar(int(text[:4]), int(text[-2:]), 1), "week")


def numeric_date(ref: Reference, text: str) -> Span | None:
    """Read 03/04/2025: month first, unless only the other order exists or is past."""
    separator = next(mark for mark in "/-." if mark in text)
    first, second, number = (int(part) for part in text.split(separator))
    number = number if number > 99 else two_digit_year(ref, number)
    orders = [(first, second), (second, first)]
    if separator == ".":
        orders.reverse()
    days = [span for order in orders if (span := existing(number, *order))]
    past = [span for span in days if span.start <= ref.today]
    return next(iter(past or days), None)


# — days that come round —


def weekly(weekday: int) -> Recurring:
    """Return the weekday that comes round every week."""
    return Recurring("week", lambda week: one_day(date.fromordinal(week * 7 + 1 + weekday)), True)


def monthly(day: int, weekday: int | None = None) -> Recurring | None:
    """Return `the 27th`, or `Friday the 13th`, which skips months where the two do not meet."""

    def occurrence(month: int) -> Span | None:
        span = existing(month // 12, month % 12 + 1, day)
        return span if span and weekday in {None, span.start.weekday()} else None

    return Recurring("month", occurrence) if 1 <= day <= 31 else None


def months(kind: Kind, first: int, count: int) -> Recurring:
    """Return some months, which come round every year."""

    def occurrence(year: int) -> Span:
        start = date(year, first, 1)
        return Span(start, add(start, Amount(count)), kind)

    return Recurring("year", occurrence)


def season(ref: Reference, name: str) -> Recurring:
    """Return a meteorological season of the user's hemisphere."""
    is_southern = str(ref.now.tzinfo).startswith(SOUTHERN_ZONES)
    return months("season", (SEASON_STARTS[name] - 1 + 6 * is_southern) % 12 + 1, 3)


def iso_week(number: int) -> Recurring:
    """Return a numbered week, which comes round every ISO year."""

    def occurrence(year: int) -> Span | None:
        try:
            return written_iso_week(f"{year:04}-W{number:02}")
        except ValueError:
            return None

    return Recurring("year", occurrence)


def month_day(number: int, day: int) -> Recurring | None:
    """Return a day of a month, which comes round every year."""
    if not existing(2024, number, day):
        return None
    return Recurring("year", lambda year: existing(year, number, day))


def slashed(text: str) -> Recurring | None:
    """Read 4/22 or 22/4, month first where both exist."""
    first, second = (int(part) for part in text.split("/"))
    return month_day(second, first) if first > 12 else month_day(first, second)


def holiday(when: str | list[str]) -> Callable[..., Recurring]:
    """Return a builder for a named day: `12-25`, `easter-2`, `11 thursday 4 +1`, or its dates."""
    known = {int(day[:4]): day for day in when} if isinstance(when, list) else {}

    def occurrence(number: int) -> Span | None:
        if isinstance(when, str):
            return one_day(_holiday(when, number))
        return one_day(date.fromisoformat(known[number])) if number in known else None

    return lambda ref: Recurring("year", occurrence)


def _holiday(when: str, number: int) -> date:
    if when.startswith("easter"):
        return add_days(_easter(number), int(when.removeprefix("easter") or 0))
    if when[2] == "-":
        return date(number, int(when[:2]), int(when[3:]))
    month, weekday, nth, *later = when.split()
    whole = unit_of(date(number, int(month), 1), "month")
    day = nth_weekday(whole, int(nth), WEEKDAYS.index(weekday))
    return add_days(day or whole.start, int(later[0]) if later else 0)


def _easter(number: int) -> date:
    """Return Western Easter Sunday (Butcher's computation)."""
    hundreds, rest = divmod(number, 100)
    golden = number % 19
    epact = (19 * golden + hundreds - hundreds // 4 - (8 * hundreds + 13) // 25 + 15) % 30
    weekday = (32 + 2 * (hundreds % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(number, month, day + 1)


# — which occurrence of a name —


def _cycle_at(day: date, cycle: Cycle) -> int:
    """Number the week, month or year that `day` lies in."""
    if cycle == "week":
        return (day.toordinal() - 1) // 7
    return day.year if cycle == "year" else day.year * 12 + day.month - 1


def _occurrences(recurring: Recurring, day: date, step: int) -> Iterator[Span]:
    """Yield the occurrences around `day`: from the cycle before upwards, or after downwards."""
    first = _cycle_at(day, recurring.cycle) - step
    numbers = range(first, first + step * CYCLES_TO_TRY[recurring.cycle], step)
    return filter(None, map(recurring.occurrence, numbers))


def latest(recurring: Recurring, today: date) -> Span | None:
    """Return the newest occurrence that has begun."""
    limit = today if recurring.other_day else add_days(today, 1)
    return next((s for s in _occurrences(recurring, today, -1) if s.start < limit), None)


def first_from(recurring: Recurring, start: date, limit: date = date.max) -> Span | None:
    """Return the first occurrence that begins on or after `start`, and before `limit`."""
    found = next((s for s in _occurrences(recurring, start, 1) if s.start >= start), None)
    return found if found and found.start < limit else None


def current(recurring: Recurring, today: date) -> Span | None:
    """Return the occurrence in the running cycle: `this Friday`, `this March`.

    In January `this Christmas` and `this winter` are still the ones of last year: before its
    turn in the running year, the nearest one counts.
    """
    running = _cycle_at(today, recurring.cycle)
    span, before_it = recurring.occurrence(running), recurring.occurrence(running - 1)
    if recurring.cycle != "year" or not (span and before_it):
        return span
    passed, to_come = today - before_it.end, span.start - today
    return before_it if passed < min(to_come, STILL_THIS) else span


def nth_past(ref: Reference, named: Recurring, nth: int) -> Span | None:
    """Return `last March`: the newest that is over, or the nth newest."""
    over = (span for span in _occurrences(named, ref.today, -1) if span.end <= ref.today)
    return next(islice(over, max(nth - 1, 0), None), None)


def in_year(named: Recurring, number: int) -> Span | None:
    """Return `March 2025`, `Easter 2024`."""
    return named.occurrence(number) if named.cycle == "year" else None


def in_short_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `April of 87`, `3 March 99`; smaller numbers may be anything."""
    return in_year(named, two_digit_year(ref, number)) if 31 < number < 100 else None


def within(named: Recurring, period: Span) -> Span | None:
    """Return `Q4 last year`, `Tuesday of last week`, `the 3rd of last month`."""
    if named.cycle == "year" and period.kind == "year":
        return named.occurrence(period.start.year)
    if period.kind not in {"week", "month"}:
        return None
    return first_from(named, period.start, period.end)


def settle(ref: Reference, value: Timed) -> Span:
    """Return the occurrence meant when nothing says which: the latest, or the coming one."""
    span = value if isinstance(value, Span) else _choose(ref, value, 0)
    if span is None:
        raise ValueError(value)
    return span


def _choose(ref: Reference, named: Recurring, choice: int) -> Span | None:
    """Return the nearest occurrence, or the next nearest."""
    if not ref.ahead:
        return nth_past(ref, named, 1) if choice else latest(named, ref.today)
    limit = add_days(ref.today, 1) if named.other_day else ref.today
    coming = (span for span in _occurrences(named, ref.today, 1) if span.end > limit)
    return next(islice(coming, choice, None), None)


def parted(build: Callable[..., Span | None]) -> Callable[..., Span | None]:
    """Read a recurring period as the one in which the result has begun, or is to come."""

    def builder(ref: Reference, *captured: object) -> Span | None:
        span: Span | None = None
        for choice in range(2):
            settled = [_choose(ref, c, choice) if isinstance(c, Recurring) else c for c in captured]
            span = None if None in settled else build(*settled)
            if span and (span.end > ref.today if ref.ahead else span.start <= ref.today):
                return span
        return span

    return builder


# — lengths, and days counted from today —


def amount(count: int, unit: Unit, manner: str = "") -> Amount | None:
    """Return a count of units; a `vague` one of `a few weeks`."""
    if not 1 <= count <= LONGEST_COUNT:
        return None
    one, is_vague = LENGTHS[unit], manner == "vague"
    months, days, minutes = count * one.months, count * one.days, count * one.minutes
    return Amount(months, days, minutes, one.rough or is_vague, is_vague)


def half(unit: Unit) -> Amount | None:
    """Return `half a year`, `half an hour`."""
    if (whole := LENGTHS[unit].months) and whole % 2 == 0:
        return Amount(whole // 2, rough=True)
    return HALVES.get(unit)


def plus(first: Amount, second: Amount) -> Amount:
    """Return `one month and 21 days`: as exact as its finest unit."""
    return Amount(
        first.months + second.months,
        first.days + second.days,
        first.minutes + second.minutes,
        rough=first.rough and second.rough,
        vague=first.vague or second.vague,
    )


def units_on(ref: Reference, unit: Unit, count: int) -> Span | None:
    """Return the calendar unit that many units from the running one."""
    if unit in {"second", "minute", "hour"} or (count and unit == "fortnight"):
        return None
    return unit_of(add(unit_of(ref.today, unit).start, LENGTHS[unit], count), unit)


def last_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `the past month`: rolling; quarters and the like stay whole."""
    if unit in {"quarter", "weekend", "decade", "century"}:
        return units_on(ref, unit, -1)
    return last_amount(ref, LENGTHS[unit])


def last_amount(ref: Reference, length: Amount) -> Span:
    """Return `the last 7 days`: rolling, today included."""
    tomorrow = add_days(ref.today, 1)
    counted = length.months or length.days
    start = add(tomorrow, length, -1) if counted else _day_before(ref, length)
    return Span(start, tomorrow, "range")


def _day_before(ref: Reference, length: Amount) -> date:
    """Return the local date that many minutes ago, clock changes included."""
    then = ref.now.astimezone(UTC) - timedelta(minutes=length.minutes)
    return then.astimezone(ref.now.tzinfo).date()


def next_amount(ref: Reference, length: Amount) -> Span:
    """Return `the next three days`: rolling, from tomorrow."""
    tomorrow = add_days(ref.today, 1)
    return Span(tomorrow, max(add(tomorrow, length), add_days(tomorrow, 1)), "range")


def the_weekend(ref: Reference) -> Span | None:
    """Return the weekend that has begun last, or is to come."""
    running = unit_of(ref.today, "weekend")
    return running if ref.ahead or running.start <= ref.today else units_on(ref, "weekend", -1)


def this_weekend(ref: Reference) -> Span | None:
    """Return the weekend just over, early in the week: `what did we do this weekend`."""
    early = ref.today.weekday() in EARLY_IN_WEEK
    return the_weekend(ref) if early else units_on(ref, "weekend", 0)


def up_to(ref: Reference, span: Span, last: int) -> Span:
    """Return a running unit up to today (0) or yesterday (-1): `so far this week`."""
    end = max(add_days(ref.today, last + 1), add_days(span.start, 1))
    return Span(span.start, min(end, span.end), "range")


def from_tomorrow(ref: Reference, span: Span) -> Span:
    """Return the rest of a running unit: `later this week`."""
    return Span(min(add_days(ref.today, 1), add_days(span.end, -1)), span.end, "range")


def still_to_come(ref: Reference, span: Span) -> Span | Nothing:
    """Return `later today`, on which nobody can look back."""
    return span if ref.ahead else Nothing()


def vaguely(ref: Reference) -> Span:
    """Return what `recently` may mean; never more than a boost."""
    return Span(add_days(ref.today, -VAGUE_DAYS), ref.today, "range", hard=False)


def soft(span: Span) -> Span:
    """Return what is never more than a boost: `about two weeks ago`."""
    return replace(span, hard=False)


def ago(ref: Reference, length: Amount) -> Span:
    """Return the day that long ago; only a boost when the count is a rough one."""
    return _counted_day(add(_day_before(ref, length), length, -1), length)


def ahead(ref: Reference, length: Amount) -> Span | Nothing:
    """Return `in two weeks`; hours and minutes are no day."""
    if not (length.days or length.months):
        return Nothing()
    return _counted_day(add(ref.today, length), length)


def _counted_day(start: date, length: Amount) -> Span:
    by_months = length.months and not length.days
    kind: Kind = "month" if by_months else "week" if length.vague else "day"
    return Span(start, add_days(start, 1), kind, hard=not length.rough)


def some_ago(ref: Reference, fewer: int, more: int, unit: Unit) -> Span | None:
    """Return `two or three weeks ago`: everything between the two."""
    near, far = amount(fewer, unit), amount(more, unit)
    if near is None or far is None or fewer >= more:
        return None
    return Span(ago(ref, far).start, ago(ref, near).end, "range", hard=False)


def named_ago(ref: Reference, length: Amount, named: Recurring) -> Span | None:
    """Return `two years ago in May`, `a week ago Saturday`, `Sunday two weeks ago`."""
    if named.cycle == "week" and length.days % 7 == 0:
        newest = latest(named, ref.today)
        return newest and one_day(add(newest.start, length, -1))
    if length.days or length.months % 12 or not length.months:
        return None
    return in_year(named, ref.today.year - length.months // 12)


# — parts of a period, and days counted from it —

# The early, middle and late part, as days or months from the beginning.
_DAYS = {"month": ((0, 15), (9, 20), (15, 31)), "week": ((0, 3), (2, 5), (3, 7))}
_MONTHS = {
    "halves": ((0, 6), (4, 8), (6, 12)),
    "thirds": ((0, 4), (4, 8), (8, 12)),
    "decade": ((0, 48), (48, 84), (84, 120)),
    "quarter": ((0, 1), (1, 2), (2, 3)),
    "season": ((0, 1), (1, 2), (2, 3)),
}


@parted
def part_of(which: int, period: Span, of_year: str = "halves") -> Span | None:
    """Return `early May`, `late 2024` (its second half), `the end of 2024` (its last third)."""
    kind = of_year if period.kind == "year" else period.kind
    if kind in _DAYS:
        first, end = (add_days(period.start, days) for days in _DAYS[kind][which])
    elif kind in _MONTHS:
        first, end = (add(period.start, Amount(count)) for count in _MONTHS[kind][which])
    else:
        return period if kind == "day" else None
    return Span(first, min(end, period.end), "range")


@parted
def nth_unit_of(nth: int, unit: Unit, period: Span) -> Span | None:
    """Return `the third week of January`; -1 is the last; weeks count where their Thursday lies."""
    if unit in {"week", "weekend"}:
        inside = nth_weekday(period, nth, THURSDAY if unit == "week" else SATURDAY)
        return unit_of(inside, unit) if inside else None
    if unit not in {"day", "month", "quarter"}:
        return None
    if nth < 0:
        return unit_of(add_days(period.end, -1), unit)
    found = unit_of(add(period.start, LENGTHS[unit], nth - 1), unit)
    return found if found.start < period.end else None


@parted
def nth_weekday_of(nth: int, number: int, period: Span) -> Span | None:
    """Return `the third Wednesday of last month`; -1 is the last."""
    found = nth_weekday(period, nth, number)
    return one_day(found) if found else None


@parted
def first_amount_of(length: Amount, period: Span) -> Span | None:
    """Return `the first ten days of last year`, `2 weeks starting May 20th`."""
    end = add(period.start, length)
    return Span(period.start, end, "range") if end > period.start else None


@parted
def unit_around(unit: Unit, period: Span) -> Span | None:
    """Return `the week of February 9`, `the weekend of Halloween`."""
    return unit_of(period.start, unit) if unit in {"week", "weekend", "month", "day"} else None


@parted
def holiday_weekend(day: Span) -> Span:
    """Return the weekend next to a holiday, made longer by a free Friday or Monday."""
    nearest = add_days(day.start, {0: -2, 1: -3, 4: 1}.get(day.start.weekday(), 0))
    weekend = unit_of(nearest, "weekend")
    if day.start.weekday() not in {0, 4}:
        return weekend
    return Span(min(weekend.start, day.start), max(weekend.end, day.end), "weekend")


def amount_from(ref: Reference, sign: int, length: Amount, named: Timed) -> Span:
    """Return `two weeks before Christmas`, `three days after Easter`."""
    return one_day(add(settle(ref, named).start, length, sign))


def neighbour(ref: Reference, sign: int, unit: Unit, named: Timed) -> Span:
    """Return `the week before Easter`, `the day after Christmas`."""
    span = settle(ref, named)
    if sign < 0:
        return unit_of(add(span.start, LENGTHS[unit], -1), unit)
    if unit in {"day", "weekend"}:
        return unit_of(span.end, unit)
    return unit_of(add(add_days(span.end, -1), LENGTHS[unit]), unit)


def weekday_from(ref: Reference, sign: int, number: int, named: Timed) -> Span | None:
    """Return `the Monday before Halloween`, `the Friday after Easter`."""
    span, weekday = settle(ref, named), weekly(number)
    return latest(weekday, span.start) if sign < 0 else first_from(weekday, span.end)


# — two ends, or one end and a direction —


def between(ref: Reference, first: Timed, second: Timed) -> Span | None:
    """Return the range from the first through the second, ends inclusive."""
    start: Span | None
    if isinstance(first, Recurring) and isinstance(second, Span):
        before = _occurrences(first, second.start, -1)
        start = next((s for s in before if s.start <= second.start), None)
    else:
        start = settle(ref, first)
    if start is None:
        return None
    end = second if isinstance(second, Span) else first_from(second, start.start)
    if end is None or start.start >= end.end:
        return None
    weekday = isinstance(first, Recurring) and first.cycle == "week"
    if weekday and (end.end - start.start).days > DAYS_FROM_WEEKDAY:
        return None  # Two names that do not belong together: the `Mon-Fri 9` of `Mon-Fri 9-5`.
    return Span(start.start, end.end, "range")


def adjoining(ref: Reference, first: Timed, second: Timed) -> Span | None:
    """Return `Tuesday and Wednesday`, `May and June`: one range when no gap lies between."""
    whole = between(ref, first, second)
    opening, closing = (_at(first, whole.start), _at(second, whole.end)) if whole else (None, None)
    return whole if opening and closing and opening.end == closing.start else None


def _at(value: Timed, edge: date) -> Span | None:
    """Return the occurrence that begins or ends at `edge`."""
    if isinstance(value, Span):
        return value
    return next((s for s in _occurrences(value, edge, -1) if edge in {s.start, s.end}), None)


def days_of_month(ref: Reference, first: int, last: int, whole: Timed) -> Span | None:
    """Return `between 3 and 12 of September`, `from 4 to 22 this month`."""
    span = settle(ref, whole)
    if span.kind != "month" or first > last:
        return None
    return Span(span.start.replace(day=first), add_days(span.start.replace(day=last), 1), "range")


def bounded(ref: Reference, bound: Bound, value: Timed) -> Span:
    """Return `since May`, `before Christmas`."""
    return replace(settle(ref, value), bound=bound)


def deadline(ref: Reference, value: Timed) -> Span | Nothing:
    """Return `by Friday`, which looks ahead, or `by July 2022`."""
    is_to_come = isinstance(value, Recurring) and not ref.ahead
    return Nothing() if is_to_come else bounded(ref, "by", value)


def around(ref: Reference, value: Timed) -> Span:
    """Return it with a few days on both sides."""
    span = settle(ref, value)
    if span.kind in {"year", "decade"}:
        return soft(span)
    start, end = add_days(span.start, -AROUND_DAYS), add_days(span.end, AROUND_DAYS)
    return Span(start, end, "range", hard=False)
