"""Which calendar days does a text speak of?"""

import re
from collections.abc import Iterator
from datetime import date

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
).split("|")
_MONTH = "|".join(rf"{name}|{name[:3]}\b\.?" for name in _MONTHS)
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d{2}))?"
_PATTERNS = tuple(
    re.compile(source, re.IGNORECASE)
    for source in (
        r"\b(?P<year>(?:19|20)\d{2})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-2]\d|3[01])\b",
        rf"\b(?P<month>{_MONTH})\s+(?:the\s+)?{_DAY}\b(?!:){_YEAR}",
        rf"\b{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH})\b{_YEAR}",
    )
)
_NEAREST_YEARS = (0, 1, -1)


def find_event_dates(text: str, *, today: date) -> frozenset[date]:
    """Return the days a text names by day and month, other than `today`.

    Without a year the nearest such day is meant. Weekdays and spans ("next week") are no event
    dates: two talks about one event may name several of them.
    """
    return frozenset(_days(text, today)) - {today}


def _days(text: str, today: date) -> Iterator[date]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            month, day = _month_number(match["month"]), int(match["day"])
            years = [int(match["year"])] if match["year"] else _years_around(today)
            candidates = [found for year in years if (found := _date(year, month, day))]
            yield from sorted(candidates, key=lambda found: abs(found - today))[:1]


def _month_number(name: str) -> int:
    if name.isdigit():
        return int(name)
    return next(
        number
        for number, month in enumerate(_MONTHS, start=1)
        if month.startswith(name.lower().rstrip(".")[:3])
    )


def _years_around(today: date) -> list[int]:
    return [today.year + offset for offset in _NEAREST_YEARS]


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
