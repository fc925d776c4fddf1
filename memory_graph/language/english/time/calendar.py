"""Local days, calendar units and recurring days."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Literal, cast

from memory_graph.language.times import Bound

Unit = (
    Literal["second", "minute", "hour", "day", "weekend", "week", "fortnight"]
    | Literal["month", "quarter", "season", "year", "decade", "century"]
)
Kind = Literal["day", "weekend", "week", "month", "quarter", "season", "year", "decade", "range"]
Cycle = Literal["week", "month", "year"]
MINUTES_IN: dict[Unit, int] = {"second": 0, "minute": 1, "hour": 60}
DAYS_IN: dict[Unit, int] = {"day": 1, "weekend": 7, "week": 7, "fortnight": 14}
MONTHS_IN: dict[Unit, int] = {
    **{"month": 1, "quarter": 3, "season": 3},
    **{"year": 12, "decade": 120, "century": 1200},
}
SATURDAY = 5
CYCLES_TO_TRY: dict[Cycle, int] = {"week": 60, "month": 100, "year": 12}
"""29 February skips up to eight years, `Monday the 31st` several months."""
STILL_THIS = timedelta(days=92)
"""How long the Christmas or winter of last year is still called `this` one."""
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

    @property
    def southern(self) -> bool:
        """Tell whether summer begins in December where the user is."""
        return str(self.now.tzinfo).startswith(SOUTHERN_ZONES)

    def day_in(self, length: timedelta) -> date:
        """Return the local date after that much elapsed time, clock changes included."""
        return (self.now.astimezone(UTC) + length).astimezone(self.now.tzinfo).date()


def add_days(day: date, count: int) -> date:
    """Move by days; raises `OverflowError` beyond the calendar."""
    return day + timedelta(days=count)


def add_months(day: date, count: int) -> date:
    """Move by months; a day the month does not have becomes its last one."""
    index = day.year * 12 + day.month - 1 + count
    first = date(index // 12, index % 12 + 1, 1)
    return first.replace(day=min(day.day, monthrange(first.year, first.month)[1]))


def add(day: date, count: int, unit: Unit) -> date:
    """Move by a count of any unit of a day or more."""
    if unit in DAYS_IN:
        return add_days(day, count * DAYS_IN[unit])
    return add_months(day, count * MONTHS_IN[unit])


def add_amount(day: date, amount: Amount, sign: int) -> date:
    """Move by a length of time, hours left out."""
    return add_days(add_months(day, sign * amount.months), sign * amount.days)


def first_of(day: date, unit: Unit) -> date:
    """Return the first day of the calendar unit `day` lies in."""
    monday = add_days(day, -day.weekday())
    if unit == "day":
        return day
    if unit in DAYS_IN:
        return add_days(monday, SATURDAY) if unit == "weekend" else monday
    months = MONTHS_IN[unit]
    index = (day.year * 12 + day.month - 1) // months * months
    return date(index // 12, index % 12 + 1, 1)


def unit_of(day: date, unit: Unit) -> Span:
    """Return the calendar unit `day` lies in; the weekend is that of its week."""
    start = first_of(day, unit)
    end = add_days(start, 2) if unit == "weekend" else add(start, 1, unit)
    kinds: dict[Unit, Kind] = {"fortnight": "range", "century": "range"}
    return Span(start, end, kinds.get(unit, cast(Kind, unit)))


def one_day(day: date) -> Span:
    """Return a day as a span."""
    return Span(day, add_days(day, 1))


def existing(year: int, month: int, day: int) -> Span | None:
    """Return a day, unless the calendar has none such."""
    try:
        return one_day(date(year, month, day))
    except ValueError:
        return None


def nth_weekday(period: Span, nth: int, weekday: int) -> date | None:
    """Return the nth, or with -1 the last, such weekday of a period."""
    if nth < 0:
        final = add_days(period.end, -1)
        day = add_days(final, -((final.weekday() - weekday) % 7))
    else:
        first = period.start
        day = add_days(first, (weekday - first.weekday()) % 7 + 7 * (nth - 1))
    return day if period.start <= day < period.end else None


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
        return Span(start, add_months(start, count), kind)

    return Recurring("year", occurrence)


def cycle_at(day: date, cycle: Cycle) -> int:
    """Number the week, month or year that `day` lies in."""
    if cycle == "year":
        return day.year
    if cycle == "month":
        return day.year * 12 + day.month - 1
    return (day.toordinal() - 1) // 7


def backwards(recurring: Recurring, day: date) -> Iterator[Span]:
    """Yield the occurrences from the cycle after `day`'s downwards."""
    newest = cycle_at(day, recurring.cycle) + 1
    numbers = range(newest, newest - CYCLES_TO_TRY[recurring.cycle], -1)
    return filter(None, map(recurring.occurrence, numbers))


def forwards(recurring: Recurring, day: date) -> Iterator[Span]:
    """Yield the occurrences from the cycle before `day`'s upwards."""
    oldest = cycle_at(day, recurring.cycle) - 1
    numbers = range(oldest, oldest + CYCLES_TO_TRY[recurring.cycle])
    return filter(None, map(recurring.occurrence, numbers))


def latest(recurring: Recurring, today: date) -> Span | None:
    """Return the newest occurrence that has begun."""
    limit = today if recurring.other_day else add_days(today, 1)
    return next((s for s in backwards(recurring, today) if s.start < limit), None)


def first_from(recurring: Recurring, start: date, limit: date = date.max) -> Span | None:
    """Return the first occurrence that begins on or after `start`, and before `limit`."""
    found = next((s for s in forwards(recurring, start) if s.start >= start), None)
    return found if found and found.start < limit else None


def current(recurring: Recurring, today: date) -> Span | None:
    """Return the occurrence in the running cycle: `this Friday`, `this March`.

    In January `this Christmas` and `this winter` are still the ones of last year: before its
    turn in the running year, the nearest one counts.
    """
    running = cycle_at(today, recurring.cycle)
    span, before_it = recurring.occurrence(running), recurring.occurrence(running - 1)
    if recurring.cycle != "year" or not (span and before_it):
        return span
    passed, to_come = today - before_it.end, span.start - today
    return before_it if passed < min(to_come, STILL_THIS) else span
