"""What do phrases about longer periods mean: last week, Q3, late 2024, the first week of May?"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from memory_graph.policy.time_phrases import calendar, recurrence
from memory_graph.policy.time_phrases.calendar import Unit, add_days, unit_of, whole_year
from memory_graph.policy.time_phrases.days import ago, day_of_month
from memory_graph.policy.time_phrases.numbers import amount, two_digit_year
from memory_graph.policy.time_phrases.values import Amount, Recurring, Reference, Span, Value

SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""Meteorological, in the northern hemisphere."""
VAGUE_DAYS = 7
THURSDAY = 3


def this_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return the running calendar unit."""
    return None if unit in {"second", "minute", "hour"} else unit_of(ref.today, unit)


def last_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return the calendar unit before the running one."""
    return units_back(ref, 1, unit)


def unit_before_last(ref: Reference, unit: Unit) -> Span | None:
    """Return the calendar unit before the last one."""
    return units_back(ref, 2, unit)


def units_back(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return the calendar unit that many units back."""
    if unit in {"second", "minute", "hour", "fortnight", "season"}:
        return None
    return unit_of(calendar.add(calendar.first_of(ref.today, unit), -count, unit), unit)


def past_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `the past month`: rolling, today included; quarters and the like stay whole."""
    return last_units(ref, 1, unit)


def last_units(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `the last 7 days`: rolling, today included."""
    if count < 1:
        return None
    if unit in {"second", "minute", "hour"}:
        return _last_hours(ref, timedelta(hours=1) * count if unit == "hour" else timedelta())
    if unit in {"quarter", "weekend", "decade", "century"}:
        return _last_whole_units(ref, count, unit)
    tomorrow = add_days(ref.today, 1)
    return Span(calendar.add(tomorrow, -count, unit), tomorrow, "range")


def _last_hours(ref: Reference, length: timedelta) -> Span:
    return Span((ref.now - length).date(), add_days(ref.today, 1), "hour_part")


def _last_whole_units(ref: Reference, count: int, unit: Unit) -> Span | None:
    newest, oldest = units_back(ref, 1, unit), units_back(ref, count, unit)
    if newest is None or oldest is None:
        return None
    return newest if count == 1 else Span(oldest.start, newest.end, "range")


def few_last_units(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `the last few days`."""
    span = last_units(ref, count, unit)
    return span and replace(span, confidence=0.7)


def last_amount(ref: Reference, amount: Amount) -> Span:
    """Return `the last 3 months and 2 weeks`."""
    tomorrow = add_days(ref.today, 1)
    start = add_days(calendar.add_months(tomorrow, -amount.months), -amount.days)
    return Span(start, tomorrow, "range")


def the_weekend(ref: Reference) -> Span | None:
    """Return the weekend that has begun last: `over the weekend`."""
    running = unit_of(ref.today, "weekend")
    return running if running.start and running.start <= ref.today else last_unit(ref, "weekend")


def so_far(ref: Reference, unit: Unit) -> Span | None:
    """Return the running unit up to and including today."""
    running = this_unit(ref, unit)
    return running and Span(running.start, add_days(ref.today, 1), "range")


def earlier_in_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `earlier this week`: the running unit before today."""
    running = this_unit(ref, unit)
    if running is None or running.start is None or unit == "day":
        return running
    return replace(running, end=max(ref.today, add_days(running.start, 1)), granularity="range")


def vaguely(ref: Reference) -> Span:
    """Return what `recently` may mean; never more than a boost."""
    start = add_days(ref.today, -VAGUE_DAYS)
    return Span(start, ref.today, "range", hard=False, confidence=0.4)


def month(ref: Reference, number: int) -> Recurring:
    """Return a month, which comes round every year."""
    return Recurring("year", lambda year: unit_of(date(year, number, 1), "month"))


def season(ref: Reference, name: str) -> Recurring:
    """Return a meteorological season of the user's hemisphere."""
    half_year = 0 if ref.hemisphere == "north" else 6
    number = (SEASON_STARTS[name] - 1 + half_year) % 12 + 1

    def occurrence(year: int) -> Span:
        start = date(year, number, 1)
        return Span(start, calendar.add_months(start, 3), "season")

    return Recurring("year", occurrence)


def quarter(ref: Reference, number: int) -> Recurring | None:
    """Return a quarter, which comes round every year."""
    if not 1 <= number <= 4:
        return None
    return Recurring("year", lambda year: unit_of(date(year, 3 * number - 2, 1), "quarter"))


def half_year(ref: Reference, number: int) -> Recurring | None:
    """Return a half of the year."""
    if number not in {1, 2}:
        return None

    def occurrence(year: int) -> Span:
        start = date(year, 6 * number - 5, 1)
        return Span(start, calendar.add_months(start, 6), "range")

    return Recurring("year", occurrence)


def iso_week(ref: Reference, number: int) -> Recurring | None:
    """Return a numbered week, which comes round every ISO year."""
    if not 1 <= number <= 53:
        return None
    return Recurring("year", lambda year: _week_of_iso_year(year, number))


def _week_of_iso_year(year: int, number: int) -> Span | None:
    try:
        return unit_of(date.fromisocalendar(year, number, 1), "week")
    except ValueError:
        return None


def written_iso_week(ref: Reference, text: str) -> Span | None:
    """Read 2026-W09."""
    return _week_of_iso_year(int(text[:4]), int(text[-2:]))


def year(ref: Reference, number: int) -> Span:
    """Return a calendar year."""
    return whole_year(number)


def year_month(ref: Reference, index: int) -> Span:
    """Return a month written as 2025-08 or 8/2025."""
    return unit_of(date(index // 12, index % 12 + 1, 1), "month")


def decade(ref: Reference, number: int) -> Span:
    """Return `the 1990s`; a short one is the latest that has begun."""
    start = number
    if 100 <= number < 1900 and number % 100 == 0:
        return century(ref, number // 100 + 1)
    if number < 100:
        start = ref.today.year // 100 * 100 + number
        start -= 100 if start > ref.today.year else 0
    return Span(date(start, 1, 1), date(start + 10, 1, 1), "decade")


def spoken_decade(ref: Reference, century: int, decade_number: int) -> Span:
    """Return `the nineteen seventies`."""
    return decade(ref, century * 100 + decade_number)


def century(ref: Reference, number: int) -> Span:
    """Return the 15th century, the fourteen hundreds."""
    return Span(date(number * 100 - 100, 1, 1), date(number * 100, 1, 1), "range")


def in_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `March 2025`, `Easter 2024`."""
    return named.occurrence(number) if named.cycle == "year" else None


def year_then(ref: Reference, number: int, named: Recurring) -> Span | None:
    """Return `2025 March`."""
    return in_year(ref, named, number)


def within(ref: Reference, named: Recurring, period: Span) -> Span | None:
    """Return `Q4 last year`, `Tuesday of last week`, `the 3rd of last month`."""
    if named.cycle == "year" and period.granularity == "year" and period.start:
        return named.occurrence(period.start.year)
    return recurrence.inside(named, period) if period.granularity in {"week", "month"} else None


def period_then(ref: Reference, period: Span, named: Recurring) -> Span | None:
    """Return `last year in July`, `last week on Thursday`."""
    return within(ref, named, period)


def years_ago_in(ref: Reference, amount: Amount, named: Recurring) -> Span | None:
    """Return `two years ago in May`."""
    if amount.months == 0 or amount.months % 12 or amount.days:
        return None
    return in_year(ref, named, ref.today.year - amount.months // 12)


def last_named(ref: Reference, named: Recurring) -> Span | None:
    """Return `last March`: the newest that is over."""
    return recurrence.last(named, ref.today)


def past_named(ref: Reference, named: Recurring) -> Span | None:
    """Return `this past Tuesday`."""
    return recurrence.latest(named, ref.today)


def this_named(ref: Reference, named: Recurring) -> Span | None:
    """Return `this March`, `this Friday`."""
    return recurrence.current(named, ref.today)


def named_before_last(ref: Reference, named: Recurring) -> Span | None:
    """Return `the summer before last`."""
    newest = recurrence.last(named, ref.today)
    if not (newest and newest.alternatives):
        return None
    start, end = newest.alternatives[0]
    return replace(newest, start=start, end=end, alternatives=())


def looking_back(build: Callable[..., Span | None]) -> Callable[..., Span | None]:
    """Read a recurring period as the latest one in which the result has begun."""

    def builder(ref: Reference, *captured: Value) -> Span | None:
        span: Span | None = None
        for choose in (recurrence.latest, recurrence.last):
            settled = [choose(c, ref.today) if isinstance(c, Recurring) else c for c in captured]
            span = None if None in settled else build(ref, *settled)
            if span and (span.start is None or span.start <= ref.today):
                return span
        return span

    return builder


def weeks_in(period: Span) -> tuple[date, int] | None:
    """Return the first Monday and the number of weeks, each counted where its Thursday lies."""
    if period.start is None or period.end is None:
        return None
    first = calendar.nth_weekday(period.start, 1, THURSDAY)
    last = calendar.nth_weekday(add_days(period.end, -7), 1, THURSDAY)
    return add_days(first, -THURSDAY), (last - first).days // 7 + 1


def nth_unit_of(ref: Reference, nth: int, unit: Unit, period: Span) -> Span | None:
    """Return `the third week of January`, `the last day of February`; -1 is the last."""
    if period.start is None or period.end is None:
        return None
    if unit == "week":
        return _nth_week(period, nth)
    if unit not in {"day", "weekend", "month", "quarter"}:
        return None
    begins = calendar.first_of(add_days(period.start, 6 if unit == "weekend" else 0), unit)
    if unit == "weekend":
        begins = calendar.nth_weekday(period.start, 1, calendar.SATURDAY)
    if nth < 0:
        return unit_of(calendar.first_of(add_days(period.end, -1), unit), unit)
    found = unit_of(calendar.add(begins, nth - 1, unit), unit)
    return found if found.start and found.start < period.end else None


def _nth_week(period: Span, nth: int) -> Span | None:
    weeks = weeks_in(period)
    if weeks is None or nth > weeks[1]:
        return None
    first, count = weeks
    return unit_of(add_days(first, 7 * ((nth if nth > 0 else count) - 1)), "week")


def last_unit_of(ref: Reference, unit: Unit, period: Span) -> Span | None:
    """Return `the last week of July`."""
    return nth_unit_of(ref, -1, unit, period)


def nth_weekday_of(ref: Reference, nth: int, number: int, period: Span) -> Span | None:
    """Return `the third Wednesday of last month`."""
    if period.start is None or period.end is None:
        return None
    day = calendar.nth_weekday(period.start, nth, number)
    return calendar.one_day(day) if day < period.end else None


def last_weekday_of(ref: Reference, number: int, period: Span) -> Span | None:
    """Return `the last Friday of February`."""
    if period.end is None:
        return None
    final = add_days(period.end, -1)
    return calendar.one_day(add_days(final, -((final.weekday() - number) % 7)))


def weekday_of_nth_week(ref: Reference, nth: int, period: Span, number: int) -> Span | None:
    """Return `the 1st week of October on Friday`."""
    week = nth_unit_of(ref, nth, "week", period)
    return recurrence.inside(recurrence.weekly(number), week) if week else None


def first_units_of(ref: Reference, count: int, unit: Unit, period: Span) -> Span | None:
    """Return `the first ten days of last year`."""
    if period.start is None:
        return None
    return Span(period.start, calendar.add(period.start, count, unit), "range")


def last_units_of(ref: Reference, count: int, unit: Unit, period: Span) -> Span | None:
    """Return `the last three days of May`."""
    if period.end is None:
        return None
    return Span(calendar.add(period.end, -count, unit), period.end, "range")


def unit_around(ref: Reference, unit: Unit, period: Span) -> Span | None:
    """Return `the week of February 9`, `the weekend of Halloween`."""
    if period.start is None or unit not in {"week", "weekend", "month", "day"}:
        return None
    return unit_of(period.start, unit)


def weeks_from(ref: Reference, amount: Amount, period: Span) -> Span | None:
    """Return `2 weeks starting May 20th`."""
    if period.start is None:
        return None
    end = add_days(calendar.add_months(period.start, amount.months), amount.days)
    return Span(period.start, end, "range") if end > period.start else None


def week_from(ref: Reference, period: Span) -> Span | None:
    """Return `the week starting February 4`."""
    return weeks_from(ref, Amount(days=7), period)


def holiday_weekend(ref: Reference, period: Span) -> Span | None:
    """Return the weekend next to a holiday, made longer by a free Friday or Monday."""
    if period.start is None:
        return None
    saturday = add_days(period.start, {0: -2, 1: -3, 4: 1}.get(period.start.weekday(), 0))
    weekend = unit_of(saturday, "weekend")
    if weekend.start is None or weekend.end is None or period.end is None:
        return None
    if period.start.weekday() not in {0, 4}:
        return weekend
    return Span(min(weekend.start, period.start), max(weekend.end, period.end), "weekend")


EARLY, MIDDLE, LATE = 0, 1, 2
_DAYS_OF_MONTH = ((1, 16), (10, 21), (16, 32))
_DAYS_OF_WEEK = ((0, 3), (2, 5), (3, 7))
_YEARS_OF_DECADE = ((0, 4), (4, 7), (7, 10))
_HALVES_OF_YEAR = ((1, 7), (5, 9), (7, 13))
_THIRDS_OF_YEAR = ((1, 5), (5, 9), (9, 13))


def part_of(which: int, *, named_third: bool = False) -> Callable[..., Span | None]:
    """Return a builder for the early, middle or late part of a period."""

    def build(ref: Reference, period: Span) -> Span | None:
        if period.start is None or period.end is None:
            return None
        edges = _part(period.start, period.granularity, which, named_third)
        if edges is None:
            return period if period.granularity == "day" else None
        return Span(edges[0], min(edges[1], period.end), "range", confidence=0.8)

    return build


def _part(start: date, granularity: str, which: int, named_third: bool) -> tuple[date, date] | None:
    if granularity == "month":
        first, end = _DAYS_OF_MONTH[which]
        return add_days(start, first - 1), add_days(start, end - 1)
    if granularity == "week":
        first, end = _DAYS_OF_WEEK[which]
        return add_days(start, first), add_days(start, end)
    if granularity == "decade":
        first, end = _YEARS_OF_DECADE[which]
        return date(start.year + first, 1, 1), date(start.year + end, 1, 1)
    if granularity in {"quarter", "season"}:
        begins = calendar.add_months(start, which)
        return begins, calendar.add_months(begins, 1)
    if granularity != "year":
        return None
    first, end = (_THIRDS_OF_YEAR if named_third else _HALVES_OF_YEAR)[which]
    return calendar.add_months(start, first - 1), calendar.add_months(start, end - 1)


def half_of(number: int) -> Callable[..., Span | None]:
    """Return a builder for the first or second half of a year or month."""

    def build(ref: Reference, period: Span) -> Span | None:
        if period.start is None or period.end is None:
            return None
        if period.granularity == "year":
            middle = calendar.add_months(period.start, 6)
        else:
            middle = add_days(period.start, (period.end - period.start).days // 2)
        edges = (period.start, middle) if number == 1 else (middle, period.end)
        return Span(*edges, "range", confidence=0.8)

    return build


def year_to_date(ref: Reference) -> Span | None:
    """Return the running year up to and including today."""
    return so_far(ref, "year")


def weekends_ago(ref: Reference, count: int) -> Span | None:
    """Return `two weekends ago`."""
    return units_back(ref, count, "weekend")


def day_within(ref: Reference, day: int, period: Span) -> Span | None:
    """Return `the 3rd of last month`."""
    recurring = day_of_month(ref, day)
    return within(ref, recurring, period) if recurring else None


def unit_around_day(ref: Reference, unit: Unit, day: int) -> Span | None:
    """Return `the week of the 18th`."""
    recurring = day_of_month(ref, day)
    return looking_back(unit_around)(ref, unit, recurring) if recurring else None


def holiday_weekend_in(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `Labor Day weekend 2021`."""
    day = in_year(ref, named, number)
    return holiday_weekend(ref, day) if day else None


def two_thousands(ref: Reference) -> Span:
    """Return the first decade of the century."""
    return decade(ref, 2000)


def in_short_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `April of 87`."""
    return in_year(ref, named, two_digit_year(ref, number)) if 31 < number < 100 else None


def month_in_year(ref: Reference, number: int, in_the_year: int) -> Span | None:
    """Return `January, 1995`."""
    return month(ref, number).occurrence(in_the_year)


def week_of(ref: Reference, period: Span) -> Span | None:
    """Return `Christmas week`."""
    return unit_around(ref, "week", period)


def seasons_ago(ref: Reference, count: int, name: str) -> Span | None:
    """Return `two summers ago`."""
    newest = recurrence.last(season(ref, name), ref.today)
    if newest is None or newest.start is None or count < 1:
        return None
    return season(ref, name).occurrence(newest.start.year - count + 1)


def some_ago(ref: Reference, fewer: int, more: int, unit: Unit) -> Span | None:
    """Return `two or three weeks ago`: everything between the two."""
    near, far = amount(ref, fewer, unit), amount(ref, more, unit)
    if near is None or far is None or fewer >= more:
        return None
    return Span(ago(ref, far).start, ago(ref, near).end, "range", hard=False, confidence=0.7)


def uncounted_ago(ref: Reference, unit: Unit) -> Span | None:
    """Return `weeks ago`."""
    return some_ago(ref, 2, 5, unit)


def last_hour(ref: Reference) -> Span | None:
    """Return `the last hour`."""
    return last_units(ref, 1, "hour")


def one_or_two_ago(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `a day or two ago`."""
    return some_ago(ref, count, 2, unit)
