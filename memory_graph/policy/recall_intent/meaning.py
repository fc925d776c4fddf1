"""Does a message mean what questions about the past mean? Its vector tells."""

import base64
import math
import struct
from collections.abc import Sequence
from functools import cache
from operator import mul

from memory_graph.policy.recall_intent.directions import DIRECTIONS

_HALF_FLOAT = 2


def weigh_meaning(vector: Sequence[float] | None, embedder: str) -> float | None:
    """Return the log-odds that a message with this vector asks to look back.

    Nothing for an embedder whose vectors nobody has looked at: their directions mean other things.
    """
    if vector is None or embedder not in DIRECTIONS:
        return None
    bias, direction = _direction(embedder)
    return bias + math.fsum(map(mul, vector, direction))


@cache
def _direction(embedder: str) -> tuple[float, tuple[float, ...]]:
    bias, packed = DIRECTIONS[embedder]
    halves = base64.b64decode(packed)
    return bias, struct.unpack(f"<{len(halves) // _HALF_FLOAT}e", halves)
