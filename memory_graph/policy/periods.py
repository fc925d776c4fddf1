"""Which stretch of time do two bounds or a phrase name, where the user is?"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory_graph.policy.time_phrases import find_time_phrase

PeriodProblem = Literal["unreadable_start", "unreadable_end", "unreadable_when", "end_before_start"]


@dataclass(frozen=True)
class Period:
    """From `start` up to, not including, `end`; nothing means open."""

    start: datetime | None = None
    end: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        """Return whether `moment` lies within."""
        return (self.start is None or moment >= self.start) and (
            self.end is None or moment < self.end
        )


def read_period(
    start: str, end: str, when: str, *, now: datetime, zone: ZoneInfo
) -> Period | PeriodProblem:
    """Return the period that is named; what narrows it most counts.

    Args:
        start: ISO 8601, with or without a zone, a bare date, or a phrase; empty for open.
        end: The same; a bare date means the whole day.
        when: A phrase such as `last week`.
        now: The moment phrases are read against.
        zone: The user's, for what names none.
    """
    phrased = _phrase(when, now, zone) if when.strip() else Period()
    first = _bound(start, now, zone, is_end=False)
    last = _bound(end, now, zone, is_end=True)
    if phrased is None:
        return "unreadable_when"
    if start.strip() and first is None:
        return "unreadable_start"
    if end.strip() and last is None:
        return "unreadable_end"
    period = Period(first or phrased.start, last or phrased.end)
    if period.start and period.end and period.end <= period.start:
        return "end_before_start"
    return period


def _bound(text: str, now: datetime, zone: ZoneInfo, *, is_end: bool) -> datetime | None:
    text = text.strip()
    day = _day(text)
    if day is not None:
        whole = timedelta(days=1) if is_end else timedelta()
        return datetime.combine(day + whole, time(), tzinfo=zone)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        phrased = _phrase(text, now, zone) or Period()
        return phrased.end if is_end else phrased.start
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _phrase(text: str, now: datetime, zone: ZoneInfo) -> Period | None:
    found = find_time_phrase(text, now=now, zone=zone)
    return Period(found.start, found.end) if found else None
