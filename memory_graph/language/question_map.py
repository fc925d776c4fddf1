"""Turn the meaning of a question towards that of the statements that answer it."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

WEIGHTS = Path(__file__).parent / "data" / "question_map.npz"
"""Written by `python -m evals.tuning.question_map`, which also says what it gains."""


def towards_answers(vector: Sequence[float]) -> list[float]:
    """Return where the answers to a question lie, given its vector from the embedder `use`.

    `Which city am I in now?` shares neither words nor much meaning with `just moved to Glasgow`;
    what questions and their answers differ by is much the same for all of them.
    """
    reads, adds = _weights()
    asked = np.asarray(vector, dtype=np.float32)
    answer = asked + adds @ (asked @ reads)
    return [float(each) for each in answer / np.linalg.norm(answer)]


@cache
def _weights() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    with np.load(WEIGHTS) as stored:
        return stored["reads"].astype(np.float32), stored["adds"].astype(np.float32)
