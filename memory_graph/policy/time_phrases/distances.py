"""What do phrases that count back from today mean: two weeks ago, three Fridays ago?"""

from dataclasses import replace
from datetime import date, timedelta

from memory_graph.policy.time_phrases import (
    calendar,
    names,
    numbers,
    occurrences,
    recurrence,
    units,
)
from memory_graph.policy.time_phrases.calendar import Unit, add_days, one_day
from memory_graph.policy.time_phrases.values import Amount, Recurring, Reference, Span

CHRISTMAS = (12, 25)


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


def ago_yesterday(ref: Reference, amount: Amount) -> Span | None:
    """Return `a week ago yesterday`."""
    return shift(ago(ref, amount), days=-1)


def unit_ago(ref: Reference, amount: Amount, unit: Unit) -> Span | None:
    """Return `a year ago this month`."""
    day = ago(ref, amount).start
    return calendar.unit_of(day, unit) if day and unit in {"day", "week", "month"} else None


def same_day_last(ref: Reference, unit: Unit) -> Span | None:
    """Return `this time last year`."""
    length = numbers.amount(ref, 1, unit)
    return ago(ref, length) if length else None


def same_unit_last(ref: Reference, unit: Unit, longer: Unit) -> Span | None:
    """Return `the same week last year`."""
    day = calendar.add(ref.today, -1, longer)
    return calendar.unit_of(day, unit) if unit in {"week", "weekend", "month", "quarter"} else None


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
    if newest is None or amount.days % 7:
        return None
    return shift(newest, days=-amount.days, months=-amount.months)


def weekends_ago(ref: Reference, count: int) -> Span | None:
    """Return `two weekends ago`."""
    return units.units_back(ref, count, "weekend")


def weekday_of_week_ago(ref: Reference, number: int, amount: Amount) -> Span | None:
    """Return `the Monday of two weeks ago`."""
    day = ago(ref, amount).start
    if day is None or amount.days % 7 or not amount.days:
        return None
    return one_day(add_days(calendar.week_start(day), number))


def day_of_month_ago(ref: Reference, number: int, amount: Amount) -> Span | None:
    """Return `the 1st of three months ago`."""
    day = ago(ref, amount).start
    return one_day(day.replace(day=number)) if day and amount.months and not amount.days else None


def seasons_ago(ref: Reference, count: int, name: str) -> Span | None:
    """Return `two summers ago`."""
    return _named_ago(ref, count, names.season(ref, name))


def months_named_ago(ref: Reference, count: int, number: int) -> Span | None:
    """Return `two Septembers ago`."""
    return _named_ago(ref, count, names.month(ref, number))


def _named_ago(ref: Reference, count: int, named: Recurring) -> Span | None:
    newest = recurrence.last(named, ref.today)
    if newest is None or newest.start is None or count < 1:
        return None
    return named.occurrence(newest.start.year - count + 1)


def christmases_ago(ref: Reference, count: int) -> Span | None:
    """Return `two Christmases ago`."""
    newest = ref.today.year - (ref.today < date(ref.today.year, *CHRISTMAS))
    return one_day(date(newest - count + 1, *CHRISTMAS)) if count else None


def named_years_ago(ref: Reference, named: Recurring, amount: Amount) -> Span | None:
    """Return `in May two years ago`, `Sunday two weeks ago`."""
    if named.cycle == "week" and amount.days and amount.days % 7 == 0:
        newest = recurrence.latest(named, ref.today)
        return shift(newest, days=-amount.days) if newest else None
    return years_ago_in(ref, amount, named)


def years_ago_in(ref: Reference, amount: Amount, named: Recurring) -> Span | None:
    """Return `two years ago in May`."""
    if amount.months == 0 or amount.months % 12 or amount.days:
        return None
    return occurrences.in_year(ref, named, ref.today.year - amount.months // 12)


def shift(span: Span, *, days: int = 0, months: int = 0) -> Span | None:
    """Move a span."""
    if span.start is None or span.end is None:
        return None
    start = add_days(calendar.add_months(span.start, months), days)
    return replace(span, start=start, end=start + (span.end - span.start), alternatives=())
