"""The functions that turn what a grammar pattern captured into a time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice

from memory_graph.language.english.time import calendar
from memory_graph.language.english.time.calendar import (
    Amount,
    Recurring,
    Reference,
    Span,
    Unit,
    add_amount,
    add_days,
    unit_of,
)
from memory_graph.language.english.time.parser import WEEKDAYS, Value
from memory_graph.language.times import Bound

Timed = Span | Recurring
HALVES: dict[Unit, Amount] = {
    "hour": Amount(minutes=30),
    "week": Amount(days=3, rough=True),
    "month": Amount(days=15, rough=True),
}
LONGEST_COUNT = 9999
VAGUE_DAYS = 7
AROUND_DAYS = 3
"""What `around Easter` adds on both sides."""
DAYS_FROM_WEEKDAY = 31
EARLY_IN_WEEK = range(3)
THURSDAY = 3
SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""Meteorological, in the northern hemisphere."""
# The early, middle and late part, as days or months from the beginning.
_DAYS = {"month": ((0, 15), (9, 20), (15, 31)), "week": ((0, 3), (2, 5), (3, 7))}
_MONTHS = {
    "year": ((0, 6), (4, 8), (6, 12)),
    "third of year": ((0, 4), (4, 8), (8, 12)),
    "decade": ((0, 48), (48, 84), (84, 120)),
    "quarter": ((0, 1), (1, 2), (2, 3)),
    "season": ((0, 1), (1, 2), (2, 3)),
}


def parted(build: Callable[..., Span | None]) -> Callable[..., Span | None]:
    """Read a recurring period as the one in which the result has begun, or is to come."""

    def builder(ref: Reference, *captured: Value) -> Span | None:
        span: Span | None = None
        for choice in range(2):
            settled = [_choose(ref, c, choice) if isinstance(c, Recurring) else c for c in captured]
            span = None if None in settled else build(ref, *settled)
            if span and (span.end > ref.today if ref.ahead else span.start <= ref.today):
                return span
        return span

    return builder


def _choose(ref: Reference, named: Recurring, choice: int) -> Span | None:
    """Return the nearest occurrence, or the next nearest."""
    if not ref.ahead:
        return nth_past(ref, named, 1) if choice else calendar.latest(named, ref.today)
    limit = add_days(ref.today, 1) if named.other_day else ref.today
    coming = (span for span in calendar.forwards(named, ref.today) if span.end > limit)
    return next(islice(coming, choice, None), None)


# — numbers and lengths —


def added(ref: Reference, tens: int, digit: int) -> int | None:
    """Return `twenty` + `one`; the digit of an ordinal stays below ten."""
    return tens + digit if digit < 10 else None


def day_number(ref: Reference, number: int) -> int | None:
    """Return a number that can be a day of a month."""
    return number if 1 <= number <= 31 else None


def two_digit_year(ref: Reference, number: int) -> int:
    """Return the latest such year that has begun."""
    century = ref.today.year // 100 * 100
    return century + number if century + number <= ref.today.year else century - 100 + number


def amount(ref: Reference, count: int, unit: Unit) -> Amount | None:
    """Return a count of units."""
    if not 1 <= count <= LONGEST_COUNT:
        return None
    if unit in calendar.MINUTES_IN:
        return Amount(minutes=count * calendar.MINUTES_IN[unit])
    if unit in calendar.DAYS_IN:
        return Amount(days=count * calendar.DAYS_IN[unit], rough=unit != "day")
    return Amount(months=count * calendar.MONTHS_IN[unit], rough=True)


def vague_amount(ref: Reference, count: int, unit: Unit) -> Amount | None:
    """Return `a few weeks`."""
    exact = amount(ref, count, unit)
    return exact and replace(exact, rough=True, vague=True)


