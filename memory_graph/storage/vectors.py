"""How does a vector travel inside a stored value?"""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import JsonValue

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]


def pack(vector: Sequence[float], model: str) -> dict[str, JsonValue]:
    """Return a vector as a small JSON value that names the embedder it came from."""
    import numpy as np  # noqa: PLC0415 — importing the package must stay light

    halves = np.asarray(vector, dtype="<f2")
    return {"model": model, "f16": base64.b64encode(halves.tobytes()).decode("ascii")}


def unpack(values: Iterable[Mapping[str, object]], model: str, dims: int) -> "list[Vector | None]":
    """Return the vector kept in each stored value, or nothing where `model` made none of `dims`."""
    import numpy as np  # noqa: PLC0415 — importing the package must stay light

    packed = [_halves(value.get("embedding"), model, dims) for value in values]
    known = b"".join(halves for halves in packed if halves)
    vectors = iter(np.frombuffer(known, dtype="<f2").astype("<f4").reshape(-1, dims))
    return [next(vectors) if halves else None for halves in packed]


def _halves(packed: object, model: str, dims: int) -> bytes:
    """Return the bytes of a vector; none if it is another model's, of another length or broken."""
    if not isinstance(packed, dict) or packed.get("model") != model:
        return b""
    try:
        halves = binascii.a2b_base64(packed["f16"])
    except (KeyError, TypeError, ValueError):
        return b""
    return halves if len(halves) == 2 * dims else b""
