"""On which day of a year does a named day fall?"""

from collections.abc import Callable
from datetime import date, timedelta

from memory_graph.policy.time_phrases.calendar import add_days, nth_weekday

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


def _fixed(month: int, day: int) -> DayOfYear:
    return lambda year: date(year, month, day)


def _nth(month: int, nth: int, weekday: int, shift: int = 0) -> DayOfYear:
    return lambda year: add_days(nth_weekday(date(year, month, 1), nth, weekday), shift)


def _from_easter(shift: int) -> DayOfYear:
    return lambda year: add_days(easter(year), shift)


def _islamic(month: int, day: int) -> DayOfYear:
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


def _listed(*days: str) -> DayOfYear:
    known = {day.year: day for day in map(date.fromisoformat, days)}
    return known.get


_LUNAR_NEW_YEAR = _listed(
    *("2015-02-19", "2016-02-08", "2017-01-28", "2018-02-16", "2019-02-05", "2020-01-25"),
    *("2021-02-12", "2022-02-01", "2023-01-22", "2024-02-10", "2025-01-29", "2026-02-17"),
    *("2027-02-06", "2028-01-26", "2029-02-13", "2030-02-03"),
)
_DIWALI = _listed(
    *("2015-11-11", "2016-10-30", "2017-10-19", "2018-11-07", "2019-10-27", "2020-11-14"),
    *("2021-11-04", "2022-10-24", "2023-11-12", "2024-10-31", "2025-10-20", "2026-11-08"),
)
MON, THU, SUN = 0, 3, 6

HOLIDAYS: dict[str, DayOfYear] = {
    "april fools day": _fixed(4, 1),
    "april fools": _fixed(4, 1),
    "anzac day": _fixed(4, 25),
    "armistice day": _fixed(11, 11),
    "ascension day": _from_easter(39),
    "ash wednesday": _from_easter(-46),
    "australia day": _fixed(1, 26),
    "bastille day": _fixed(7, 14),
    "black friday": _nth(11, 4, THU, 1),
    "bonfire night": _fixed(11, 5),
    "boxing day": _fixed(12, 26),
    "canada day": _fixed(7, 1),
    "chinese new year": _LUNAR_NEW_YEAR,
    "christmas": _fixed(12, 25),
    "christmas day": _fixed(12, 25),
    "christmas eve": _fixed(12, 24),
    "cinco de mayo": _fixed(5, 5),
    "columbus day": _nth(10, 2, MON),
    "cyber monday": _nth(11, 4, THU, 4),
    "diwali": _DIWALI,
    "earth day": _fixed(4, 22),
    "easter": easter,
    "easter day": easter,
    "easter monday": _from_easter(1),
    "easter sunday": easter,
    "eid al -? adha": _islamic(12, 10),
    "eid al -? fitr": _islamic(10, 1),
    "epiphany": _fixed(1, 6),
    "fathers day": _nth(6, 3, SUN),
    "fat tuesday": _from_easter(-47),
    "good friday": _from_easter(-2),
    "groundhog day": _fixed(2, 2),
    "guy fawkes night": _fixed(11, 5),
    "halloween": _fixed(10, 31),
    "independence day": _fixed(7, 4),
    "indigenous peoples day": _nth(10, 2, MON),
    "international womens day": _fixed(3, 8),
    "international workers day": _fixed(5, 1),
    "juneteenth": _fixed(6, 19),
    "labor day": _nth(9, 1, MON),
    "labour day": _nth(9, 1, MON),
    "lunar new year": _LUNAR_NEW_YEAR,
    "mardi gras": _from_easter(-47),
    "martin luther king day": _nth(1, 3, MON),
    "martin luther king jr .? day": _nth(1, 3, MON),
    "maundy thursday": _from_easter(-3),
    "may day": _fixed(5, 1),
    "memorial day": _nth(5, -1, MON),
    "mlk day": _nth(1, 3, MON),
    "mothers day": _nth(5, 2, SUN),
    "new year": _fixed(1, 1),
    "new years": _fixed(1, 1),
    "new year day": _fixed(1, 1),
    "new years day": _fixed(1, 1),
    "new year eve": _fixed(12, 31),
    "new years eve": _fixed(12, 31),
    "nye": _fixed(12, 31),
    "palm sunday": _from_easter(-7),
    "pancake day": _from_easter(-47),
    "pentecost": _from_easter(49),
    "pi day": _fixed(3, 14),
    "presidents day": _nth(2, 3, MON),
    "remembrance day": _fixed(11, 11),
    "saint patricks day": _fixed(3, 17),
    "shrove tuesday": _from_easter(-47),
    "st .? patricks day": _fixed(3, 17),
    "thanks giving": _nth(11, 4, THU),
    "thanks giving day": _nth(11, 4, THU),
    "thanksgiving": _nth(11, 4, THU),
    "thanksgiving day": _nth(11, 4, THU),
    "valentines": _fixed(2, 14),
    "valentines day": _fixed(2, 14),
    "veterans day": _fixed(11, 11),
    "whit monday": _from_easter(50),
    "womens day": _fixed(3, 8),
    "xmas": _fixed(12, 25),
    "xmas day": _fixed(12, 25),
    "xmas eve": _fixed(12, 24),
    "yuandan": _fixed(1, 1),
}
"""Keyed by how the name is written, as a grammar pattern; American dates where countries differ."""
