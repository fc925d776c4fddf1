"""What must the store know about one kind of record?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import JsonValue

from memory_graph.records import Record
from memory_graph.storage.documents import Fields

R = TypeVar("R", bound=Record)
Value = Mapping[str, Any]
"""A record as it is stored, not validated yet."""


@dataclass(frozen=True)
class Kind(Generic[R]):
    """What the store must know about one kind of record."""

    label: str
    """Last part of the namespace."""

    name: str
    """What people call one of them."""

    record: type[R]
    record_id: Callable[[R], str]
    text: Callable[[R], str]
    """What is searched for: embedded, and matched word by word."""

    filters: Callable[[R], dict[str, JsonValue]]
    """Flat fields that stores can filter on: equality, or ranges of epoch seconds."""

    fields: Callable[[Value], Fields]
    """What the index knows besides the text, read off the stored value as it is.

    Thousands are read for a few hits, and only hits are validated. May raise `KeyError`,
    `TypeError` or `ValueError` for a value that is none of this kind.
    """


def epoch_of(stored: str) -> float:
    """Return a stored time as seconds since the epoch."""
    return datetime.fromisoformat(stored).timestamp()
