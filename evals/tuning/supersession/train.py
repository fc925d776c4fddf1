"""How are the weights of the judge of corrections found?

Run `python -m evals.tuning.supersession.train` to fit them on `evals/cases/supersession.jsonl`,
`supersession_talks.jsonl` and the older pair files, without the sealed fifth, and to write
`memory_graph/language/data/supersession.json`. Deterministic.
"""

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.tuning.supersession.cases import (
    FOLDS,
    PAST,
    Candidate,
    Case,
    english_texts,
    load_cases,
    vectors_of,
)
from memory_graph.language.supersession import Direction, Utterance, Vector, features_of
from memory_graph.language.words import terms_of

Matrix = NDArray[np.float64]

TARGET = Path("memory_graph/language/data/supersession.json")
THRESHOLD = 0.55
"""With `_CORRECTS` and `_CORRECTED` of `facts/writing.py`: see the points in the report."""

FEATURE_RIDGE, VECTOR_RIDGE = 2.0, 8.0
PARTS = 60
"""Principal directions kept of each block of vectors; folded back into one direction."""

LATER_HANDS = ("tn-", "tb-", "tc-")
LATER_COST = 0.4
"""There are three times as many conversations of the later hands, and more traps in them. Compared
with a cost of 1 alone: the same in the sealed conversations, fewer corrections lost in others."""

STEPS = 14
NEW_SCALE, PRODUCT_SCALE = 4.0, 60.0
COMMON = 5
"""A stem in more texts than this counts less than 1."""


@dataclass(frozen=True)
class Row:
    """One candidate of one case, with what is known of it."""

    case: Case
    candidate: Candidate
    features: Mapping[str, float]
    old: Vector
    new: Vector

    @property
    def cost(self) -> float:
        """What a mistake here counts: conversations are like life, pairs are near misses."""
        if self.case.source.endswith("talks"):
            cost = 2.0 if self.case.source == "talks" else 1.0
            return LATER_COST * cost if self.case.key.startswith(LATER_HANDS) else cost
        return 0.5 if self.candidate.drawn else 0.6


@dataclass(frozen=True)
class Basis:
    """The features by name, and the directions that vectors are read along."""

    names: tuple[str, ...]
    single: Matrix
    product: Matrix

    def design(self, rows: Sequence[Row]) -> Matrix:
        """Return one line of numbers per row, the bias first."""
        old = np.stack([row.old for row in rows])
        new = np.stack([row.new for row in rows])
        named = [[row.features.get(name, 0.0) for name in self.names] for row in rows]
        blocks = [new @ self.single.T, old @ self.single.T, (new * old) @ self.product.T]
        scaled = [blocks[0] * NEW_SCALE, blocks[1] * NEW_SCALE, blocks[2] * PRODUCT_SCALE]
        return np.hstack([np.ones((len(rows), 1)), np.array(named), *scaled])

    def direction(self, weights: Matrix) -> Direction:
        """Return fitted weights as a direction among features and vectors."""
        count = len(self.names)
        new, old, product = np.split(weights[1 + count :], 3)
        return Direction(
            float(weights[0]),
            dict(zip(self.names, map(float, weights[1 : 1 + count]), strict=True)),
            (new @ self.single * NEW_SCALE).astype(np.float32),
            (old @ self.single * NEW_SCALE).astype(np.float32),
            (product @ self.product * PRODUCT_SCALE).astype(np.float32),
        )


def count_rarity(cases: Sequence[Case]) -> dict[str, float]:
    """Return how much each common stem counts when shared, by how many texts it is in."""
    texts = {(text, case.language) for case in cases for text in (case.new, case.olds[0].text)}
    texts |= {(text, "en") for text in english_texts()}
    counts = Counter(
        stem for text in sorted(texts) for stem in {term.stem for term in terms_of(*text)}
    )
    return {
        stem: round(1 / (1 + 0.5 * log(count / COMMON)), 2)
        for stem, count in sorted(counts.items())
        if count > COMMON
    }


