"""The protocol `Language`, by which callers read text without knowing its language."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from memory_graph.language.times import DateMention, TimeRange
from memory_graph.language.words import DEFAULT, language_of
from memory_graph.records import FactRead


class Language(Protocol):
    """What is read by rules of one language; what the heads read needs none."""

    @property
    def code(self) -> str:
        """The two-letter code of the language."""
        ...

    def read_facts(self, texts: Sequence[str], *, today: date) -> tuple[FactRead, ...]:
        """Return the facts with keys in the last of `texts`; the others only tell who `she` is."""
        ...

    def time_range(self, text: str, *, now: datetime, zone: ZoneInfo) -> TimeRange | None:
        """Return the time that a question asks about."""
        ...

    def since(self, text: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
        """Return when what a statement says became true, if it says so."""
        ...

    def dates(self, text: str, *, now: datetime, zone: ZoneInfo) -> list[DateMention]:
        """Return every time that a statement tells, past or to come."""
        ...

    def event_dates(self, text: str, *, now: datetime, zone: ZoneInfo) -> frozenset[date]:
        """Return the days that a text names by day and month."""
        ...

    def event_date(self, text: str, *, now: datetime, zone: ZoneInfo) -> date | None:
        """Return the day of the event that a statement tells of, if that is clear."""
        ...


def language_for(text: str) -> Language:
    """Return the rules for a text: English ones, or those that hold for any language."""
    code = language_of(text)
    if code == DEFAULT:
        from memory_graph.language.english.english import English  # noqa: PLC0415 — a grammar

        return English()
    from memory_graph.language.neutral import Neutral  # noqa: PLC0415

    return Neutral(code)
