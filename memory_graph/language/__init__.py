"""How a text is read by the rules of its language; what the heads read needs none."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memory_graph.language import times
from memory_graph.language.times import DateMention, TimeRange
from memory_graph.language.words import DEFAULT, language_of
from memory_graph.records import FactRead

_BEGINNING = 8
"""Characters before which a word for a person is the subject: `my mum`."""


@dataclass(frozen=True)
class Language:
    """A language: English by rules and a grammar, another one by its tables alone."""

    code: str
    """Two letters."""

    def read_facts(self, texts: Sequence[str]) -> tuple[FactRead, ...]:
        """Return the facts with keys in the last of `texts`; the others only tell who `she` is.

        In every language they say who the user is. What else is durable is kept in the user's own
        words.
        """
        from memory_graph.language import profile  # noqa: PLC0415 — brings the rules for facts
        from memory_graph.language.english.facts.reader import read_facts  # noqa: PLC0415

        read = read_facts(texts) if self.code == DEFAULT else ()
        known = {each.candidate.attribute for each in read if each.candidate.entity == "user"}
        more = profile.read_profile(texts[-1], self.code)
        return (*read, *(each for each in more if each.candidate.attribute not in known))

    def begins_with_another(self, text: str) -> bool:
        """Say whether a text begins with a person who is not the speaker: `my mum`, `he's 6`.

        Only English is told by its words: in other languages `el` and `il` are such, and more.
        """
        from memory_graph.language.supersession import cues_in  # noqa: PLC0415 — numpy

        places = cues_in(text, self.code).get("others", ()) if self.code == DEFAULT else ()
        return any(at < _BEGINNING for at in places)

    def time_range(self, text: str, *, now: datetime, zone: ZoneInfo) -> TimeRange | None:
        """Return the time that a question asks about."""
        return times.find_time_phrase(text, now=now, zone=zone, language=self.code)

    def since(self, text: str, *, now: datetime, zone: ZoneInfo) -> datetime | None:
        """Return when what a statement says became true, if it says so."""
        return times.since(text, now=now, zone=zone, language=self.code)

    def dates(self, text: str, *, now: datetime, zone: ZoneInfo) -> list[DateMention]:
        """Return every time that a statement tells, past or to come."""
        return times.find_dates(text, now=now, zone=zone, language=self.code)

    def event_dates(self, text: str, *, now: datetime, zone: ZoneInfo) -> frozenset[date]:
        """Return the days that a text names by day and month."""
        found = self.dates(text, now=now, zone=zone)
        return frozenset(each.start.date() for each in found if each.names_day)

    def event_date(self, text: str, *, now: datetime, zone: ZoneInfo) -> date | None:
        """Return the day of the event that a statement tells of, if that is clear."""
        return times.event_date(text, now=now, zone=zone, language=self.code)


def language_for(text: str) -> Language:
    """Return the language of a text."""
    return Language(language_of(text))
