"""Labels: how users are named in namespaces."""

import re
from functools import lru_cache
from hashlib import sha256

from memory_graph.store.gateway import Gateway

_PLAIN = re.compile(r"[A-Za-z0-9@+-]")

_MAX_LABEL = 120


@lru_cache(maxsize=4096)
def user_label(user_id: str) -> str:
    """Return `user_id` as a namespace label; different users never share one.

    Stores refuse dots and treat `%` and `_` as wildcards in old versions, so everything
    but plain characters is written as `=XX`, its UTF-8 bytes in hexadecimal. A label that
    would grow too long ends in a hash instead.
    """
    label = "".join(c if _PLAIN.fullmatch(c) else _escaped(c) for c in user_id)
    if len(label) <= _MAX_LABEL:
        return label
    return f"{label[:48]}~{sha256(user_id.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _escaped(character: str) -> str:
    return "".join(f"={byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


ROOT = "memories"


_PAGE = 1000


async def labels_of(gateway: Gateway) -> list[str]:
    """Return the labels of everybody who has memories, sorted."""
    labels: set[str] = set()
    offset = 0
    while page := await gateway.namespaces((ROOT,), depth=2, limit=_PAGE, offset=offset):
        labels |= {namespace[1] for namespace in page if len(namespace) > 1}
        offset += _PAGE
    return sorted(labels)