def half(ref: Reference, unit: Unit) -> Amount | None:
    """Return `half a year`, `half an hour`."""
    if calendar.MONTHS_IN.get(unit, 1) % 2 == 0:
        return Amount(months=calendar.MONTHS_IN[unit] // 2, rough=True)
    return HALVES.get(unit)


def plus(ref: Reference, first: Amount, second: Amount) -> Amount:
    """Return `one month and 21 days`: as exact as its finest unit."""
    return Amount(
        months=first.months + second.months,
        days=first.days + second.days,
        minutes=first.minutes + second.minutes,
        rough=first.rough and second.rough,
        vague=first.vague or second.vague,
    )


# — names —


def month(ref: Reference, number: int) -> Recurring:
    """Return a month, which comes round every year."""
    return calendar.months("month", number, 1)


def season(ref: Reference, name: str) -> Recurring:
    """Return a meteorological season of the user's hemisphere."""
    number = (SEASON_STARTS[name] - 1 + (6 if ref.southern else 0)) % 12 + 1
    return calendar.months("season", number, 3)


def quarter(ref: Reference, number: int) -> Recurring | None:
    """Return a quarter."""
    return calendar.months("quarter", 3 * number - 2, 3) if 1 <= number <= 4 else None


def spoken_year(ref: Reference, hundreds: int, rest: int) -> int | None:
    """Return `nineteen ninety nine`, `twenty twenty two`."""
    return hundreds * 100 + rest if hundreds <= 20 and rest > 9 else None


def long_year(ref: Reference, thousands: int, hundreds: int, rest: int | None) -> int:
    """Return `two thousand and twelve`, `nineteen hundred`."""
    return thousands * 1000 + hundreds * 100 + (rest or 0)


def half_year(ref: Reference, number: int) -> Recurring:
    """Return a half of the year."""
    return calendar.months("range", 6 * number - 5, 6)


def in_short_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `April of 87`, `3 March 99`; smaller numbers may be anything."""
    return in_year(ref, named, two_digit_year(ref, number)) if 31 < number < 100 else None


def iso_week(ref: Reference, number: int) -> Recurring:
    """Return a numbered week, which comes round every ISO year."""
    return Recurring("year", lambda year: written_iso_week(ref, f"{year:04}-W{number:02}"))


def written_iso_week(ref: Reference, text: str) -> Span | None:
    """Read 2026-W09."""
    try:
        return unit_of(date.fromisocalendar(int(text[:4]), int(text[-2:]), 1), "week")
    except ValueError:
        return None


def year(ref: Reference, number: int) -> Span:
    """Return a calendar year."""
    return unit_of(date(number, 1, 1), "year")


def year_month(ref: Reference, index: int) -> Span:
    """Return a month written as 2025-08 or 8/2025."""
    return unit_of(date(index // 12, index % 12 + 1, 1), "month")


def decade(ref: Reference, number: int) -> Span:
    """Return `the 1990s`; a short one is the latest that has begun."""
    if 100 <= number < 1900 and number % 100 == 0:
        return century(ref, number // 100 + 1)
    start = number if number >= 100 else two_digit_year(ref, number)
    return Span(date(start, 1, 1), date(start + 10, 1, 1), "decade")


def century(ref: Reference, number: int) -> Span:
    """Return the 15th century."""
    return Span(date(number * 100 - 100, 1, 1), date(number * 100, 1, 1), "range")


def month_day(ref: Reference, number: int, day: int) -> Recurring | None:
    """Return a day of a month, which comes round every year."""
    if not calendar.existing(2024, number, day):
        return None
    return Recurring("year", lambda year: calendar.existing(year, number, day))


def slashed(ref: Reference, text: str) -> Recurring | None:
    """Read 4/22 or 22/4, month first where both exist."""
    first, second = (int(part) for part in text.split("/"))
    return month_day(ref, second, first) if first > 12 else month_day(ref, first, second)


def numeric_date(ref: Reference, text: str) -> Span | None:
    """Read 03/04/2025: month first, unless only the other order exists or is past."""
    separator = next(mark for mark in "/-." if mark in text)
    first, second, number = (int(part) for part in text.split(separator))
    number = number if number > 99 else two_digit_year(ref, number)
    orders = [(first, second), (second, first)]
    if separator == ".":
        orders.reverse()
    days = [span for order in orders if (span := calendar.existing(number, *order))]
    past = [span for span in days if span.start <= ref.today]
    return next(iter(past or days), None)


def holiday(when: str | list[str]) -> Callable[..., Recurring]:
    """Return a builder for a named day: `12-25`, `easter-2`, `11 thursday 4 +1`, or its dates."""
    known = {int(day[:4]): day for day in when} if isinstance(when, list) else {}

    def occurrence(number: int) -> Span | None:
        if isinstance(when, str):
            return calendar.one_day(_holiday(when, number))
        return calendar.one_day(date.fromisoformat(known[number])) if number in known else None

    return lambda ref: Recurring("year", occurrence)


def _holiday(when: str, number: int) -> date:
    if when.startswith("easter"):
        return add_days(_easter(number), int(when.removeprefix("easter") or 0))
    if when[2] == "-":
        return date(number, int(when[:2]), int(when[3:]))
    month_number, weekday, nth, *later = when.split()
    whole = unit_of(date(number, int(month_number), 1), "month")
    day = calendar.nth_weekday(whole, int(nth), WEEKDAYS[weekday])
    return add_days(day or whole.start, int(later[0]) if later else 0)


def _easter(number: int) -> date:
    """Return Western Easter Sunday (Butcher's computation)."""
    hundreds, rest = divmod(number, 100)
    golden = number % 19
    epact = (19 * golden + hundreds - hundreds // 4 - (8 * hundreds + 13) // 25 + 15) % 30
    weekday = (32 + 2 * (hundreds % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month_number, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(number, month_number, day + 1)


@parted
def holiday_weekend(ref: Reference, day: Span) -> Span:
    """Return the weekend next to a holiday, made longer by a free Friday or Monday."""
    nearest = add_days(day.start, {0: -2, 1: -3, 4: 1}.get(day.start.weekday(), 0))
    weekend = unit_of(nearest, "weekend")
    if day.start.weekday() not in {0, 4}:
        return weekend
    return Span(min(weekend.start, day.start), max(weekend.end, day.end), "weekend")


# — counted from today —


def later_today(ref: Reference) -> Span | calendar.Nothing:
    """Return today, which is nothing to look back on."""
    return calendar.one_day(ref.today) if ref.ahead else calendar.Nothing()


def units_on(ref: Reference, unit: Unit, count: int) -> Span | None:
    """Return the calendar unit that many units from the running one."""
    if unit in calendar.MINUTES_IN or (count and unit == "fortnight"):
        return None
    return unit_of(calendar.add(calendar.first_of(ref.today, unit), count, unit), unit)


def last_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `the past month`: rolling; quarters and the like stay whole."""
    if unit in {"quarter", "weekend", "decade", "century"}:
        return units_on(ref, unit, -1)
    length = amount(ref, 1, unit)
    return last_amount(ref, length) if length else None


def last_amount(ref: Reference, length: Amount) -> Span:
    """Return `the last 7 days`: rolling, today included."""
    tomorrow = add_days(ref.today, 1)
    if not (length.months or length.days):
        return Span(ref.day_in(timedelta(minutes=-length.minutes)), tomorrow, "range")
    return Span(add_amount(tomorrow, length, -1), tomorrow, "range")


def next_amount(ref: Reference, length: Amount) -> Span:
    """Return `the next three days`: rolling, from tomorrow."""
    tomorrow = add_days(ref.today, 1)
    return Span(tomorrow, max(add_amount(tomorrow, length, 1), add_days(tomorrow, 1)), "range")


def the_weekend(ref: Reference) -> Span | None:
    """Return the weekend that has begun last, or is to come."""
    running = unit_of(ref.today, "weekend")
    return running if ref.ahead or running.start <= ref.today else units_on(ref, "weekend", -1)


def this_weekend(ref: Reference) -> Span | None:
    """Return the weekend just over, early in the week: `what did we do this weekend`."""
    early = ref.today.weekday() in EARLY_IN_WEEK
    return the_weekend(ref) if early else units_on(ref, "weekend", 0)


def so_far(ref: Reference, unit: Unit) -> Span | None:
    """Return the running unit up to and including today."""
    running = units_on(ref, unit, 0)
    return running and Span(running.start, add_days(ref.today, 1), "range")


def earlier_in_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `earlier this week`: the running unit before today."""
    running = units_on(ref, unit, 0)
    return running and Span(running.start, max(ref.today, add_days(running.start, 1)), "range")


def later_in_unit(ref: Reference, unit: Unit) -> Span | calendar.Nothing:
    """Return `later this week`: the running unit after today."""
    running = units_on(ref, unit, 0)
    if running is None or unit == "day":
        return later_today(ref)
    return Span(min(add_days(ref.today, 1), add_days(running.end, -1)), running.end, "range")


def vaguely(ref: Reference) -> Span:
    """Return what `recently` may mean; never more than a boost."""
    return Span(add_days(ref.today, -VAGUE_DAYS), ref.today, "range", hard=False)


def ago(ref: Reference, length: Amount) -> Span:
    """Return the day that long ago; only a boost when the count is a rough one."""
    start = add_amount(ref.day_in(timedelta(minutes=-length.minutes)), length, -1)
    return _counted_day(start, length)


def soft(ref: Reference, span: Span) -> Span:
    """Return what is never more than a boost: `about two weeks ago`."""
    return replace(span, hard=False)


def ahead(ref: Reference, length: Amount) -> Span | calendar.Nothing:
    """Return `in two weeks`; hours and minutes are no day."""
    if not (length.days or length.months):
        return calendar.Nothing()
    return _counted_day(add_amount(ref.today, length, 1), length)


def _counted_day(start: date, length: Amount) -> Span:
    by_months = length.months and not length.days
    kind: calendar.Kind = "month" if by_months else "week" if length.vague else "day"
    return Span(start, add_days(start, 1), kind, hard=not length.rough)


def some_ago(ref: Reference, fewer: int, more: int, unit: Unit) -> Span | None:
    """Return `two or three weeks ago`: everything between the two."""
    near, far = amount(ref, fewer, unit), amount(ref, more, unit)
    if near is None or far is None or fewer >= more:
        return None
    return Span(ago(ref, far).start, ago(ref, near).end, "range", hard=False)


def named_ago(ref: Reference, length: Amount, named: Recurring) -> Span | None:
    """Return `two years ago in May`, `a week ago Saturday`, `Sunday two weeks ago`."""
    if named.cycle == "week" and length.days % 7 == 0:
        newest = calendar.latest(named, ref.today)
        return newest and calendar.one_day(add_amount(newest.start, length, -1))
    if length.days or length.months % 12 or not length.months:
        return None
    return in_year(ref, named, ref.today.year - length.months // 12)


# — which occurrence of a name —


def in_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `March 2025`, `Easter 2024`."""
    return named.occurrence(number) if named.cycle == "year" else None


def within(ref: Reference, named: Recurring, period: Span) -> Span | None:
    """Return `Q4 last year`, `Tuesday of last week`, `the 3rd of last month`."""
    if named.cycle == "year" and period.kind == "year":
        return named.occurrence(period.start.year)
    if period.kind not in {"week", "month"}:
        return None
    return calendar.first_from(named, period.start, period.end)


def nth_past(ref: Reference, named: Recurring, nth: int) -> Span | None:
    """Return `last March`: the newest that is over, or the nth newest."""
    over = (span for span in calendar.backwards(named, ref.today) if span.end <= ref.today)
    return next(islice(over, max(nth - 1, 0), None), None)


# — parts of a period, and days counted from it —


@parted
def nth_unit_of(ref: Reference, nth: int, unit: Unit, period: Span) -> Span | None:
    """Return `the third week of January`; -1 is the last; weeks count where their Thursday lies."""
    if unit in {"week", "weekend"}:
        weekday = THURSDAY if unit == "week" else calendar.SATURDAY
        inside = calendar.nth_weekday(period, nth, weekday)
        return unit_of(inside, unit) if inside else None
    if unit not in {"day", "month", "quarter"}:
        return None
    if nth < 0:
        return unit_of(add_days(period.end, -1), unit)
    found = unit_of(calendar.add(period.start, nth - 1, unit), unit)
    return found if found.start < period.end else None


@parted
def nth_weekday_of(ref: Reference, nth: int, number: int, period: Span) -> Span | None:
    """Return `the third Wednesday of last month`; -1 is the last."""
    found = calendar.nth_weekday(period, nth, number)
    return calendar.one_day(found) if found else None


@parted
def first_amount_of(ref: Reference, length: Amount, period: Span) -> Span | None:
    """Return `the first ten days of last year`, `2 weeks starting May 20th`."""
    end = add_amount(period.start, length, 1)
    return Span(period.start, end, "range") if end > period.start else None


@parted
def unit_around(ref: Reference, unit: Unit, period: Span) -> Span | None:
    """Return `the week of February 9`, `the weekend of Halloween`."""
    return unit_of(period.start, unit) if unit in {"week", "weekend", "month", "day"} else None


@parted
def part_of(ref: Reference, which: int, period: Span, kind: str = "") -> Span | None:
    """Return `early May`, `late 2024` (its second half)."""
    kind = kind or period.kind
    if kind in _DAYS:
        first, end = (add_days(period.start, days) for days in _DAYS[kind][which])
    elif kind in _MONTHS:
        first, end = (calendar.add_months(period.start, m) for m in _MONTHS[kind][which])
    else:
        return period if kind == "day" else None
    return Span(first, min(end, period.end), "range")


@parted
def third_of(ref: Reference, which: int, period: Span) -> Span | None:
    """Return `the beginning of May`, `the end of 2024` (its last third)."""
    return part_of(ref, which, period, "third of year" if period.kind == "year" else "")


def amount_from(ref: Reference, sign: int, length: Amount, named: Timed) -> Span | None:
    """Return `two weeks before Christmas`, `three days after Easter`."""
    span = settle(ref, named)
    return calendar.one_day(add_amount(span.start, length, sign)) if span else None


def neighbour(ref: Reference, sign: int, unit: Unit, named: Timed) -> Span | None:
    """Return `the week before Easter`, `the day after Christmas`."""
    span = settle(ref, named)
    if span is None:
        return None
    if sign < 0:
        return unit_of(calendar.add(span.start, -1, unit), unit)
    if unit in {"day", "weekend"}:
        return unit_of(span.end, unit)
    return unit_of(calendar.add(add_days(span.end, -1), 1, unit), unit)


def weekday_from(ref: Reference, sign: int, number: int, named: Timed) -> Span | None:
    """Return `the Monday before Halloween`, `the Friday after Easter`."""
    span, weekday = settle(ref, named), calendar.weekly(number)
    if span is None:
        return None
    before = calendar.latest(weekday, span.start)
    return before if sign < 0 else calendar.first_from(weekday, span.end)


# — two ends, or one end and a direction —


def settle(ref: Reference, value: Timed) -> Span | None:
    """Return the occurrence meant when nothing says which: the latest, or the coming one."""
    return value if isinstance(value, Span) else _choose(ref, value, 0)


def between(ref: Reference, first: Timed, second: Timed) -> Span | None:
    """Return the range from the first through the second, ends inclusive."""
    if isinstance(first, Recurring) and isinstance(second, Span):
        candidates = calendar.backwards(first, second.start)
        start = next((s for s in candidates if s.start <= second.start), None)
    else:
        start = settle(ref, first)
    if start is None:
        return None
    end = second if isinstance(second, Span) else calendar.first_from(second, start.start)
    if end is None or start.start >= end.end:
        return None
    weekday = isinstance(first, Recurring) and first.cycle == "week"
    if weekday and (end.end - start.start).days > DAYS_FROM_WEEKDAY:
        return None  # Two names that do not belong together: the `Mon-Fri 9` of `Mon-Fri 9-5`.
    return Span(start.start, end.end, "range")


def adjoining(ref: Reference, first: Timed, second: Timed) -> Span | None:
    """Return `Tuesday and Wednesday`, `May and June`: one range when no gap lies between."""
    whole = between(ref, first, second)
    if whole is None:
        return None
    opening, closing = _at(first, whole.start), _at(second, whole.end)
    return whole if opening and closing and opening.end == closing.start else None


def _at(value: Timed, edge: date) -> Span | None:
    """Return the occurrence that begins or ends at `edge`."""
    if isinstance(value, Span):
        return value
    return next((s for s in calendar.backwards(value, edge) if edge in {s.start, s.end}), None)


def days_of_month(ref: Reference, first: int, last: int, whole: Timed) -> Span | None:
    """Return `between 3 and 12 of September`, `from 4 to 22 this month`."""
    span = settle(ref, whole)
    if span is None or span.kind != "month" or first > last:
        return None
    return Span(span.start.replace(day=first), add_days(span.start.replace(day=last), 1), "range")


def bounded(ref: Reference, bound: Bound, value: Timed) -> Span | None:
    """Return `since May`, `before Christmas`."""
    span = settle(ref, value)
    return replace(span, bound=bound) if span else None


def deadline(ref: Reference, value: Timed) -> Span | calendar.Nothing | None:
    """Return `by Friday`, which looks ahead, or `by July 2022`."""
    if isinstance(value, Recurring) and not ref.ahead:
        return calendar.Nothing()
    return bounded(ref, "by", value)


def around(ref: Reference, value: Timed) -> Span | None:
    """Return it with a few days on both sides."""
    span = settle(ref, value)
    if span is None or span.kind in {"year", "decade"}:
        return span and replace(span, hard=False)
    start, end = add_days(span.start, -AROUND_DAYS), add_days(span.end, AROUND_DAYS)
    return Span(start, end, "range", hard=False)
