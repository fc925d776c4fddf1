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
_DAY_MONTH = re.compile(
    rf"\b(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?(?: of)? (?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}}))?",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"\b(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?\b(?:,? (?P<year>\d{{4}}))?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>\d\d)\b")
_MONTH_ONLY = re.compile(
    rf"\b(?:in|next) (?P<month>{_MONTH})\b(?: (?P<year>\d{{4}}))?", re.IGNORECASE
)
_WEEKDAY = re.compile(rf"\b(?:on |this |next )?(?P<weekday>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)


def find_day(text: str, today: date) -> date | None:
    """Return the coming day a phrase names: `12 June 2027`, `tomorrow`, `in March`."""
    if re.search(r"\btomorrow\b", text, re.IGNORECASE):
        return today + timedelta(days=1)
    if re.search(r"\b(?:today|tonight)\b", text, re.IGNORECASE):
        return today
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY, _MONTH_ONLY):
        if match := pattern.search(text):
            return _coming(match, today)
    if match := _WEEKDAY.search(text):
        ahead = (_WEEKDAYS.index(match["weekday"].casefold()) - today.weekday()) % 7
        return today + timedelta(days=ahead or 7)
    return None


def name_birthday(text: str) -> str | None:
    """Return a birthday as `3 March`, or `3 March 1990` where the year was told."""
    for pattern in (_ISO, _DAY_MONTH, _MONTH_DAY):
        if match := pattern.search(text):
            name = MONTHS[_month_number(match["month"]) - 1].title()
            year = f" {match['year']}" if match["year"] else ""
            return f"{int(match['day'])} {name}{year}"
    return None


def _coming(match: re.Match[str], today: date) -> date | None:
    parts = match.groupdict()
    month, day = _month_number(parts["month"]), int(parts.get("day") or 1)
    year = int(parts["year"]) if parts["year"] else today.year
    try:
        found = date(year, month, day)
        return found if parts["year"] or found >= today else date(year + 1, month, day)
    except ValueError:
        return None


def _month_number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(n for n, name in enumerate(MONTHS, 1) if name.startswith(text[:3].casefold()))
