"""How does a vector travel inside a stored value?"""

import base64
from collections.abc import Mapping, Sequence
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


def unpack(value: Mapping[str, object], model: str) -> "Vector | None":
    """Return the vector kept in a stored value, if `model` made it."""
    import numpy as np  # noqa: PLC0415 — importing the package must stay light

    packed = value.get("embedding")
    if not isinstance(packed, Mapping) or packed.get("model") != model:
        return None
    halves = np.frombuffer(base64.b64decode(str(packed["f16"])), dtype="<f2")
    return halves.astype("<f4")
