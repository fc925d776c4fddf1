"""What do phrases that count from a named day mean: the day before Easter, a week after 3 May?"""

from memory_graph.policy.time_phrases import calendar, recurrence
from memory_graph.policy.time_phrases.calendar import Unit, add_days, one_day
from memory_graph.policy.time_phrases.distances import shift
from memory_graph.policy.time_phrases.recurrence import settle
from memory_graph.policy.time_phrases.values import Amount, Recurring, Reference, Span


def amount_before(ref: Reference, amount: Amount, day: Span | Recurring) -> Span | None:
    """Return `two weeks before Christmas`."""
    span = settle(ref, day)
    if not (span and span.start):
        return None
    return shift(one_day(span.start), days=-amount.days, months=-amount.months)


def amount_after(ref: Reference, amount: Amount, day: Span | Recurring) -> Span | None:
    """Return `three days after Easter`."""
    span = settle(ref, day)
    if not (span and span.start):
        return None
    return shift(one_day(span.start), days=amount.days, months=amount.months)


def stretch_before(ref: Reference, amount: Amount, day: Span | Recurring) -> Span | None:
    """Return `the three days before Christmas`."""
    first, span = amount_before(ref, amount, day), settle(ref, day)
    return Span(first.start, span.start, "range") if first and span else None


def stretch_after(ref: Reference, amount: Amount, day: Span | Recurring) -> Span | None:
    """Return `the two weeks after Easter`."""
    last, span = amount_after(ref, amount, day), settle(ref, day)
    return Span(span.end, last.end, "range") if last and span else None


def stretch_up_to(ref: Reference, amount: Amount, day: Span | Recurring) -> Span | None:
    """Return `the twelve months to June`."""
    span = settle(ref, day)
    if not (span and span.end):
        return None
    start = add_days(calendar.add_months(span.end, -amount.months), -amount.days)
    return Span(start, span.end, "range") if start < span.end else None


def longer_before(ref: Reference, amount: Amount, day: Span) -> Span | None:
    """Return `more than two days before yesterday`."""
    limit = amount_before(ref, amount, day)
    return limit and Span(None, limit.start, "range", confidence=0.8)


def unit_before(ref: Reference, unit: Unit, day: Span | Recurring) -> Span | None:
    """Return `the day before Christmas`, `the week before Easter`."""
    span = settle(ref, day)
    if not (span and span.start):
        return None
    return calendar.unit_of(calendar.add(span.start, -1, unit), unit)


def eve(ref: Reference, day: Span | Recurring) -> Span | None:
    """Return `the eve of Christmas`."""
    return unit_before(ref, "day", day)


def unit_after(ref: Reference, unit: Unit, day: Span | Recurring) -> Span | None:
    """Return `the day after Christmas`, `the weekend after Thanksgiving`."""
    span = settle(ref, day)
    if not (span and span.end):
        return None
    if unit in {"day", "weekend"}:
        return calendar.unit_of(span.end, unit)
    return calendar.unit_of(calendar.add(add_days(span.end, -1), 1, unit), unit)


def weekday_before(ref: Reference, number: int, day: Span | Recurring) -> Span | None:
    """Return `the Monday before Halloween`."""
    span = settle(ref, day)
    return recurrence.latest(recurrence.weekly(number), span.start) if span and span.start else None


def weekday_after(ref: Reference, number: int, day: Span | Recurring) -> Span | None:
    """Return `the Friday after Easter`."""
    span = settle(ref, day)
    return recurrence.first_from(recurrence.weekly(number), span.end) if span and span.end else None


def nth_weekday_before(ref: Reference, nth: int, number: int, day: Span | Recurring) -> Span | None:
    """Return `the second Sunday before Easter`."""
    nearest = weekday_before(ref, number, day)
    return shift(nearest, days=-7 * (nth - 1)) if nearest else None


def nth_weekday_after(ref: Reference, nth: int, number: int, day: Span | Recurring) -> Span | None:
    """Return `the third Tuesday after Christmas`."""
    nearest = weekday_after(ref, number, day)
    return shift(nearest, days=7 * (nth - 1)) if nearest else None
