"""The reader for every language but English; facts and times only where a table has them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memory_graph.language import profile, time_words
from memory_graph.language.times import DateMention, TimeRange
from memory_graph.records import FactRead


@dataclass(frozen=True)
class Neutral:
    """A language read by tables alone."""

    code: str

    def read_facts(self, texts: Sequence[str], *, today: date) -> tuple[FactRead, ...]:
        """Return who the user is; what else is durable is kept in their own words."""
        return profile.read_profile(texts[-1], self.code)

    def time_range(self, text: str, *, now: datetime, zone: ZoneInfo) -> TimeRange | None:
        """Return the time that a question asks about."""
        return time_words.find_time_phrase(text, now=now, zone=zone, language=self.code)

    def since(self, text: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
        """Return when what a statement says became true, if it says so."""
        return time_words.since(text, now=now, zone=zone, language=self.code)

    def event_date(self, text: str, *, now: datetime, zone: ZoneInfo) -> date | None:
        """Return the day of the event that a statement tells of, if that is clear."""
        return time_words.event_date(text, now=now, zone=zone, language=self.code)

    def event_dates(self, text: str, *, now: datetime, zone: ZoneInfo) -> frozenset[date]:
        """Return the days that a text names by day and month."""
        found = self.dates(text, now=now, zone=zone)
        return frozenset(each.start.date() for each in found if each.names_day)

    def dates(self, text: str, *, now: datetime, zone: ZoneInfo) -> list[DateMention]:
        """Return every time that a statement tells, past or to come."""
        return time_words.find_dates(text, now=now, zone=zone, language=self.code)
