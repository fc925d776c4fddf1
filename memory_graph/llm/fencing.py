"""How is untrusted text quoted to a model so that it cannot step out of the quotation?"""

import re
from collections.abc import Iterable
from hashlib import sha256

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def fence(label: str, lines: Iterable[str]) -> str:
    """Return `lines` between marks that no line can contain.

    The mark is a hash of what it encloses, so a text that holds its own mark would have
    to contain its own hash.
    """
    body = "\n".join(lines)
    mark = f"{label}-{sha256(body.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return f"<{mark}>\n{body}\n</{mark}>"


def one_line(text: str, limit: int) -> str:
    """Return text on one line, without control characters, cut at `limit` characters."""
    flat = " ".join(_CONTROL.sub(" ", text).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"
