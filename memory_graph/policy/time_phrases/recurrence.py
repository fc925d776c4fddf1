"""Which occurrence of a recurring span is meant: the latest, the last, the one in a period?"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from memory_graph.policy.time_phrases.calendar import add_days, one_day
from memory_graph.policy.time_phrases.values import Cycle, Recurring, Reference, Span

CYCLES_TO_TRY: dict[Cycle, int] = {"week": 5, "month": 100, "year": 12}
"""29 February skips up to eight years, `Monday the 31st` several months."""
STILL_THIS = timedelta(days=92)
"""How long the Christmas or winter of last year is still called `this` one."""


def cycle_at(day: date, cycle: Cycle) -> int:
    """Number the week, month or year that `day` lies in."""
    if cycle == "year":
        return day.year
    if cycle == "month":
        return day.year * 12 + day.month - 1
    return (day.toordinal() - 1) // 7


def monday_of(week: int) -> date:
    """Return the Monday of a week numbered by `cycle_at`."""
    return date.fromordinal(week * 7 + 1)


def weekly(weekday: int) -> Recurring:
    """Return the weekday that comes round every week."""
    return Recurring("week", lambda week: one_day(add_days(monday_of(week), weekday)), True)


def before(recurring: Recurring, day: date) -> Iterator[Span]:
    """Yield the occurrences from the cycle after `day`'s downwards, newest first."""
    newest = cycle_at(day, recurring.cycle) + 1
    for number in range(newest, newest - CYCLES_TO_TRY[recurring.cycle], -1):
        span = recurring.occurrence(number)
        if span is not None:
            yield span


def latest(recurring: Recurring, today: date) -> Span | None:
    """Return the newest occurrence that has begun."""
    limit = today if recurring.strictly_past else add_days(today, 1)
    return next((s for s in before(recurring, today) if s.start and s.start < limit), None)


def last(recurring: Recurring, today: date) -> Span | None:
    """Return the newest occurrence that is over, with the one before it as a second reading."""
    over = (s for s in before(recurring, today) if s.end and s.end <= today)
    newest = next(over, None)
    second = next(over, None)
    if newest is None or second is None or not (second.start and second.end):
        return newest
    return replace(newest, confidence=0.8, alternatives=((second.start, second.end),))


def current(recurring: Recurring, today: date) -> Span | None:
    """Return the occurrence in the running cycle: `this Friday`, `this March`.

    In January `this Christmas` and `this winter` are still the ones of last year: before its
    turn in the running year, the nearest one counts.
    """
    running = cycle_at(today, recurring.cycle)
    span, before_it = recurring.occurrence(running), recurring.occurrence(running - 1)
    if recurring.cycle != "year" or not (span and span.start and before_it and before_it.end):
        return span
    passed, to_come = today - before_it.end, span.start - today
    return before_it if passed < min(to_come, STILL_THIS) else span


def inside(recurring: Recurring, period: Span) -> Span | None:
    """Return the first occurrence that begins in `period`."""
    if period.start is None or period.end is None:
        return None
    return first_from(recurring, period.start, period.end)


def first_from(recurring: Recurring, start: date, limit: date | None = None) -> Span | None:
    """Return the first occurrence that begins on or after `start`, and before `limit`."""
    oldest = cycle_at(start, recurring.cycle) - 1
    for number in range(oldest, oldest + CYCLES_TO_TRY[recurring.cycle]):
        span = recurring.occurrence(number)
        if span and span.start and span.start >= start:
            return span if limit is None or span.start < limit else None
    return None


def settle(ref: Reference, value: Span | Recurring) -> Span | None:
    """Return what is meant when nothing else says which occurrence: the latest."""
    return value if isinstance(value, Span) else latest(value, ref.today)
