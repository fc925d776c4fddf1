"""Local days, calendar units and days that come round."""

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import islice
from typing import Literal, cast

from memory_graph.language.words import table

Bound = Literal["at", "since", "after", "before", "by"]
Kind = Literal["day", "weekend", "week", "month", "quarter", "season", "year", "decade", "range"]
Cycle = Literal["week", "month", "year"]
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_CYCLES_TO_TRY: dict[Cycle, int] = {"week": 60, "month": 100, "year": 12}
"""29 February skips up to eight years, the 31st several months."""
_STILL_THIS = timedelta(days=92)
"""How long the Christmas or winter of last year is still called `this` one."""
SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Meteorological, in the northern hemisphere."""
_SOUTHERN_ZONES = (
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

    def bounded(self, bound: Bound) -> "Span":
        """Return `since May`, `before Christmas`."""
        return replace(self, bound=bound)

    def soft(self) -> "Span":
        """Return what is never more than a boost: `about two weeks ago`."""
        return replace(self, hard=False)


NOTHING = Span(date.min, date.min)
"""What was understood and names no one time: `every week`, `31 June`."""


@dataclass(frozen=True)
class Recurring:
    """A span that comes round every week, month or year: Friday, the 27th, March, Easter."""

    cycle: Cycle
    occurrence: Callable[[int], Span | None]
    """The span in a given cycle, if that cycle has one (29 February)."""

    def at(self, number: int) -> Span | None:
        """Return the span in a cycle; nothing beyond the calendar."""
        try:
            return self.occurrence(number)
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True)
class Reference:
    """The user's here and now, against which a phrase is read."""

    now: datetime
    """Aware, in the user's zone."""

    ahead: bool = False
    """Names mean the coming occurrence (`dentist on Friday`), not the latest."""

    past: bool = False
    """The sentence is in the past tense."""

    @property
    def today(self) -> date:
        """Return the local date."""
        return self.now.date()


def add_days(day: date, count: int) -> date:
    """Move by days; raises `OverflowError` beyond the calendar."""
    return day + timedelta(days=count)


def one_day(day: date) -> Span:
    """Return a day as a span."""
    return Span(day, add_days(day, 1))


# — lengths and units —

LENGTHS: dict[str, tuple[int, int]] = {
    **{"day": (0, 1), "week": (0, 7), "weekend": (0, 7), "fortnight": (0, 14), "month": (1, 0)},
    **{"quarter": (3, 0), "year": (12, 0), "decade": (120, 0)},
}
"""Months and days."""


def move(day: date, unit: str, count: int) -> date:
    """Move by a count of units; a day that the month lacks becomes its last one."""
    months, days = (each * count for each in LENGTHS[unit])
    index = day.year * 12 + day.month - 1 + months
    year, month = index // 12, index % 12 + 1
    last = monthrange(year, month)[1] if 0 < year < 10_000 else 1
    return add_days(date(year, month, min(day.day, last)), days)


