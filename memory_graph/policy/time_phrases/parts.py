"""What do phrases that pick something out of a period mean: the first week of May?"""

from collections.abc import Callable
from datetime import date

from memory_graph.policy.time_phrases import calendar, days, recurrence
from memory_graph.policy.time_phrases.calendar import Unit, add_days, unit_of
from memory_graph.policy.time_phrases.values import Amount, Recurring, Reference, Span, Value

THURSDAY = 3


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


def each(build: Callable[[Reference, Span], Span | None]) -> Callable[..., Recurring]:
    """Return a builder for what comes round with a named day: `Labor Day weekend`."""

    def builder(ref: Reference, named: Recurring) -> Recurring:
        def occurrence(cycle: int) -> Span | None:
            day = named.occurrence(cycle)
            return build(ref, day) if day else None

        return Recurring(named.cycle, occurrence)

    return builder


def nth_unit_of(ref: Reference, nth: int, unit: Unit, period: Span) -> Span | None:
    """Return `the third week of January`, `the last day of February`; -2 is the last but one."""
    if period.start is None or period.end is None:
        return None
    if unit == "week":
        return _nth_week(period, nth)
    if unit == "weekend":
        saturday = _nth_weekday(period.start, period.end, nth, calendar.SATURDAY)
        return unit_of(saturday, "weekend") if saturday else None
    if unit == "fortnight" and nth == 1:
        return first_units_of(ref, 1, unit, period)
    if unit not in {"day", "month", "quarter"}:
        return None
    if nth < 0:
        return unit_of(calendar.add(unit_after_end(period.end, unit), nth, unit), unit)
    found = unit_of(calendar.add(period.start, nth - 1, unit), unit)
    return found if found.start and found.start < period.end else None


def unit_after_end(end: date, unit: Unit) -> date:
    """Return where the unit after the one that holds the last day begins."""
    return calendar.add(calendar.first_of(add_days(end, -1), unit), 1, unit)


def nth_last_unit_of(ref: Reference, nth: int, unit: Unit, period: Span) -> Span | None:
    """Return `the third last week of 2018`."""
    return nth_unit_of(ref, -nth, unit, period)


def nth_last_weekday_of(ref: Reference, nth: int, number: int, period: Span) -> Span | None:
    """Return `the second to last Friday of May`."""
    return nth_weekday_of(ref, -nth, number, period)


def _nth_weekday(start: date, end: date, nth: int, number: int) -> date | None:
    """Return the nth, or with -1 the last, such weekday from `start` up to `end`."""
    if nth < 0:
        final = add_days(end, -1)
        day = add_days(final, -((final.weekday() - number) % 7) + 7 * (nth + 1))
        return day if day >= start else None
    day = calendar.nth_weekday(start, nth, number)
    return day if day < end else None


def _nth_week(period: Span, nth: int) -> Span | None:
    weeks = weeks_in(period)
    if weeks is None or abs(nth) > weeks[1]:
        return None
    first, count = weeks
    return unit_of(add_days(first, 7 * (nth - 1 if nth > 0 else count + nth)), "week")


def weeks_in(period: Span) -> tuple[date, int] | None:
    """Return the first Monday and the number of weeks, each counted where its Thursday lies."""
    if period.start is None or period.end is None:
        return None
    first = calendar.nth_weekday(period.start, 1, THURSDAY)
    last = calendar.nth_weekday(add_days(period.end, -7), 1, THURSDAY)
    return add_days(first, -THURSDAY), (last - first).days // 7 + 1


def last_unit_of(ref: Reference, unit: Unit, period: Span) -> Span | None:
    """Return `the last week of July`."""
    return nth_unit_of(ref, -1, unit, period)


def nth_weekday_of(ref: Reference, nth: int, number: int, period: Span) -> Span | None:
    """Return `the third Wednesday of last month`; -1 is the last."""
    if period.start is None or period.end is None:
        return None
    day = _nth_weekday(period.start, period.end, nth, number)
    return calendar.one_day(day) if day else None


def last_weekday_of(ref: Reference, number: int, period: Span) -> Span | None:
    """Return `the last Friday of February`."""
    return nth_weekday_of(ref, -1, number, period)


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


def unit_around_day(ref: Reference, unit: Unit, day: int) -> Span | None:
    """Return `the week of the 18th`."""
    recurring = days.day_of_month(ref, day)
    return looking_back(unit_around)(ref, unit, recurring) if recurring else None


def weeks_from(ref: Reference, amount: Amount, period: Span) -> Span | None:
    """Return `2 weeks starting May 20th`."""
    if period.start is None:
        return None
    end = add_days(calendar.add_months(period.start, amount.months), amount.days)
    return Span(period.start, end, "range") if end > period.start else None


def days_from(ref: Reference, period: Span, amount: Amount) -> Span | None:
    """Return `18 December for ten days`; months and the like do not begin on their first."""
    return weeks_from(ref, amount, period) if period.granularity == "day" else None


def week_from(ref: Reference, period: Span) -> Span | None:
    """Return `the week starting February 4`."""
    return weeks_from(ref, Amount(days=7), period)


def week_ending(ref: Reference, period: Span) -> Span | None:
    """Return `the week ending March 6`: the seven days up to and including it."""
    return Span(add_days(period.end, -7), period.end, "week") if period.end else None


def week_of(ref: Reference, period: Span) -> Span | None:
    """Return `Christmas week`."""
    return unit_around(ref, "week", period)


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
