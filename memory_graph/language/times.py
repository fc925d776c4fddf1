"""Times and periods as plain values, and when a local day begins."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

MAX_CHARACTERS = 4000
"""Of a longer text only the beginning and the end, half of this each, are read."""
Granularity = Literal["hour", "day", "week", "month", "year"]
Direction = Literal["past", "present", "future"]
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

    span: tuple[int, int]
    """Where the phrase stands in the text."""

    phrase: str
    start: datetime
    """The first instant of what is named, in the user's zone."""

    end: datetime
    """The instant after it: the next midnight, or the same as `start` for a clock time."""

    granularity: Granularity
    direction: Direction
    """Whether all of it is over, it holds today, or all of it is to come."""

    bound: Bound = "at"
    """What the phrase says of the time named: `since May`, `by Friday`."""

    exact: bool = True
    """False where nobody counted: `a few days ago`, `around Easter`, `recently`."""

    @property
    def names_day(self) -> bool:
        """Whether the phrase is a date (`12 June`), not a distance or a weekday."""
        is_day = self.granularity == "day" and self.exact
        return is_day and bool(_DATE.search(self.phrase)) and not _DISTANCE.search(self.phrase)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the first existing instant of a local day."""
    start = datetime.combine(day, time.min, tzinfo=zone)
    as_instant = start.astimezone(UTC)
    if as_instant.astimezone(zone).replace(tzinfo=None) == start.replace(tzinfo=None):
        return start
    return _end_of_gap(start, zone)


def _end_of_gap(missing: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant the clocks jumped over `missing`, found by halving."""
    earliest = missing.replace(fold=1).astimezone(UTC)
    jumped = missing.astimezone(UTC)
    before = earliest.astimezone(zone).utcoffset()
    while jumped - earliest > timedelta(seconds=1):
        middle = earliest + (jumped - earliest) // 2
        if middle.astimezone(zone).utcoffset() == before:
            earliest = middle
        else:
            jumped = middle
    return jumped.replace(microsecond=0).astimezone(zone)


def shortened(text: str) -> str:
    """Return what is read of a text: all of it, or the beginning and the end."""
    half = MAX_CHARACTERS // 2
    return text if len(text) <= MAX_CHARACTERS else f"{text[:half]}\n\n{text[2 - half :]}"


def original_place(position: int, removed: int) -> int:
    """Return where a position in a shortened text is in the whole one."""
    return position + removed if position > MAX_CHARACTERS // 2 else position