def unit_of(day: date, unit: str) -> Span:
    """Return the calendar unit `day` lies in; the weekend is that of its week."""
    monday = add_days(day, -day.weekday())
    months = LENGTHS[unit][0]
    match unit:
        case "day":
            return one_day(day)
        case "weekend":
            return Span(add_days(monday, 5), add_days(monday, 7), "weekend")
        case "week" | "fortnight":
            return Span(monday, move(monday, unit, 1), "week")
    index = (day.year * 12 + day.month - 1) // months * months
    start = date(index // 12, index % 12 + 1, 1)
    return Span(start, move(start, unit, 1), cast(Kind, unit))


def units_on(ref: Reference, unit: str, count: int) -> Span:
    """Return the calendar unit that many units from the running one."""
    return unit_of(move(unit_of(ref.today, unit).start, unit, count), unit)


def nth_in(period: Span, nth: int, unit: str) -> Span | None:
    """Return the nth, or with -1 the last, day, week, weekend or weekday of a period.

    Weeks count where their Thursday lies, weekends where their Saturday does.
    """
    if unit not in {"week", "weekend", *_WEEKDAYS}:
        first = move(period.start, unit, nth - 1) if nth > 0 else add_days(period.end, -1)
        return unit_of(first, unit) if first < period.end else None
    weekday = {"week": 3, "weekend": 5}.get(unit)
    weekday = _WEEKDAYS.index(unit) if weekday is None else weekday
    if nth < 0:
        final = add_days(period.end, -1)
        day = add_days(final, -((final.weekday() - weekday) % 7))
    else:
        day = add_days(period.start, (weekday - period.start.weekday()) % 7 + 7 * (nth - 1))
    if not period.start <= day < period.end:
        return None
    return unit_of(day, "day" if unit in _WEEKDAYS else unit)


def hours_before(ref: Reference, count: float) -> date:
    """Return the local date that many hours ago, clock changes included."""
    then = ref.now.astimezone(UTC) - timedelta(hours=count)
    return then.astimezone(ref.now.tzinfo).date()


# — days that come round —


def weekly(weekday: str) -> Recurring:
    """Return the weekday that comes round every week."""
    number = _WEEKDAYS.index(weekday)
    return Recurring("week", lambda week: one_day(date.fromordinal(week * 7 + 1 + number)))


def monthly(day: int) -> Recurring:
    """Return `the 27th`."""
    return Recurring("month", lambda month: existing(month // 12, month % 12 + 1, day))


def month_day(month: int, day: int) -> Recurring:
    """Return a day of a month, which comes round every year."""
    return Recurring("year", lambda year: existing(year, month, day))


def existing(year: int, month: int, day: int) -> Span | None:
    """Return a day, unless the calendar has none such."""
    try:
        return one_day(date(year, month, day))
    except ValueError:
        return None


def months(kind: Kind, first: int, count: int) -> Recurring:
    """Return some months, which come round every year."""

    def occurrence(year: int) -> Span:
        start = date(year, first, 1)
        return Span(start, move(start, "month", count), kind)

    return Recurring("year", occurrence)


def season(ref: Reference, name: str) -> Recurring:
    """Return a meteorological season of the user's hemisphere."""
    is_southern = str(ref.now.tzinfo).startswith(_SOUTHERN_ZONES)
    return months("season", (SEASON_STARTS[name] - 1 + 6 * is_southern) % 12 + 1, 3)


def numbered_week(number: int) -> Recurring:
    """Return a numbered week, which comes round every ISO year."""

    def occurrence(year: int) -> Span | None:
        try:
            return iso_week(year, number)
        except ValueError:
            return None

    return Recurring("year", occurrence)


def iso_week(year: int, number: int) -> Span:
    """Return a numbered week; raises `ValueError` where the year has none such."""
    return unit_of(date.fromisocalendar(year, number, 1), "week")


@cache
def holidays() -> dict[str, Recurring]:
    """Return the named days: `12-25`, `easter-2`, `11 thursday 4 +1`, or their dates."""
    return {
        name: Recurring("year", _holiday(when)) for name, when in table("english/holidays").items()
    }


def _holiday(when: str | list[str]) -> Callable[[int], Span | None]:
    if not isinstance(when, str):
        known = {int(day[:4]): one_day(date.fromisoformat(day)) for day in when}
        return known.get
    if when.startswith("easter"):
        later = int(when.removeprefix("easter") or 0)
        return lambda year: one_day(add_days(_easter(year), later))
    if when[2] == "-":
        return lambda year: existing(year, int(when[:2]), int(when[3:]))
    month, weekday, nth, *on = when.split()

    def occurrence(year: int) -> Span | None:
        found = nth_in(unit_of(date(year, int(month), 1), "month"), int(nth), weekday)
        return found and one_day(add_days(found.start, int(on[0]) if on else 0))

    return occurrence


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


def _occurrences(named: Recurring, day: date, step: int) -> Iterator[Span]:
    """Yield the occurrences around `day`: from the cycle before upwards, or after downwards."""
    first = _cycle_at(day, named.cycle) - step
    numbers = range(first, first + step * _CYCLES_TO_TRY[named.cycle], step)
    return filter(None, map(named.at, numbers))


def _cycle_at(day: date, cycle: Cycle) -> int:
    """Number the week, month or year that `day` lies in."""
    if cycle == "week":
        return (day.toordinal() - 1) // 7
    return day.year if cycle == "year" else day.year * 12 + day.month - 1


def latest(named: Recurring, today: date) -> Span | None:
    """Return the newest occurrence that has begun; on its day a weekday means the one before."""
    limit = today if named.cycle == "week" else add_days(today, 1)
    return next((each for each in _occurrences(named, today, -1) if each.start < limit), None)


def nth_past(named: Recurring, today: date, nth: int = 1) -> Span | None:
    """Return `last March`: the newest that is over, or the nth newest."""
    over = (each for each in _occurrences(named, today, -1) if each.end <= today)
    return next(islice(over, max(nth - 1, 0), None), None)


def first_from(named: Recurring, start: date) -> Span | None:
    """Return the first occurrence that begins on or after `start`."""
    return next((each for each in _occurrences(named, start, 1) if each.start >= start), None)


def current(named: Recurring, today: date) -> Span | None:
    """Return the occurrence in the running cycle: `this Friday`, `this March`.

    In January `this Christmas` and `this winter` are still the ones of last year.
    """
    running = _cycle_at(today, named.cycle)
    span, before_it = named.at(running), named.at(running - 1)
    if named.cycle != "year" or not (span and before_it):
        return span
    passed, to_come = today - before_it.end, span.start - today
    return before_it if passed < min(to_come, _STILL_THIS) else span


def settle(ref: Reference, value: Span | Recurring | None) -> Span | None:
    """Return the occurrence meant when nothing says which: the latest, or the coming one."""
    if not isinstance(value, Recurring):
        return value
    if not ref.ahead:
        return latest(value, ref.today)
    limit = add_days(ref.today, 1) if value.cycle == "week" else ref.today
    return next((each for each in _occurrences(value, ref.today, 1) if each.end > limit), None)


def within(named: Recurring, period: Span) -> Span | None:
    """Return `March last year`, `Tuesday of last week`, `the 3rd of last month`."""
    if named.cycle == "year" and period.kind == "year":
        return named.at(period.start.year)
    found = first_from(named, period.start)
    return found if found and found.start < period.end else None


_PARTS: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {
    "week": ("day", ((0, 3), (2, 5), (3, 7))),
    "month": ("day", ((0, 15), (9, 20), (15, 31))),
    "quarter": ("month", ((0, 1), (1, 2), (2, 3))),
    "season": ("month", ((0, 1), (1, 2), (2, 3))),
    "year": ("month", ((0, 6), (4, 8), (6, 12))),
    "decade": ("month", ((0, 48), (48, 84), (84, 120))),
}
"""The early, middle and late part, from the beginning."""
_THIRDS_OF_A_YEAR = ((0, 4), (4, 8), (8, 12))


def part_of(period: Span, which: int, *, thirds: bool = False) -> Span:
    """Return `early May`, `late 2024` (its second half), `the end of 2024` (its last third)."""
    if period.kind not in _PARTS:
        return period
    unit, parts = _PARTS[period.kind]
    first, last = (_THIRDS_OF_A_YEAR if thirds and period.kind == "year" else parts)[which]
    end = min(move(period.start, unit, last), period.end)
    return Span(move(period.start, unit, first), end, "range")
