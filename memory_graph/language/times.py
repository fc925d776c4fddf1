"""Times and periods as plain values, and when a local day begins."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Literal
from zoneinfo import ZoneInfo

MAX_CHARACTERS = 4000
"""Of a longer text only the beginning and the end, half of this each, are read."""
Bound = Literal["at", "since", "after", "before", "by"]
_DATE = re.compile(r"\d")
_DISTANCE = re.compile(r"\b(?:ago|days?|weeks?|months?|years?)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class TimeRange:
    """The past time a message asks or tells about, as instants in the user's zone."""

    phrase: str
    """As found in the text."""

    start: datetime | None
    """Inclusive; nothing means open."""

    end: datetime | None
    """Exclusive; nothing means open."""

    hard: bool
    """False for a vague phrase (`recently`), which may only ever boost."""


@dataclass(frozen=True, kw_only=True)
class DateMention:
    """One time expression of a statement, past or future."""

    phrase: str
    """In English."""

    start: datetime
    """The first instant of what is named, in the user's zone."""

    end: datetime
    """The midnight after it."""

    is_day: bool
    """Whether a day or a weekend is named, not a week or more."""

    bound: Bound = "at"
    """What the phrase says of the time named: `since May`, `by Friday`."""

    exact: bool = True
    """False where nobody counted: `a few days ago`, `around Easter`, `recently`."""

    @property
    def names_day(self) -> bool:
        """Whether the phrase is a date (`12 June`), not a distance or a weekday."""
        is_date = self.is_day and self.exact and _DATE.search(self.phrase) is not None
        return is_date and not _DISTANCE.search(self.phrase)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant of a local day, also where the clocks jump over its midnight."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC).astimezone(zone)


def shortened(text: str) -> str:
    """Return what is read of a text: all of it, or the beginning and the end."""
    half = MAX_CHARACTERS // 2
    return text if len(text) <= MAX_CHARACTERS else f"{text[:half]}\n\n{text[2 - half :]}"
