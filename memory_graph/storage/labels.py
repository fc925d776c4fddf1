"""How do a user id and a thread become names that no other user or thread can have?"""

import re
import unicodedata
from hashlib import sha256

_PLAIN = re.compile(r"[A-Za-z0-9@+-]")
_MAX_LABEL = 120


def user_label(user_id: str) -> str:
    """Return `user_id` as a namespace label; different users never share one.

    Stores refuse dots and treat `%` and `_` as wildcards in old versions, so everything
    but plain characters is written as `=XX`, its UTF-8 bytes in hexadecimal. A label that
    would grow too long ends in a hash instead.
    """
    normal = unicodedata.normalize("NFC", user_id)
    label = "".join(c if _PLAIN.fullmatch(c) else _escaped(c) for c in normal)
    if len(label) <= _MAX_LABEL:
        return label
    return f"{label[:48]}~{sha256(normal.encode('utf-8', 'surrogatepass')).hexdigest()}"


def stable_id(*parts: str) -> str:
    """Return the same id for the same parts, so that a retry writes nothing twice."""
    digest = sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(4, "big") + raw)
    return digest.hexdigest()[:32]


def _escaped(character: str) -> str:
    return "".join(f"={byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
