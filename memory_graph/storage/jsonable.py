"""Which values can every store and checkpointer keep?"""

import math
import re
from collections.abc import Mapping
from datetime import date, datetime

from pydantic import JsonValue

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def to_jsonable(value: object) -> JsonValue:
    """Return `value` as JSON that Postgres takes too.

    NUL characters and lone surrogates become U+FFFD, NaN and infinity become null;
    the in-memory store would accept them all and hide the mistake.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {clean_text(str(key)): to_jsonable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_jsonable(inner) for inner in value]
    return clean_text(str(value))


def clean_text(text: str) -> str:
    """Return `text` without the characters that a JSONB column refuses."""
    return _UNSTORABLE.sub(_REPLACEMENT, text)
