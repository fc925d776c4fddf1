"""Records read from elsewhere, and the reason for each one that is refused."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from pydantic import ValidationError

from memory_graph.keys import unkeyed_id
from memory_graph.records import Episode, Fact, FactCategory, Pattern, Record, SecretKind, Source
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import holds_secret


@dataclass(frozen=True)
class Unusable:
    """Something that could not become a record, and why."""

    where: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement by another program, which is admitted as if the user had said it."""

    where: str
    text: str
    at: datetime
    category: FactCategory = "other"
    source: Source
    reader: str


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """Records whose ids depend only on what they were made from."""

    episodes: tuple[Episode, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    statements: tuple[Statement, ...] = ()
    unusable: tuple[Unusable, ...] = ()
    unedited: frozenset[str] = frozenset()
    """Ids of unedited records that memory itself exported; they hold nothing newer."""

    def __add__(self, other: "Incoming") -> "Incoming":
        """Return both together."""
        return Incoming(
            episodes=self.episodes + other.episodes,
            patterns=self.patterns + other.patterns,
            statements=self.statements + other.statements,
            unusable=self.unusable + other.unusable,
            unedited=self.unedited | other.unedited,
        )


def as_facts(statements: Sequence[Statement]) -> tuple[Fact, ...]:
    """Return statements as facts, not compared with anything, for an audit."""
    return tuple(
        Fact(
            id=unkeyed_id(each.reader, *each.source.message_ids),
            statement=each.text,
            category=each.category,
            created_at=each.at,
            updated_at=each.at,
            last_verified_at=each.at,
            valid_from=each.at,
            source=each.source,
            extractor=each.reader,
        )
        for each in statements
    )


def refused(where: str, reason: str) -> Incoming:
    """Return one thing that could not be used."""
    return Incoming(unusable=(Unusable(where, reason),))


def misfit(where: str, error: ValidationError) -> Incoming:
    """Return one thing whose fields are invalid, named without their values."""
    places = (".".join(map(str, each["loc"])) or "record" for each in error.errors())
    return refused(where, f"does not fit: {', '.join(dict.fromkeys(places))}")


def text_of(entry: Mapping[str, object], name: str) -> str:
    """Return a field as text, empty where it is missing."""
    value = entry.get(name)
    return str(value).strip() if value is not None else ""


def mappings(value: object) -> list[Mapping[str, object]]:
    """Return the entries of a list that have named fields."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def read_moment(value: object) -> datetime | None:
    """Return a day or a time as a moment; without a zone it is taken as UTC.

    Nothing is returned for an empty value or one that is no time.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    elif isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)  # noqa: DTZ001 — given below
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


SECRET = "holds a secret, which is never kept"
ORDER = "gives an order or claims a right, which is no fact"


def refusal(record: Record, sensitive: Collection[SecretKind]) -> str | None:
    """Return why a fact is refused, if it is."""
    if not isinstance(record, Fact):
        return None
    text = f"{record.statement} {record.value or ''}"
    if holds_secret(text, sensitive):
        return SECRET
    return ORDER if is_instruction(text) else None
