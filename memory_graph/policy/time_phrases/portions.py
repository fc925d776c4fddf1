"""Which days are the early, middle or late part of a period, or one of its halves?"""

from collections.abc import Callable
from datetime import date

from memory_graph.policy.time_phrases import calendar
from memory_graph.policy.time_phrases.calendar import add_days
from memory_graph.policy.time_phrases.values import Reference, Span

EARLY, MIDDLE, LATE = 0, 1, 2
"""Index into the tables below, whose pairs are first and end, counted from the period's start."""

_DAYS_OF_MONTH = ((1, 16), (10, 21), (16, 32))
_DAYS_OF_WEEK = ((0, 3), (2, 5), (3, 7))
_YEARS_OF_DECADE = ((0, 4), (4, 7), (7, 10))
# `late 2024` is its second half, `the end of 2024` its last third.
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
