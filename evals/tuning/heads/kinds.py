"""Fit the kinds of outcomes on `cases/outcome_kinds.yaml` and write the weights as data.

Run `python -m evals.tuning.heads.kinds`: no sampling, some seconds. It prints the share of
sentences named right of topics and of frames that the fit had not seen.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import yaml

from evals.harness.runner import CASES
from memory_graph.embedding import load_embedder
from memory_graph.language.heads import KIND_WEIGHTS, OUTCOME_KINDS, SCALE

_RIDGE = 3e-4
_STEPS = 600
_RATE = 0.4
_PARTS = 4
_PLAIN = 5
"""A sentence as people write counts as much as a frame with so many topics."""

_Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Sentence:
    text: str
    kind: int
    frame: int
    topic: int
    is_plain: bool = False


def _sentences() -> list[_Sentence]:
    written = yaml.safe_load((CASES / "outcome_kinds.yaml").read_text(encoding="utf-8"))
    framed = [
        _Sentence(frame.format(topic), OUTCOME_KINDS.index(kind), number, place)
        for kind, by_language in written["kinds"].items()
        for language, frames in by_language.items()
        for number, frame in enumerate(frames)
        for place, topic in enumerate(written["topics"][language])
    ]
    plain = [
        _Sentence(text, OUTCOME_KINDS.index(kind), number, number, is_plain=True)
        for kind, texts in written["plain"].items()
        for number, text in enumerate(texts)
    ]
    return framed + plain * _PLAIN


def _fit(vectors: _Matrix, kinds: npt.NDArray[np.intp]) -> _Matrix:
    """Return the weights of a softmax, every kind counting alike."""
    count = len(OUTCOME_KINDS)
    features = np.hstack([SCALE * vectors, np.ones((len(vectors), 1))])
    wanted = np.eye(count)[kinds]
    share = 1 / np.bincount(kinds, minlength=count)[kinds]
    share = (share / share.sum())[:, None]
    weights, momentum = np.zeros((features.shape[1], count)), 0.0
    for _ in range(_STEPS):
        scores = features @ weights
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        slope = features.T @ ((chances - wanted) * share) + _RIDGE * weights
        momentum = 0.9 * momentum + slope
        weights = weights - _RATE * momentum
    return weights


def _left_out(
    sentences: list[_Sentence],
    vectors: _Matrix,
    by: str,
    counted: npt.NDArray[np.bool_] | None = None,
) -> float:
    """Return the share of the counted sentences named right by fits that had not seen them."""
    kinds = np.array([each.kind for each in sentences])
    among = np.ones(len(sentences), dtype=bool) if counted is None else counted
    right = 0
    for part in range(_PARTS):
        held = np.array([getattr(each, by) % _PARTS == part for each in sentences])
        weights = _fit(vectors[~held], kinds[~held])
        told = held & among
        scores = SCALE * vectors[told] @ weights[:-1] + weights[-1]
        right += int((scores.argmax(axis=1) == kinds[told]).sum())
    return right / int(among.sum())


def main() -> None:
    """Fit, measure and write."""
    sentences = _sentences()
    vectors = np.array(load_embedder("use").embed_sync([each.text for each in sentences]))
    for by in ("topic", "frame"):
        print(f"right on {by}s left out: {_left_out(sentences, vectors, by):.3f}")
    plain = np.array([each.is_plain for each in sentences])
    print(f"right on plain sentences left out: {_left_out(sentences, vectors, 'frame', plain):.3f}")
    weights = _fit(vectors, np.array([each.kind for each in sentences]))
    np.savez_compressed(KIND_WEIGHTS, weights=weights.astype(np.float16))


if __name__ == "__main__":
    main()
