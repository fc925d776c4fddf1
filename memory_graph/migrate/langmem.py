"""Read the memories that LangMem keeps in a store's namespace."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from langgraph.store.base import Item
from pydantic import ValidationError

from memory_graph.migrate.incoming import Incoming, misfit, refused, text_of
from memory_graph.records import Fact, Source
from memory_graph.storage.labels import stable_id

READER = "langmem/1"


def read_items(items: Iterable[Item]) -> Incoming:
    """Return the items of one namespace as facts, in the order of their keys.

    LangMem's own `Memory` holds one text; what a custom schema holds is told field by field.
    """
    found = Incoming()
    for item in sorted(items, key=lambda each: each.key):
        found += _read(item)
    return found


def _read(item: Item) -> Incoming:
    statement = _statement(item.value)
    if not statement:
        return refused(item.key, "is no memory of LangMem's: it has no `kind` and `content`")
    place = "/".join(item.namespace)
    made, changed = _in_utc(item.created_at), _in_utc(item.updated_at)
    try:
        fact = Fact(
            id=f"fact-{stable_id('langmem', place, item.key)}",
            statement=statement,
            created_at=made,
            updated_at=changed,
            last_verified_at=changed,
            valid_from=made,
            source=Source(message_ids=(f"langmem:{place}/{item.key}",)),
            extractor=READER,
        )
    except ValidationError as error:
        return misfit(item.key, error)
    return Incoming(facts=(fact,))


def _in_utc(moment: datetime) -> datetime:
    """Return a moment with its zone, which the SQLite store leaves out."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _statement(value: Mapping[str, object]) -> str:
    kind, content = text_of(value, "kind"), value.get("content")
    if isinstance(content, str):
        return content.strip() if kind else ""
    if not kind or not isinstance(content, Mapping):
        return ""
    if kind == "Memory":
        return text_of(content, "content")
    told = (f"{name} is {text_of(content, name)}" for name in content if text_of(content, name))
    listed = ", ".join(told)
    return f"{kind}: {listed}" if listed else ""
