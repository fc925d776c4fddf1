"""What do two ends, or one end and a direction, mean: between, from … to, since, before, around?"""

from dataclasses import replace
from datetime import date

from memory_graph.policy.time_phrases import days, recurrence
from memory_graph.policy.time_phrases.calendar import add_days, one_day, whole_year
from memory_graph.policy.time_phrases.recurrence import settle
from memory_graph.policy.time_phrases.values import NotPast, Recurring, Reference, Span

DAYS_FROM_WEEKDAY = 31
AROUND_DAYS = 3
"""What `around Easter` adds on both sides."""


def as_span(ref: Reference, value: Span | Recurring) -> Span | None:
    """Return the latest occurrence of what stands alone."""
    return settle(ref, value)


def today(ref: Reference) -> Span:
    """Return today, for a range that ends now."""
    return one_day(ref.today)


def between(ref: Reference, first: Span | Recurring, second: Span | Recurring) -> Span | None:
    """Return the range from the first through the second, ends inclusive."""
    if isinstance(first, Recurring) and isinstance(second, Span):
        start = _latest_before(first, second)
        end: Span | None = second
    else:
        start = settle(ref, first)
        end = second if isinstance(second, Span) else _first_after(second, start)
    if start is None or end is None or start.start is None or end.end is None:
        return None
    if _strays(first, start.start, end.end):
        return None
    return Span(start.start, end.end, "range") if start.start < end.end else None


def _strays(first: Span | Recurring, start: date, end: date) -> bool:
    """Tell that two names do not belong together: the `Mon-Fri 9` of `Mon-Fri 9-5`."""
    weekly = isinstance(first, Recurring) and first.cycle == "week"
    return weekly and (end - start).days > DAYS_FROM_WEEKDAY


def between_hours(
    ref: Reference, first: Span | Recurring, hours: str, second: Span | Recurring
) -> Span | None:
    """Return `Monday afternoon to last night`, which the hours do not narrow."""
    return between(ref, first, second)


def adjoining(ref: Reference, first: Span | Recurring, second: Span | Recurring) -> Span | None:
    """Return `Tuesday and Wednesday`, `May and June`: one range when no gap lies between."""
    whole = between(ref, first, second)
    if whole is None or whole.start is None or whole.end is None:
        return None
    opening, closing = _at(ref, first, whole.start), _at(ref, second, whole.end)
    return whole if opening and closing and opening.end == closing.start else None


def adjoining_weekdays(ref: Reference, first: int, second: int) -> Span | None:
    """Return `Monday and Tuesday`."""
    return adjoining(ref, recurrence.weekly(first), recurrence.weekly(second))


def _at(ref: Reference, value: Span | Recurring, edge: date) -> Span | None:
    """Return the occurrence that begins or ends at `edge`."""
    if isinstance(value, Span):
        return value
    candidates = recurrence.before(value, edge)
    return next((s for s in candidates if edge in {s.start, s.end}), None)


def _latest_before(recurring: Recurring, end: Span) -> Span | None:
    if end.start is None:
        return None
    candidates = recurrence.before(recurring, end.start)
    return next((s for s in candidates if s.start and s.start <= end.start), None)


def _first_after(recurring: Recurring, start: Span | None) -> Span | None:
    if start is None or start.start is None:
        return None
    return recurrence.first_from(recurring, start.start)


def days_of_month(ref: Reference, first: int, last: int, whole: Span | Recurring) -> Span | None:
    """Return `between 3 and 12 of September`, `from 4 to 22 this month`."""
    month = settle(ref, whole)
    if month is None or month.start is None or month.granularity != "month":
        return None
    start = month.start.replace(day=first)
    end = month.start.replace(day=last)
    return Span(start, add_days(end, 1), "range") if first <= last else None


def month_first(ref: Reference, number: int, first: int, last: int) -> Span | None:
    """Return `April 9th through 17th`: the latest that has begun."""
    opening, closing = days.month_day(ref, number, first), days.day_of_month(ref, last)
    return between(ref, opening, closing) if opening and closing else None


def weekday_month_first(
    ref: Reference, weekday: int, number: int, first: int, last: int
) -> Span | None:
    """Return `Mon, May 15 to 16`."""
    return month_first(ref, number, first, last)


def month_first_year(ref: Reference, number: int, first: int, last: int, year: int) -> Span | None:
    """Return `April 9-17, 2024`."""
    opening, closing = days.month_day(ref, number, first), days.day_of_month(ref, last)
    start = opening.occurrence(year) if opening else None
    return between(ref, start, closing) if start and closing else None


def day_to_date(ref: Reference, first: int, date_span: Span | Recurring) -> Span | None:
    """Return `from 4 to January 22, 1995`."""
    opening, end = days.day_of_month(ref, first), settle(ref, date_span)
    if opening is None or end is None or end.granularity != "day":
        return None
    return between(ref, opening, end)


def weekdays_in(ref: Reference, week: Span, first: int, last: int) -> Span | None:
    """Return `last week between Friday and Sunday`."""
    start = recurrence.inside(recurrence.weekly(first), week)
    return between(ref, start, recurrence.weekly(last)) if start else None


def since(ref: Reference, value: Span | Recurring) -> Span | None:
    """Return from the beginning of it through today."""
    span = settle(ref, value)
    if span is None or span.start is None:
        return None
    tomorrow = add_days(ref.today, 1)
    return Span(span.start, tomorrow, "range") if span.start < tomorrow else None


def after(ref: Reference, value: Span | Recurring) -> Span | NotPast | None:
    """Return from the end of it through today."""
    span = settle(ref, value)
    if span is None or span.end is None:
        return None
    tomorrow = add_days(ref.today, 1)
    return Span(span.end, tomorrow, "range") if span.end < tomorrow else NotPast()


def before(ref: Reference, value: Span | Recurring) -> Span | None:
    """Return everything up to the beginning of it."""
    span = settle(ref, value)
    if span is None or span.start is None:
        return None
    return Span(None, span.start, "range")


def by(ref: Reference, span: Span) -> Span | NotPast:
    """Return `by July 2022`: everything up to its end, when that is past."""
    if span.end is None or span.end > ref.today:
        return NotPast()
    return Span(None, span.end, "range")


def through(ref: Reference, value: Span | Recurring) -> Span | None:
    """Return everything up to the end of it: `until the end of June`."""
    span = settle(ref, value)
    return Span(None, span.end, "range") if span and span.end else None


def around(ref: Reference, value: Span | Recurring) -> Span | None:
    """Return it with a few days on both sides."""
    span = settle(ref, value)
    if span is None or span.start is None or span.end is None:
        return None
    if span.granularity in {"year", "decade"}:
        return replace(span, hard=False, confidence=0.7)
    start, end = add_days(span.start, -AROUND_DAYS), add_days(span.end, AROUND_DAYS)
    return replace(span, start=start, end=end, granularity="range", hard=False, confidence=0.7)


def years(ref: Reference, first: int, last: int) -> Span | None:
    """Return `2014-2018`."""
    return between(ref, whole_year(first), whole_year(last))


def since_year(ref: Reference, year: int) -> Span | None:
    """Return `since 2020`."""
    return since(ref, whole_year(year))