def build_rows(cases: Sequence[Case], rarity: Mapping[str, float]) -> list[Row]:
    """Return every candidate with its features."""
    rows = []
    for case in cases:
        olds = vectors_of([candidate.text for candidate in case.olds])
        new = vectors_of([case.new])[0]
        said = [
            Utterance(each.text, vector, each.just_said)
            for each, vector in zip(case.olds, olds, strict=True)
        ]
        features = features_of(said, Utterance(case.new, new), rarity)
        rows += [
            Row(case, candidate, found, old, new)
            for candidate, found, old in zip(case.olds, features, olds, strict=True)
        ]
    return rows


def build_basis(rows: Sequence[Row]) -> Basis:
    """Return the names of features and the principal directions of vectors and products."""
    new = np.stack([row.new for row in rows])
    product = np.stack([row.new * row.old for row in rows])
    names = tuple(sorted({name for row in rows for name in row.features}))
    return Basis(names, _principal(new), _principal(product))


def fit(basis: Basis, rows: Sequence[Row], kinds: frozenset[str]) -> Direction:
    """Fit what tells the rows of `kinds` from the others: ridge logistic regression by IRLS."""
    design = basis.design(rows)
    labels = np.array([row.candidate.kind in kinds for row in rows], dtype=float)
    costs = np.array([row.cost for row in rows])
    ridge = np.full(design.shape[1], VECTOR_RIDGE)
    ridge[: 1 + len(basis.names)] = FEATURE_RIDGE
    ridge[0] = 1e-6
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        curve = (design * (costs * odds * (1 - odds) + 1e-9)[:, None]).T @ design
        slope = design.T @ (costs * (labels - odds)) - ridge * weights
        weights += np.linalg.solve(curve + np.diag(ridge), slope)
    return basis.direction(weights)


def score(direction: Direction, rows: Sequence[Row]) -> Matrix:
    """Return the probability of each row."""
    return np.array([direction.probability(row.features, row.old, row.new) for row in rows])


def held_out_scores(rows: Sequence[Row]) -> Matrix:
    """Return the probability of being past of each row, by weights that have not seen its case."""
    scores = np.zeros(len(rows))
    folds = np.array([row.case.fold for row in rows])
    for fold in range(FOLDS):
        seen = [row for row, number in zip(rows, folds, strict=True) if number != fold]
        unseen = [row for row, number in zip(rows, folds, strict=True) if number == fold]
        scores[folds == fold] = score(fit(build_basis(seen), seen, PAST), unseen)
    return scores


def train() -> dict[str, Any]:
    """Return the content of the data file."""
    cases = [case for case in load_cases() if not case.is_sealed]
    rarity = count_rarity(cases)
    rows = build_rows(cases, rarity)
    basis = build_basis(rows)
    past = [row for row in rows if row.candidate.kind in PAST]
    present = [row for row in rows if row.candidate.kind not in PAST]
    return {
        "written by": "python -m evals.tuning.supersession.train",
        "threshold": THRESHOLD,
        "past": _as_text(fit(basis, rows, PAST)),
        "ends": _as_text(fit(basis, past, frozenset({"ends"}))),
        "same": _as_text(fit(basis, present, frozenset({"same"}))),
        "rarity": rarity,
    }


def _principal(rows: NDArray[np.float32]) -> Matrix:
    centred = rows - rows.mean(axis=0)
    _, directions = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    return np.asarray(directions[:, ::-1][:, :PARTS].T)


def _as_text(direction: Direction) -> dict[str, Any]:
    vectors = {
        part: base64.b64encode(getattr(direction, part).astype(np.float16).tobytes()).decode()
        for part in ("new", "old", "product")
    }
    weights = {name: round(weight, 3) for name, weight in direction.weights.items()}
    return {"bias": round(direction.bias, 4), "weights": weights, **vectors}


if __name__ == "__main__":
    TARGET.write_text(json.dumps(train(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {TARGET}.")
