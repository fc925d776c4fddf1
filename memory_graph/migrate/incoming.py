"""What was found in somebody else's memory, and what of it could not be read?"""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from memory_graph.records import Episode, Fact, Pattern


@dataclass(frozen=True)
class Unusable:
    """Something that became no record, and why."""

    where: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """Records with ids that depend on nothing but what they were made from."""

    facts: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    unusable: tuple[Unusable, ...] = ()

    def __add__(self, other: "Incoming") -> "Incoming":
        """Return both together."""
        return Incoming(
            facts=self.facts + other.facts,
            episodes=self.episodes + other.episodes,
            patterns=self.patterns + other.patterns,
            unusable=self.unusable + other.unusable,
        )


def refused(where: str, reason: str) -> Incoming:
    """Return one thing that could not be used."""
    return Incoming(unusable=(Unusable(where, reason),))


def misfit(where: str, error: ValidationError) -> Incoming:
    """Return one thing whose fields do not fit, named without their values."""
    places = (".".join(map(str, each["loc"])) or "record" for each in error.errors())
    return refused(where, f"does not fit: {', '.join(dict.fromkeys(places))}")


def text_of(entry: Mapping[str, object], name: str) -> str:
    """Return a field as text, empty where it is missing."""
    value = entry.get(name)
    return str(value).strip() if value is not None else ""


def mappings(value: object) -> list[Mapping[str, object]]:
    """Return the entries of a list that have named fields."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
