"""Which March is meant by March 2025, last March, March of last year?"""

from dataclasses import replace

from memory_graph.policy.time_phrases import days, names, parts, recurrence
from memory_graph.policy.time_phrases.numbers import two_digit_year
from memory_graph.policy.time_phrases.values import Recurring, Reference, Span

OLDEST_SHORT = 40


def in_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `March 2025`, `Easter 2024`."""
    return named.occurrence(number) if named.cycle == "year" else None


def year_then(ref: Reference, number: int, named: Recurring) -> Span | None:
    """Return `2025 March`."""
    return in_year(ref, named, number)


def in_short_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `April of 87`."""
    return in_year(ref, named, two_digit_year(ref, number)) if 31 < number < 100 else None


def month_in_short_year(ref: Reference, number: int, short: int) -> Span | None:
    """Return `Aug 96`; smaller numbers are days, or meant to be."""
    return in_short_year(ref, names.month(ref, number), short) if short >= OLDEST_SHORT else None


def in_two_digit_year(ref: Reference, named: Recurring | int, short: int) -> Span | None:
    """Return `3 March 24`, `Q3 24`; nothing when that year has not begun."""
    recurring = names.quarter(ref, named) if isinstance(named, int) else named
    year = ref.today.year // 100 * 100 + short
    if short > ref.today.year % 100 and short > 31:
        year -= 100
    return in_year(ref, recurring, year) if recurring else None


def season_across(ref: Reference, name: str, first: int, second: int | None = None) -> Span | None:
    """Return `winter 2024-2025`, which begins in the first of the two years."""
    span = names.season(ref, name).occurrence(first)
    crosses = span is not None and span.start and span.end and span.start.year < span.end.year
    return span if crosses and second in {None, first + 1} else None


def weekend_in_year(ref: Reference, named: Recurring, number: int) -> Span | None:
    """Return `Labor Day 2021 weekend`."""
    day = in_year(ref, named, number)
    return parts.holiday_weekend(ref, day) if day else None


def month_in_year(ref: Reference, number: int, in_the_year: int) -> Span | None:
    """Return `January, 1995`."""
    return names.month(ref, number).occurrence(in_the_year)


def within(ref: Reference, named: Recurring, period: Span) -> Span | None:
    """Return `Q4 last year`, `Tuesday of last week`, `the 3rd of last month`."""
    if named.cycle == "year" and period.granularity == "year" and period.start:
        return named.occurrence(period.start.year)
    return recurrence.inside(named, period) if period.granularity in {"week", "month"} else None


def period_then(ref: Reference, period: Span, named: Recurring) -> Span | None:
    """Return `last year in July`, `last week on Thursday`."""
    return within(ref, named, period)


def day_within(ref: Reference, day: int, period: Span) -> Span | None:
    """Return `the 3rd of last month`."""
    recurring = days.day_of_month(ref, day)
    return within(ref, recurring, period) if recurring else None


def period_then_day(ref: Reference, period: Span, day: int) -> Span | None:
    """Return `last month on the 12th`."""
    return day_within(ref, day, period)


def last_weekday(ref: Reference, number: int) -> Span | None:
    """Return `Saturday last`."""
    return last_named(ref, recurrence.weekly(number))


def numbered_day_within(ref: Reference, day: int, period: Span) -> Span | None:
    """Return `10 of this month`; of other periods it is a share: `3 of last week's emails`."""
    return day_within(ref, day, period) if period.granularity == "month" else None


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
