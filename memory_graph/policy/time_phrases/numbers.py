"""What do number words, counts of units and spoken years mean?"""

from collections.abc import Callable

from memory_graph.policy.time_phrases.calendar import DAYS_IN, MONTHS_IN, Unit
from memory_graph.policy.time_phrases.values import Amount, Reference

MINUTES_IN: dict[Unit, int] = {"second": 0, "minute": 1, "hour": 60}
HALVES: dict[Unit, Amount] = {
    "hour": Amount(minutes=30),
    "day": Amount(minutes=12 * 60),
    "week": Amount(days=3, coarse=True),
    "month": Amount(days=15, coarse=True),
}
LONGEST_COUNT = 9999


def constant(number: int) -> Callable[[Reference], int]:
    """Return a builder for a word that stands for a number."""
    return lambda ref: number


def added(ref: Reference, tens: int, digit: int) -> int | None:
    """Return `twenty` + `one`; the digit of an ordinal stays below ten."""
    return tens + digit if digit < 10 else None


def day_number(ref: Reference, number: int) -> int | None:
    """Return a number that can be a day of a month."""
    return number if 1 <= number <= 31 else None


def century_and_rest(ref: Reference, century: int, rest: int) -> int:
    """Return `nineteen` + `ninety nine`."""
    return century * 100 + rest


def thousands(ref: Reference, digit: int, rest: int | None) -> int:
    """Return `two thousand` (`and fifteen`)."""
    return digit * 1000 + (rest or 0)


def thousands_and_hundreds(ref: Reference, thousand: int, hundred: int, rest: int | None) -> int:
    """Return `one thousand seven hundred` (`and eighty nine`)."""
    return thousand * 1000 + hundred * 100 + (rest or 0)


def hundreds(ref: Reference, century: int, rest: int | None) -> int:
    """Return `nineteen hundred` (`ninety three`)."""
    return century * 100 + (rest or 0)


def two_digit_year(ref: Reference, year: int) -> int:
    """Return the latest such year that has begun."""
    century = ref.today.year // 100 * 100
    return century + year if century + year <= ref.today.year else century - 100 + year


def short_year(ref: Reference, year: int) -> int | None:
    """Return `'87`, or `of 87`."""
    return two_digit_year(ref, year) if year < 100 else None


def amount(ref: Reference, count: int, unit: Unit) -> Amount | None:
    """Return a count of units."""
    if count > LONGEST_COUNT:
        return None
    coarse = unit not in {"second", "minute", "hour", "day"}
    if unit in MINUTES_IN:
        return Amount(minutes=count * MINUTES_IN[unit])
    if unit in DAYS_IN:
        return Amount(days=count * DAYS_IN[unit], coarse=coarse)
    return Amount(months=count * MONTHS_IN[unit], coarse=coarse)


def vague_amount(ref: Reference, count: int, unit: Unit) -> Amount | None:
    """Return `a few weeks`."""
    exact = amount(ref, count, unit)
    return exact and Amount(exact.months, exact.days, exact.minutes, exact.coarse, vague=True)


def half(ref: Reference, unit: Unit) -> Amount | None:
    """Return `half a year`, `half an hour`."""
    if MONTHS_IN.get(unit, 1) % 2 == 0:
        return Amount(months=MONTHS_IN[unit] // 2, coarse=True)
    return HALVES.get(unit)


def and_a_half(ref: Reference, count: int, unit: Unit) -> Amount | None:
    """Return `two and a half years`."""
    whole, part = amount(ref, count, unit), half(ref, unit)
    return plus(ref, whole, part) if whole and part else None


def plus(ref: Reference, first: Amount, second: Amount) -> Amount:
    """Return `one month and 21 days`: as exact as its finest unit."""
    return Amount(
        months=first.months + second.months,
        days=first.days + second.days,
        minutes=first.minutes + second.minutes,
        coarse=first.coarse and second.coarse,
        vague=first.vague or second.vague,
    )


def spoken_year(ref: Reference, century: int, rest: int) -> int | None:
    """Return `nineteen ninety nine`, `twenty twenty two`."""
    return century * 100 + rest if 10 <= century <= 20 and rest >= 10 else None
