"""How are the weights of recall intent found: those of its features, and those of a vector?

Run `python -m evals.train_recall_intent` to fit both on the tune split and the practice cases and
write `weights.py` and `directions.py` of `memory_graph/policy/recall_intent/`. Deterministic: no
sampling, fixed start. `memory-graph tune --what intent` then searches the threshold.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from evals.recall_intent import Utterance, load_practice, load_utterances
from memory_graph.embeddings import load_embedder
from memory_graph.policy.recall_intent import detect_recall_intent, directions, weights
from memory_graph.policy.recall_intent.detection import is_reckoned, undecided_questions
from memory_graph.policy.recall_intent.features import FEATURE_NAMES, find_features

Vector = NDArray[np.float64]

RIDGE = 0.5
"""Keeps the weights of rare features small; chosen by cross-validation on the tune split."""

FALSE_ALARM_COST = 1.5
"""A false alarm counts as this many misses: ordinary turns must not pay."""

PRACTICE_COST = 0.3
"""What a mistake on a practice case counts beside one on the tune split: near misses are rarer
in life than in that file. Chosen by cross-validation on the tune split."""

EMBEDDER = "use"
DIRECTION_RIDGE = 1.0
"""Keeps the direction general: 512 weights are fitted on a few thousand messages."""

STEPS = 50
DIRECTION_HEADER = (
    '"""Where do questions about the past lie among an embedder\'s vectors?\n\n'
    "Written by `python -m evals.train_recall_intent`: a bias, and a direction as half floats.\n"
    '"""\n\n'
)
HEADER = (
    '"""How much does each feature count? Written by `python -m evals.train_recall_intent`."""\n\n'
)


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The questions that the cues leave undecided: features, labels, and what a mistake costs."""

    features: Vector
    labels: Vector
    costs: Vector

    def where(self, chosen: NDArray[np.bool_]) -> "Rows":
        """Return the chosen rows."""
        return Rows(
            features=self.features[chosen], labels=self.labels[chosen], costs=self.costs[chosen]
        )


def collect_rows(tune: list[Utterance], practice: list[Utterance]) -> Rows:
    """Return the rows of `tune`, then those of `practice`."""
    rows, labels, costs = [], [], []
    weighed = [*((each, 1.0) for each in tune), *((each, PRACTICE_COST) for each in practice)]
    for utterance, cost in weighed:
        for question in undecided_questions(utterance.text):
            found = find_features(question.asked, question.lead_in)
            rows.append([1.0, *(float(name in found) for name in FEATURE_NAMES)])
            labels.append(float(utterance.is_recall))
            costs.append(cost * (1.0 if utterance.is_recall else FALSE_ALARM_COST))
    return Rows(features=np.array(rows), labels=np.array(labels), costs=np.array(costs))


def fit(rows: Rows, ridge: float = RIDGE) -> Vector:
    """Return bias and weights of a ridge logistic regression, by Newton's method."""
    penalty = ridge * np.eye(rows.features.shape[1])
    penalty[0, 0] = 1e-3
    coefficients = np.zeros(rows.features.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-rows.features @ coefficients))
        gradient = rows.features.T @ (rows.costs * (chance - rows.labels)) + penalty @ coefficients
        spread = rows.costs * chance * (1 - chance)
        curvature = (rows.features.T * spread) @ rows.features + penalty
        coefficients -= np.linalg.solve(curvature, gradient)
    return coefficients


def cross_validate(rows: Rows, tune_rows: int, ridge: float, folds: int = 5) -> float:
    """Return the share of the first `tune_rows` decided correctly when left out of the fit."""
    position = np.arange(len(rows.labels))
    right = 0
    for fold in range(folds):
        is_left_out = (position % folds == fold) & (position < tune_rows)
        coefficients = fit(rows.where(position % folds != fold), ridge)
        left_out = rows.where(is_left_out)
        right += int(((left_out.features @ coefficients > 0) == left_out.labels).sum())
    return right / tune_rows


