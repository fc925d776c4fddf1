"""The texts of the inspector, and how it shows values, days and names."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from memory_graph.language.frames import second_person
from memory_graph.records import Fact, FactVersion

_TEXTS: Mapping[str, object] = json.loads(
    Path(__file__).with_name("texts.json").read_text(encoding="utf-8")
)
"""Every text of the pages, in one place."""


_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
"""Characters that are invisible or change the direction of text."""


LONGEST = 1200
"""Characters of a memory that are shown; its JSON has all of it."""


def say(name: str, **values: object) -> str:
    """Return a text of the pages by its name (`start.title`), filled in.

    Raises:
        KeyError: If there is no such text.
    """
    text: object = _TEXTS
    for part in name.split("."):
        if not isinstance(text, Mapping):
            raise KeyError(name)
        text = text[part]
    if not isinstance(text, str):
        raise KeyError(name)
    return text.format(**values) if values else text


def say_or(name: str, fallback: str) -> str:
    """Return a text by its name, or `fallback` if there is none."""
    try:
        return say(name)
    except KeyError:
        return fallback


def count(name: str, number: int) -> str:
    """Return a number with its noun: `1 fact`, `12 facts`."""
    text = say(f"count.{name}.{'one' if number == 1 else 'other'}", number=f"{number:,}")
    return text if number else say_or(f"count.{name}.none", text)


def spell(reason: str) -> str:
    """Return a reason as a sentence, or its name in words if it has none."""
    return say_or(f"reasons.{reason}", reason.replace("_", " "))


def visible(text: str) -> str:
    """Return text with invisible and direction-changing characters spelled out."""
    return _HIDDEN.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= longest else f"{text[:longest].rstrip()} …"


def shown(text: object, longest: int = LONGEST) -> str:
    """Return a text that is safe to show: cut, with hidden characters spelled out."""
    return visible(shorten(str(text), longest))


def editable(text: str, longest: int) -> str:
    """Return a text for an input field, without invisible characters."""
    return _HIDDEN.sub("", text)[:longest]


@dataclass(frozen=True)
class Days:
    """Moments as people in one zone say them."""

    zone: ZoneInfo
    today: date

    def day(self, moment: datetime | date | None) -> str:
        """Return the local day of a moment: `16 Nov 2026`; without the year if it is this one."""
        if moment is None:
            return ""
        day = moment.astimezone(self.zone).date() if isinstance(moment, datetime) else moment
        year = f" {day.year}" if day.year != self.today.year else ""
        return f"{day.day} {day:%B}{year}"

    def moment(self, moment: datetime) -> str:
        """Return a moment with its time of day: `16 November, 09:30`."""
        local = moment.astimezone(self.zone)
        return f"{self.day(moment)}, {local:%H:%M}"

    def short(self, moment: datetime) -> str:
        """Return the local day of a moment in short: `16 Nov`."""
        day = self.local(moment)
        year = f" {day.year}" if day.year != self.today.year else ""
        return f"{day.day} {day:%b}{year}"

    def time(self, moment: datetime) -> str:
        """Return the local time of day."""
        return f"{moment.astimezone(self.zone):%H:%M}"

    def heading(self, day: date) -> str:
        """Return a day as a heading: `Monday, 16 November`, or `Today, 16 November`."""
        ago = (self.today - day).days
        return say_or(f"days.{ago}", "{weekday}, {day}").format(
            weekday=f"{day:%A}", day=self.day(day)
        )

    def local(self, moment: datetime) -> date:
        """Return the local day of a moment."""
        return moment.astimezone(self.zone).date()


def fact_label(fact: Fact) -> str:
    """Return what a fact is about, as a heading: `Luna (cat) · age`, `Daughter`, `City`."""
    if _taste(fact):
        return say(f"taste.{fact.value}")
    about = "" if fact.entity == "user" else fact.entity
    if about and fact.entity_kind and fact.attribute == "name":
        return capital(fact.entity_kind)
    kind = f" ({fact.entity_kind})" if fact.entity_kind and about else ""
    attribute = re.sub(r"[_:-]+", " ", fact.attribute or "")
    return capital(" · ".join(filter(None, (about + kind, attribute))))


def capital(text: str) -> str:
    """Return words with a capital first letter; a name in kebab-case is split into words."""
    words = text.replace("-", " ") if re.fullmatch(r"[\w-]+", text) else text
    return words[:1].upper() + words[1:]


def _taste(fact: Fact) -> str:
    """Return what a taste is about: `coriander`."""
    head, _, rest = (fact.attribute or "").partition(":")
    return rest.replace("-", " ") if head == "taste" and fact.value in {"like", "dislike"} else ""


def fact_value(version: Fact | FactVersion) -> str:
    """Return the value of a fact for large print, or its sentence if it has no value."""
    liked = _taste(version) if isinstance(version, Fact) else ""
    return liked or version.value or fact_sentence(version)


def fact_sentence(version: Fact | FactVersion) -> str:
    """Return what a fact says, in the second person."""
    if isinstance(version, Fact) and version.own_words:
        return version.statement
    return second_person(version.statement)
