"""What does a record look like inside a stored value, and what is read back from it?"""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from langgraph.store.base import Item
from pydantic import JsonValue, ValidationError

from memory_graph.embeddings import Embedder
from memory_graph.records import Record
from memory_graph.storage.documents import Document
from memory_graph.storage.jsonable import to_jsonable
from memory_graph.storage.kinds import Kind
from memory_graph.storage.vectors import pack, unpack

logger = logging.getLogger(__name__)
R = TypeVar("R", bound=Record)


def encode(
    kind: Kind[R], record: R, now: datetime, embedding: dict[str, JsonValue] | None
) -> dict[str, JsonValue]:
    """Return the value that keeps a record, with what stores filter on and the index reads."""
    value = to_jsonable(
        {
            **record.model_dump(mode="json"),
            **kind.filters(record),
            "text": kind.text(record),
            "written_epoch": int(now.timestamp()),
        }
    )
    assert isinstance(value, dict)
    return value if embedding is None else {**value, "embedding": embedding}


def embedding_of(vector: list[float] | None, embedder: Embedder) -> dict[str, JsonValue] | None:
    """Return a vector as values keep it."""
    return None if vector is None else pack(vector, embedder.name)


def decode(kind: Kind[R], item: Item) -> R | None:
    """Return the record an item keeps; an unreadable one costs itself and a warning."""
    try:
        return kind.record.model_validate(item.value)
    except ValidationError as error:
        _warn(kind, error.error_count())
        return None


def documents(kind: Kind[R], items: Sequence[Item], embedder: Embedder) -> Iterable[Document]:
    """Yield what the index needs of each item; an unreadable one costs itself and a warning."""
    vectors = unpack([item.value for item in items], embedder.name, embedder.dims)
    for item, vector in zip(items, vectors, strict=True):
        try:
            fields = kind.fields(item.value)
            text = str(item.value["text"])
        except (KeyError, TypeError, ValueError, OverflowError):
            _warn(kind, 1)
        else:
            yield Document(key=item.key, text=text, vector=vector, **fields)


def _warn(kind: Kind[R], problems: int) -> None:
    logger.warning(
        "Skipping an unreadable %s (%d problems); `memory-graph validate` lists them.",
        kind.name,
        problems,
    )
