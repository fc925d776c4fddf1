"""Which calendar day does a phrase in a statement name?"""

import re
from datetime import date, timedelta

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in MONTHS)
_ORDINAL = r"(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>\d{4}))?"
_DAY_MONTH = re.compile(
    rf"\b(?:the )?(?P<day>\d{{1,2}}){_ORDINAL}(?: of)? (?P<month>{_MONTH})\b{_YEAR}",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"\b(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}}){_ORDINAL}\b{_YEAR}",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>\d\d)\b")
_MONTH_ONLY = re.compile(
    rf"\b(?:in|next) (?P<month>{_MONTH})\b(?: (?P<year>\d{{4}}))?", re.IGNORECASE
)
_WEEKDAY = re.compile(rf"\b(?:on |this |next )?(?P<weekday>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)

_IN_EVERY_MONTH = 28
"""A day late in every month, so that the current month still counts as coming."""


def find_day(text: str, today: date) -> date | None:
    """Return the coming day a phrase names: `12 June 2027`, `tomorrow`, `on Friday`."""
    if re.search(r"\btomorrow\b", text, re.IGNORECASE):
        return today + timedelta(days=1)
    if re.search(r"\b(?:today|tonight)\b", text, re.IGNORECASE):
        return today
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY):
        if match := pattern.search(text):
            return _coming(match, int(match["day"]), today)
    if match := _WEEKDAY.search(text):
        ahead = (_WEEKDAYS.index(match["weekday"].casefold()) - today.weekday()) % 7
        return today + timedelta(days=ahead or 7)
    return None


def find_month(text: str, today: date) -> str | None:
    """Return the coming month a phrase names, as `2027-03` for `in March`."""
    match = _MONTH_ONLY.search(text)
    day = _coming(match, _IN_EVERY_MONTH, today) if match else None
    return day.isoformat()[:7] if day else None


def name_birthday(text: str) -> str | None:
    """Return a birthday as `3 March`, or `3 March 1990` where the year was told."""
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY):
        if match := pattern.search(text):
            name = MONTHS[_month_number(match["month"]) - 1].title()
            year = f" {match['year']}" if match["year"] else ""
            return f"{int(match['day'])} {name}{year}"
    return None


def _coming(match: re.Match[str], day: int, today: date) -> date | None:
    """Return the date, in the coming year where none was told; None when there is no such day."""
    month = _month_number(match["month"])
    year = int(match["year"]) if match["year"] else today.year
    try:
        found = date(year, month, day)
        return found if match["year"] or found >= today else date(year + 1, month, day)
    except ValueError:
        return None


def _month_number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(n for n, name in enumerate(MONTHS, 1) if name.startswith(text[:3].casefold()))
