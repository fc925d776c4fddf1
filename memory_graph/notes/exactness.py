"""What can the readable part of a note not carry, and did somebody edit it since?

A lesson that spans two lines, or a decision whose words look like a heading, reads
differently than it was written. The exact value then goes into the front matter together
with a mark of how the readable part was read: once that changes, a person edited it, and
what they wrote counts.
"""

import json
from collections.abc import Mapping
from hashlib import sha256

from pydantic import JsonValue, ValidationError

from memory_graph.errors import NoteError
from memory_graph.records import Record

EXACT = "exact"


def keep_exact(written: Record, read: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return front matter for those fields in `read` that do not say what was written."""
    dumped = written.model_dump(mode="json")
    lossy: dict[str, JsonValue] = {
        field: {"read_as": _mark(said), "value": dumped[field]}
        for field, said in read.items()
        if not _says(written, field, said)
    }
    return {EXACT: lossy} if lossy else {}


def restore(read: Mapping[str, JsonValue], matter: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the readable fields, exact again where nobody edited them.

    Raises:
        NoteError: If the front matter's `exact` was tampered with.
    """
    exact = matter.get(EXACT, {})
    if not isinstance(exact, Mapping):
        raise NoteError("`exact` in the front matter is not a list of `name: value`.")
    fields = dict(read)
    for field, kept in exact.items():
        if isinstance(kept, Mapping) and kept.get("read_as") == _mark(read.get(field)):
            fields[field] = kept.get("value")
    return fields


def _says(written: Record, field: str, said: JsonValue) -> bool:
    try:
        read = type(written).model_validate({**written.model_dump(mode="json"), field: said})
    except ValidationError:
        return False
    return read == written


def _mark(said: JsonValue) -> str:
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]
