"""Reads the memories that mem0 exports as JSON."""

from collections.abc import Mapping
from datetime import datetime

from memory_graph.records import FactCategory, Source
from memory_graph.transfer.incoming import (
    Incoming,
    Statement,
    mappings,
    read_moment,
    refused,
    text_of,
)

READER = "mem0/1"

ANOTHER_USER = "belongs to another user"


_CATEGORIES: dict[str, FactCategory] = {
    "personal_details": "profile",
    "family": "profile",
    "health": "health",
    "professional_details": "work",
    "work": "work",
    "food": "preference",
    "music": "preference",
    "entertainment": "preference",
    "user_preferences": "preference",
    "goals": "goal",
}


def read_export(export: object, user_id: str, now: datetime) -> Incoming:
    """Return the memories of one user as statements; those of anybody else are left out.

    Takes the bare list or the object that holds it as `results` or `memories`.
    """
    entries = export
    if isinstance(export, Mapping):
        entries = export.get("results", export.get("memories"))
    found = Incoming()
    for number, entry in enumerate(mappings(entries), 1):
        found += _read(entry, f"{text_of(entry, 'id') or f'entry {number}'}", user_id, now)
    return found


def _read(entry: Mapping[str, object], where: str, user_id: str, now: datetime) -> Incoming:
    statement, owner = text_of(entry, "memory"), text_of(entry, "user_id")
    if not statement or not text_of(entry, "id"):
        return refused(where, "has no id or no text")
    if owner and owner != user_id:
        return refused(where, ANOTHER_USER)
    told = Statement(
        where=where,
        text=statement,
        at=read_moment(entry.get("updated_at")) or read_moment(entry.get("created_at")) or now,
        category=_category(entry.get("categories")),
        source=Source(message_ids=(f"mem0:{where}",)),
        reader=READER,
    )
    return Incoming(statements=(told,))


def _category(categories: object) -> FactCategory:
    named = categories if isinstance(categories, list) else []
    return next((_CATEGORIES[str(each)] for each in named if str(each) in _CATEGORIES), "other")
