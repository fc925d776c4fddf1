"""What do the names of periods mean: March, summer, Q3, week 9, 2024, the nineties?"""

from datetime import date

from memory_graph.policy.time_phrases import calendar
from memory_graph.policy.time_phrases.calendar import unit_of, whole_year
from memory_graph.policy.time_phrases.values import Recurring, Reference, Span

SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""Meteorological, in the northern hemisphere."""


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


def fiscal_year(ref: Reference, number: int) -> Span:
    """Return `FY2023`, `FY23`, as the calendar year."""
    return whole_year(number if number > 99 else ref.today.year // 100 * 100 + number)


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


def two_thousands(ref: Reference) -> Span:
    """Return the first decade of the century."""
    return decade(ref, 2000)


def century(ref: Reference, number: int) -> Span:
    """Return the 15th century, the fourteen hundreds."""
    return Span(date(number * 100 - 100, 1, 1), date(number * 100, 1, 1), "range")
