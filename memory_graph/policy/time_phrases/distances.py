"""What do phrases that count from a day mean: two weeks ago, the day before Easter?"""

from dataclasses import replace
from datetime import timedelta

from memory_graph.policy.time_phrases import (
    calendar,
    names,
    numbers,
    occurrences,
    recurrence,
    units,
)
from memory_graph.policy.time_phrases.calendar import Unit, add_days, one_day
from memory_graph.policy.time_phrases.recurrence import settle
from memory_graph.policy.time_phrases.values import Amount, Recurring, Reference, Span


def ago(ref: Reference, amount: Amount) -> Span:
    """Return the day that long ago; only a boost when the count is a rough one."""
    day = ref.day_before(timedelta(minutes=amount.minutes))
    day = add_days(calendar.add_months(day, -amount.months), -amount.days)
    rough = amount.vague or amount.coarse
    return replace(
        one_day(day, "hour_part" if amount.minutes else "day"),
        hard=not rough,
        confidence=0.6 if amount.vague else 0.8 if amount.coarse else 0.95,
    )


def roughly_ago(ref: Reference, amount: Amount) -> Span:
    """Return `about two weeks ago`."""
    return replace(ago(ref, amount), hard=False, confidence=0.6)


def longer_than_ago(ref: Reference, amount: Amount) -> Span:
    """Return everything up to that long ago."""
    return Span(None, ago(ref, amount).start, "range", confidence=0.8)


def shorthand_ago(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `3d ago`, `2h ago`."""
    length = numbers.amount(ref, count, unit)
    return ago(ref, length) if length else None


def moments_ago(ref: Reference) -> Span:
    """Return today; only a boost, as nobody counted."""
    return replace(one_day(ref.today, "hour_part"), hard=False, confidence=0.6)


def some_ago(ref: Reference, fewer: int, more: int, unit: Unit) -> Span | None:
    """Return `two or three weeks ago`: everything between the two."""
    near, far = numbers.amount(ref, fewer, unit), numbers.amount(ref, more, unit)
    if near is None or far is None or fewer >= more:
        return None
    return Span(ago(ref, far).start, ago(ref, near).end, "range", hard=False, confidence=0.7)


def one_or_two_ago(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `a day or two ago`."""
    return some_ago(ref, count, 2, unit)


def uncounted_ago(ref: Reference, unit: Unit) -> Span | None:
    """Return `weeks ago`."""
    return some_ago(ref, 2, 5, unit)


def weekdays_ago(ref: Reference, count: int, number: int) -> Span | None:
    """Return `three Fridays ago`."""
    newest = recurrence.latest(recurrence.weekly(number), ref.today)
    return shift(newest, days=-7 * (count - 1)) if newest and count else None


def weekday_ago(ref: Reference, amount: Amount, number: int) -> Span | None:
    """Return `a week ago Saturday`: that long before the latest one."""
    newest = recurrence.latest(recurrence.weekly(number), ref.today)
    return shift(newest, days=-amount.days) if newest and amount.days % 7 == 0 else None


def weekends_ago(ref: Reference, count: int) -> Span | None:
    """Return `two weekends ago`."""
    return units.units_back(ref, count, "weekend")


def seasons_ago(ref: Reference, count: int, name: str) -> Span | None:
    """Return `two summers ago`."""
    newest = recurrence.last(names.season(ref, name), ref.today)
    if newest is None or newest.start is None or count < 1:
        return None
    return names.season(ref, name).occurrence(newest.start.year - count + 1)


def years_ago_in(ref: Reference, amount: Amount, named: Recurring) -> Span | None:
    """Return `two years ago in May`."""
    if amount.months == 0 or amount.months % 12 or amount.days:
        return None
    return occurrences.in_year(ref, named, ref.today.year - amount.months // 12)


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


def shift(span: Span, *, days: int = 0, months: int = 0) -> Span | None:
    """Move a span."""
    if span.start is None or span.end is None:
        return None
    start = add_days(calendar.add_months(span.start, months), days)
    return replace(span, start=start, end=start + (span.end - span.start), alternatives=())