def fit_direction(vectors: Vector, utterances: Sequence[Utterance], practice: int) -> Vector:
    """Return bias and weights over vectors; the last `practice` messages count less."""
    costs = np.ones(len(utterances))
    costs[len(utterances) - practice :] = PRACTICE_COST
    rows = Rows(
        features=np.column_stack([np.ones(len(vectors)), vectors]),
        labels=np.array([float(each.is_recall) for each in utterances]),
        costs=costs,
    )
    return fit(rows, DIRECTION_RIDGE)


def score_left_out(folds: int = 5) -> dict[str, float]:
    """Return how sure each message of the tune split is a recall, by fits that did not see it.

    What weights make of the messages they were fitted on says nothing about a threshold.
    """
    tune, practice = load_utterances("tune"), load_practice()
    vectors = embed([each.text for each in (*tune, *practice)])
    place = np.arange(len(vectors))
    scores = {}
    for fold in range(folds):
        seen = (place % folds != fold) | (place >= len(tune))
        known = [each for at, each in enumerate((*tune, *practice)) if seen[at]]
        direction = fit_direction(vectors[seen], known, len(practice))
        words = fit(collect_rows(known[: -len(practice)], practice))
        for at in range(fold, len(tune), folds):
            meaning = float(direction[0] + vectors[at] @ direction[1:])
            scores[tune[at].id] = _score(tune[at], words, meaning)
    return scores


def _score(utterance: Utterance, words: Vector, meaning: float) -> float:
    questions = undecided_questions(utterance.text)
    if not questions or any(is_reckoned(each) for each in questions):
        return detect_recall_intent(utterance.text).score
    told = (collect_rows([utterance], []).features @ words).max()
    return float(1 / (1 + np.exp(-told - meaning)))


def embed(texts: Sequence[str]) -> Vector:
    """Return the vectors of texts, by the embedder in the package."""
    return np.array(load_embedder(EMBEDDER).embed_sync(list(texts)))


def render_direction(coefficients: Vector) -> str:
    """Return the source of the module that holds the direction, as half floats in base64."""
    packed = base64.b64encode(coefficients[1:].astype("<f2").tobytes()).decode("ascii")
    lines = "\n".join(f'    "{part}"' for part in wrap(packed, 88))
    table = f'DIRECTIONS = {{\n    "{EMBEDDER}": (\n        {coefficients[0]:.3f},\n'
    return f"{DIRECTION_HEADER}PACKED = (\n{lines}\n)\n{table}        PACKED,\n    ),\n}}\n"


def render(coefficients: Vector) -> str:
    """Return the source of the weights module."""
    lines = [
        f'    "{name}": {value:.2f},'
        for name, value in zip(FEATURE_NAMES, coefficients[1:], strict=True)
    ]
    table = "\n".join(lines)
    return f"{HEADER}BIAS = {coefficients[0]:.2f}\nWEIGHTS: dict[str, float] = {{\n{table}\n}}\n"


def main() -> None:
    """Fit, report and write the weights."""
    tune = load_utterances("tune")
    rows = collect_rows(tune, load_practice())
    tune_rows = len(collect_rows(tune, []).labels)
    for ridge in (0.2, RIDGE, 1.0, 3.0):
        accuracy = cross_validate(rows, tune_rows, ridge)
        print(f"ridge {ridge:4}  cross-validated accuracy {accuracy:.3f}")
    practice = load_practice()
    everything = [*tune, *practice]
    direction = fit_direction(embed([e.text for e in everything]), everything, len(practice))
    Path(str(directions.__file__)).write_text(render_direction(direction), encoding="utf-8")
    Path(str(weights.__file__)).write_text(render(fit(rows)), encoding="utf-8")
    print(f"{len(rows.labels)} questions, {int(rows.labels.sum())} recalls")


if __name__ == "__main__":
    main()
