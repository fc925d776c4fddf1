"""What do phrases that name a single day mean: yesterday, Friday, 3 March, Easter?"""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from memory_graph.policy.time_phrases import calendar, numbers, recurrence
from memory_graph.policy.time_phrases.calendar import add_days, one_day
from memory_graph.policy.time_phrases.feasts import DayOfYear
from memory_graph.policy.time_phrases.values import Recurring, Reference, Span, Value

NIGHT_ENDS_AT = 5
"""Before this hour, the night of `last night` may still be going on."""


def days_back(count: int) -> Callable[..., Span]:
    """Return a builder for the day that many days ago, whatever part of it is named."""

    def build(ref: Reference, part: str | None = None) -> Span:
        return one_day(add_days(ref.today, -count), "hour_part" if part else "day")

    return build


def last_night(ref: Reference) -> Span:
    """Return yesterday; after midnight today is a second reading."""
    span = one_day(add_days(ref.today, -1), "hour_part")
    if ref.now.hour < NIGHT_ENDS_AT:
        return replace(span, alternatives=((ref.today, add_days(ref.today, 1)),))
    return span


def full_date(ref: Reference, day: date) -> Span:
    """Return a date written year first."""
    return one_day(day)


def numeric_date(ref: Reference, text: str) -> Span | None:
    """Read 03/04/2025: month first, unless only the other order exists or is past."""
    separator = next(mark for mark in "/-." if mark in text)
    first, second, year = (int(part) for part in text.split(separator))
    year = year if year > 99 else numbers.two_digit_year(ref, year)
    orders = [(first, second), (second, first)]
    if separator == ".":
        orders.reverse()
    days = [span for month, day in orders if (span := _existing(year, month, day))]
    past = [span for span in days if span.start and span.start <= ref.today]
    if not past:
        return days[0] if days else None
    others = tuple((s.start, s.end) for s in past[1:] if s != past[0] and s.start and s.end)
    return replace(past[0], alternatives=others, confidence=0.7 if others else 0.95)


def year_month_day(ref: Reference, year: int, month: int, day: int) -> Span:
    """Return `2019-aug-1`."""
    return one_day(date(year, month, day))


def day_month_short_year(ref: Reference, day: int, month: int, year: int) -> Span | None:
    """Return `3-Mar-24`."""
    full = numbers.short_year(ref, year)
    return one_day(date(full, month, day)) if full else None


def month_day(ref: Reference, month: int, day: int) -> Recurring | None:
    """Return a day of a month, which comes round every year."""
    if not 1 <= day <= calendar.days_in_month(date(2024, month, 1)):
        return None
    return Recurring("year", lambda year: _existing(year, month, day))


def day_month(ref: Reference, day: int, month: int) -> Recurring | None:
    """Return a day of a month, written the other way round."""
    return month_day(ref, month, day)


def slashed(ref: Reference, text: str) -> Recurring | None:
    """Read 4/22 or 22/4, month first where both exist."""
    first, second = (int(part) for part in text.split("/"))
    if first > 12 and 1 <= second <= 12:
        return month_day(ref, second, first)
    return month_day(ref, first, second) if 1 <= first <= 12 else None


def slashed_with_year(ref: Reference, text: str, year: int) -> Span | None:
    """Read 08/12,2015."""
    recurring = slashed(ref, text)
    return recurring.occurrence(year) if recurring else None


def dashed(ref: Reference, month: int, day: int) -> Recurring | None:
    """Read 4-22."""
    return slashed(ref, f"{month}/{day}")


def _existing(year: int, month: int, day: int) -> Span | None:
    try:
        return one_day(date(year, month, day))
    except ValueError:
        return None


def weekday(ref: Reference, number: int, *hours: Value) -> Recurring:
    """Return a weekday; hours beside it do not matter."""
    return recurrence.weekly(number)


def day_of_month(ref: Reference, day: int) -> Recurring | None:
    """Return the 27th, which comes round every month."""
    if not 1 <= day <= 31:
        return None
    return Recurring("month", lambda month: _existing(month // 12, month % 12 + 1, day))


def weekday_the(ref: Reference, number: int, day: int) -> Recurring | None:
    """Return `Friday the 13th`: months where the two do not meet are skipped."""
    if not 1 <= day <= 31:
        return None

    def occurrence(month: int) -> Span | None:
        span = _existing(month // 12, month % 12 + 1, day)
        return span if span and span.start and span.start.weekday() == number else None

    return Recurring("month", occurrence)


def nth_weekday_of_month(ref: Reference, nth: int, number: int) -> Recurring | None:
    """Return `first Sunday`, which comes round every month."""
    if not 1 <= nth <= 5:
        return None

    def occurrence(month: int) -> Span | None:
        first = date(month // 12, month % 12 + 1, 1)
        day = calendar.nth_weekday(first, nth, number)
        return one_day(day) if day.month == first.month else None

    return Recurring("month", occurrence)


def feast(first: DayOfYear, after: DayOfYear) -> Callable[[Reference], Recurring]:
    """Return a builder for a time of many days, which comes round every year."""

    def occurrence(year: int) -> Span | None:
        start, end = first(year), after(year)
        return Span(start, end, "range") if start and end and start < end else None

    return lambda ref: Recurring("year", occurrence)


def holiday(falls_on: DayOfYear) -> Callable[[Reference], Recurring]:
    """Return a builder for a named day, which comes round every year."""

    def occurrence(year: int) -> Span | None:
        day = falls_on(year)
        return one_day(day) if day else None

    return lambda ref: Recurring("year", occurrence)
