"""Reads the memories that LangMem keeps in a store's namespace."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from langgraph.store.base import Item

from memory_graph.records import Source
from memory_graph.transfer.incoming import (
    Incoming,
    Statement,
    mappings,
    read_moment,
    refused,
    text_of,
)

READER = "langmem/1"


def read_items(items: Iterable[Item]) -> Incoming:
    """Return the items of one namespace as statements, in the order of their keys.

    LangMem's own `Memory` holds one text; what a custom schema holds is told field by field.
    """
    found = Incoming()
    for item in sorted(items, key=lambda each: each.key):
        found += _read(item)
    return found


def read_dump(dump: object, now: datetime) -> Incoming:
    """Return the items of a store that somebody wrote to a file as JSON, as facts.

    Takes what LangGraph's store API returns: a list of items, or an object with `items`.
    """
    entries = dump.get("items") if isinstance(dump, Mapping) else dump
    return read_items(_item(entry, number, now) for number, entry in enumerate(mappings(entries)))


def _item(entry: Mapping[str, object], number: int, now: datetime) -> Item:
    value, namespace = entry.get("value"), entry.get("namespace")
    return Item(
        value=dict(value) if isinstance(value, Mapping) else dict(entry),
        key=text_of(entry, "key") or f"item {number + 1}",
        namespace=tuple(map(str, namespace)) if isinstance(namespace, list) else (),
        created_at=read_moment(entry.get("created_at")) or now,
        updated_at=read_moment(entry.get("updated_at")) or now,
    )


def _read(item: Item) -> Incoming:
    told = _statements(item.value)
    if not told:
        return refused(item.key, "is no memory of LangMem's: it has no `kind` and `content`")
    place = "/".join(item.namespace)
    statements = (
        Statement(
            where=item.key,
            text=text,
            at=_in_utc(item.updated_at),
            source=Source(message_ids=(f"langmem:{place}/{item.key}{field}",)),
            reader=READER,
        )
        for field, text in told.items()
    )
    return Incoming(statements=tuple(statements))


def _in_utc(moment: datetime) -> datetime:
    """Return a moment with its zone, which the SQLite store leaves out."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _statements(value: Mapping[str, object]) -> dict[str, str]:
    """Return what an item tells: one text, or one for each field of a custom schema."""
    kind, content = text_of(value, "kind"), value.get("content")
    if not kind:
        return {}
    if isinstance(content, str):
        return {"": content.strip()} if content.strip() else {}
    if not isinstance(content, Mapping):
        return {}
    if kind == "Memory":
        text = text_of(content, "content")
        return {"": text} if text else {}
    named = {str(name): text_of(content, name) for name in content}
    return {
        f"#{name}": f"{name.replace('_', ' ').capitalize()} is {text}"
        for name, text in named.items()
        if text
    }
