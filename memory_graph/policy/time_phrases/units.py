"""What do phrases about running, last and rolling units mean: this week, the past month?"""

from dataclasses import replace
from datetime import timedelta

from memory_graph.policy.time_phrases import calendar, numbers
from memory_graph.policy.time_phrases.calendar import Unit, add_days, unit_of
from memory_graph.policy.time_phrases.values import Amount, Reference, Span

VAGUE_DAYS = 7
SOME = 3
EARLY_IN_WEEK = range(3)


def this_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return the running calendar unit."""
    return None if unit in {"second", "minute", "hour"} else unit_of(ref.today, unit)


def all_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return the running unit of `all week`; `all day` says nothing of when."""
    return this_unit(ref, unit) if unit in {"week", "month", "year"} else None


def last_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return the calendar unit before the running one."""
    return units_back(ref, 1, unit)


def unit_before_last(ref: Reference, unit: Unit) -> Span | None:
    """Return the calendar unit before the last one."""
    return units_back(ref, 2, unit)


def units_back(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return the calendar unit that many units back."""
    if unit in {"second", "minute", "hour", "fortnight", "season"}:
        return None
    return unit_of(calendar.add(calendar.first_of(ref.today, unit), -count, unit), unit)


def past_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `the past month`: rolling, today included; quarters and the like stay whole."""
    return last_units(ref, 1, unit)


def last_units(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `the last 7 days`: rolling, today included."""
    if count < 1:
        return None
    if unit in {"second", "minute", "hour"}:
        return _last_hours(ref, timedelta(hours=1) * count if unit == "hour" else timedelta())
    if unit in {"quarter", "weekend"} or (unit in {"decade", "century"} and count == 1):
        return _last_whole_units(ref, count, unit)
    tomorrow = add_days(ref.today, 1)
    return Span(calendar.add(tomorrow, -count, unit), tomorrow, "range")


def last_hour(ref: Reference) -> Span | None:
    """Return `the last hour`."""
    return last_units(ref, 1, "hour")


def _last_hours(ref: Reference, length: timedelta) -> Span:
    return Span(ref.day_before(length), add_days(ref.today, 1), "hour_part")


def _last_whole_units(ref: Reference, count: int, unit: Unit) -> Span | None:
    newest, oldest = units_back(ref, 1, unit), units_back(ref, count, unit)
    if newest is None or oldest is None:
        return None
    return newest if count == 1 else Span(oldest.start, newest.end, "range")


def few_last_units(ref: Reference, count: int, unit: Unit) -> Span | None:
    """Return `the last few days`."""
    span = last_units(ref, count, unit)
    return span and replace(span, confidence=0.7)


def last_amount(ref: Reference, amount: Amount) -> Span:
    """Return `the last 3 months and 2 weeks`."""
    tomorrow = add_days(ref.today, 1)
    if not (amount.months or amount.days):
        return _last_hours(ref, timedelta(minutes=amount.minutes))
    start = add_days(calendar.add_months(tomorrow, -amount.months), -amount.days)
    return Span(start, tomorrow, "range")


def last_half(ref: Reference, unit: Unit) -> Span | None:
    """Return `the past half year`."""
    length = numbers.half(ref, unit)
    return last_amount(ref, length) if length else None


def last_one_and_a_half(ref: Reference, unit: Unit) -> Span | None:
    """Return `the past year and a half`."""
    length = numbers.and_a_half(ref, 1, unit)
    return last_amount(ref, length) if length else None


def last_one_or_two(ref: Reference, unit: Unit) -> Span | None:
    """Return `the last day or two`."""
    return few_last_units(ref, 2, unit)


def recent_units(ref: Reference, unit: Unit) -> Span | None:
    """Return `in recent weeks`; never more than a boost."""
    if unit not in {"week", "month", "year"}:
        return vaguely(ref)
    span = last_units(ref, SOME, unit)
    return span and replace(span, hard=False, confidence=0.4)


def the_weekend(ref: Reference) -> Span | None:
    """Return the weekend that has begun last: `over the weekend`."""
    running = unit_of(ref.today, "weekend")
    return running if running.start and running.start <= ref.today else last_unit(ref, "weekend")


def this_weekend(ref: Reference) -> Span | None:
    """Return the weekend just over, early in the week: `what did we do this weekend`."""
    early = ref.today.weekday() in EARLY_IN_WEEK
    return the_weekend(ref) if early else this_unit(ref, "weekend")


def so_far(ref: Reference, unit: Unit) -> Span | None:
    """Return the running unit up to and including today."""
    running = this_unit(ref, unit)
    return running and Span(running.start, add_days(ref.today, 1), "range")


def year_to_date(ref: Reference) -> Span | None:
    """Return the running year up to and including today."""
    return so_far(ref, "year")


def earlier_in_unit(ref: Reference, unit: Unit) -> Span | None:
    """Return `earlier this week`: the running unit before today."""
    running = this_unit(ref, unit)
    if running is None or running.start is None or unit == "day":
        return running
    return replace(running, end=max(ref.today, add_days(running.start, 1)), granularity="range")


def vaguely(ref: Reference) -> Span:
    """Return what `recently` may mean; never more than a boost."""
    start = add_days(ref.today, -VAGUE_DAYS)
    return Span(start, ref.today, "range", hard=False, confidence=0.4)
