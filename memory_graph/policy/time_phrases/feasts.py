"""How are the days computed that fall differently every year?"""

from collections.abc import Callable
from datetime import date, timedelta

from memory_graph.policy.time_phrases.calendar import add_days, nth_weekday

MON, THU, SUN = 0, 3, 6
JULIAN_DELAY = 13
DayOfYear = Callable[[int], date | None]


def easter(year: int) -> date:
    """Return Western Easter Sunday (Butcher's computation)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def orthodox_easter(year: int) -> date:
    """Return Easter by the Julian calendar (Meeus), as a Gregorian date of 1900 to 2099."""
    moon = (19 * (year % 19) + 15) % 30
    sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + sunday + 114, 31)
    return add_days(date(year, month, day + 1), JULIAN_DELAY)


def fixed(month: int, day: int) -> DayOfYear:
    """Return the same day every year."""
    return lambda year: date(year, month, day)


def nth(month: int, nth: int, weekday: int, shift: int = 0) -> DayOfYear:
    """Return the nth such weekday of a month, or some days from it."""
    return lambda year: add_days(nth_weekday(date(year, month, 1), nth, weekday), shift)


def from_easter(shift: int) -> DayOfYear:
    """Return a day counted from Easter."""
    return lambda year: add_days(easter(year), shift)


def islamic(month: int, day: int) -> DayOfYear:
    """Use the tabular calendar; sightings may differ by a day."""
    return lambda year: _tabular_islamic(year, month, day)


def _tabular_islamic(year: int, month: int, day: int) -> date | None:
    epoch = date(622, 7, 19)
    for hijri in range((year - 622) * 33 // 32, (year - 622) * 33 // 32 + 3):
        days = day - 1 + (59 * (month - 1) + 1) // 2 + (hijri - 1) * 354 + (3 + 11 * hijri) // 30
        falls_on = epoch + timedelta(days=days)
        if falls_on.year == year:
            return falls_on
    return None


def listed(*days: str) -> DayOfYear:
    """Return days nobody computes; other years have none."""
    known = {day.year: day for day in map(date.fromisoformat, days)}
    return known.get


LUNAR_NEW_YEAR = listed(
    *("2015-02-19", "2016-02-08", "2017-01-28", "2018-02-16", "2019-02-05", "2020-01-25"),
    *("2021-02-12", "2022-02-01", "2023-01-22", "2024-02-10", "2025-01-29", "2026-02-17"),
    *("2027-02-06", "2028-01-26", "2029-02-13", "2030-02-03"),
)
DIWALI = listed(
    *("2015-11-11", "2016-10-30", "2017-10-19", "2018-11-07", "2019-10-27", "2020-11-14"),
    *("2021-11-04", "2022-10-24", "2023-11-12", "2024-10-31", "2025-10-20", "2026-11-08"),
)
HANUKKAH = listed(
    *("2015-12-07", "2016-12-25", "2017-12-13", "2018-12-03", "2019-12-23", "2020-12-11"),
    *("2021-11-29", "2022-12-19", "2023-12-08", "2024-12-26", "2025-12-15", "2026-12-05"),
)
PASSOVER = listed(
    *("2015-04-04", "2016-04-23", "2017-04-11", "2018-03-31", "2019-04-20", "2020-04-09"),
    *("2021-03-28", "2022-04-16", "2023-04-06", "2024-04-23", "2025-04-13", "2026-04-02"),
)
ROSH_HASHANAH = listed(
    *("2015-09-14", "2016-10-03", "2017-09-21", "2018-09-10", "2019-09-30", "2020-09-19"),
    *("2021-09-07", "2022-09-26", "2023-09-16", "2024-10-03", "2025-09-23", "2026-09-12"),
)


def yom_kippur(year: int) -> date | None:
    """Return the ninth day after Rosh Hashanah."""
    new_year = ROSH_HASHANAH(year)
    return add_days(new_year, 9) if new_year else None


def leap_day(year: int) -> date | None:
    """Return 29 February."""
    return date(year, 2, 29) if year % 4 == 0 and (year % 100 or year % 400 == 0) else None


def monday_before(month: int, day: int) -> DayOfYear:
    """Return the last Monday before a day."""
    return lambda year: add_days(date(year, month, day), -(date(year, month, day).weekday() or 7))


def super_bowl(year: int) -> date:
    """Return its Sunday: the second of February since 2022, the first one before."""
    return nth_weekday(date(year, 2, 1), 2 if year > 2021 else 1, SUN)
