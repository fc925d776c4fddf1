"""How local dates move by calendar units, and which unit a date lies in."""

from datetime import date, timedelta
from typing import Literal

from memory_graph.policy.time_phrases.values import Granularity, Span

Unit = Literal[
    "second",
    "minute",
    "hour",
    "day",
    "weekend",
    "week",
    "fortnight",
    "month",
    "quarter",
    "season",
    "year",
    "decade",
    "century",
]

DAYS_IN: dict[Unit, int] = {"day": 1, "weekend": 7, "week": 7, "fortnight": 14}
MONTHS_IN: dict[Unit, int] = {
    "month": 1,
    "quarter": 3,
    "season": 3,
    "year": 12,
    "decade": 120,
    "century": 1200,
}
GRANULARITY: dict[Unit, Granularity] = {
    "second": "hour_part",
    "minute": "hour_part",
    "hour": "hour_part",
    "day": "day",
    "weekend": "weekend",
    "week": "week",
    "fortnight": "range",
    "month": "month",
    "quarter": "quarter",
    "season": "season",
    "year": "year",
    "decade": "decade",
    "century": "range",
}
MONDAY, SATURDAY = 0, 5


def add_days(day: date, count: int) -> date:
    """Move by days; raises `OverflowError` beyond the calendar."""
    return day + timedelta(days=count)


def add_months(day: date, count: int) -> date:
    """Move by months; a day the month does not have becomes its last one."""
    index = day.year * 12 + day.month - 1 + count
    first = date(index // 12, index % 12 + 1, 1)
    return date(first.year, first.month, min(day.day, days_in_month(first)))


def add(day: date, count: int, unit: Unit) -> date:
    """Move by a count of any unit of a day or more."""
    if unit in DAYS_IN:
        return add_days(day, count * DAYS_IN[unit])
    return add_months(day, count * MONTHS_IN[unit])


def days_in_month(day: date) -> int:
    """Count the days of the month `day` lies in."""
    following = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return (following - date(day.year, day.month, 1)).days


def week_start(day: date) -> date:
    """Return the Monday of the week `day` lies in."""
    return add_days(day, -day.weekday())


def first_of(day: date, unit: Unit) -> date:
    """Return the first day of the calendar unit `day` lies in."""
    if unit == "day":
        return day
    if unit == "weekend":
        return add_days(week_start(day), SATURDAY)
    if unit in DAYS_IN:
        return week_start(day)
    months = MONTHS_IN[unit]
    index = (day.year * 12 + day.month - 1) // months * months
    return date(index // 12, index % 12 + 1, 1)


def unit_of(day: date, unit: Unit) -> Span:
    """Return the calendar unit `day` lies in; the weekend is that of its week."""
    start = first_of(day, unit)
    end = add_days(start, 2) if unit == "weekend" else add(start, 1, unit)
    return Span(start, end, GRANULARITY[unit])


def one_day(day: date, granularity: Granularity = "day") -> Span:
    """Return a day as a span."""
    return Span(day, add_days(day, 1), granularity)


def whole_year(year: int) -> Span:
    """Return a calendar year as a span."""
    return unit_of(date(year, 1, 1), "year")


def nth_weekday(first: date, nth: int, weekday: int) -> date:
    """Return the nth such weekday on or after `first`; -1 means the last one of its month."""
    if nth < 0:
        last = date(first.year, first.month, days_in_month(first))
        return add_days(last, -((last.weekday() - weekday) % 7))
    return add_days(first, (weekday - first.weekday()) % 7 + 7 * (nth - 1))
