"""How are the weights of the recall-intent features found?

Run `python -m evals.train_recall_intent` to fit them on the tune split and write
`memory_graph/policy/recall_intent/weights.py`. Deterministic: no sampling, fixed start.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.recall_intent import Utterance, load_utterances
from memory_graph.policy.recall_intent import weights
from memory_graph.policy.recall_intent.detection import undecided_questions
from memory_graph.policy.recall_intent.features import FEATURE_NAMES, find_features

Vector = NDArray[np.float64]

RIDGE = 0.5
"""Keeps the weights of rare features small; chosen by cross-validation on the tune split."""

FALSE_ALARM_COST = 2.0
"""A false alarm counts as this many misses: ordinary turns must not pay."""

STEPS = 50
HEADER = (
    '"""How much does each feature count? Written by `python -m evals.train_recall_intent`."""\n\n'
)


def collect_rows(utterances: list[Utterance]) -> tuple[Vector, Vector]:
    """Return features and labels of the questions that the cues leave undecided."""
    rows, labels = [], []
    for utterance in utterances:
        for question in undecided_questions(utterance.text):
            found = find_features(question.asked, question.lead_in)
            rows.append([1.0, *(float(name in found) for name in FEATURE_NAMES)])
            labels.append(float(utterance.is_recall))
    return np.array(rows), np.array(labels)


def fit(rows: Vector, labels: Vector, ridge: float = RIDGE) -> Vector:
    """Return bias and weights of a ridge logistic regression, by Newton's method."""
    costs = np.where(labels == 1, 1.0, FALSE_ALARM_COST)
    penalty = ridge * np.eye(rows.shape[1])
    penalty[0, 0] = 1e-3
    coefficients = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-rows @ coefficients))
        gradient = rows.T @ (costs * (chance - labels)) + penalty @ coefficients
        curvature = (rows.T * (costs * chance * (1 - chance))) @ rows + penalty
        coefficients -= np.linalg.solve(curvature, gradient)
    return coefficients


def cross_validate(rows: Vector, labels: Vector, ridge: float, folds: int = 5) -> float:
    """Return the share of tune rows decided correctly when left out of the fit."""
    fold_of = np.arange(len(labels)) % folds
    right = 0
    for fold in range(folds):
        coefficients = fit(rows[fold_of != fold], labels[fold_of != fold], ridge)
        right += int(((rows[fold_of == fold] @ coefficients > 0) == labels[fold_of == fold]).sum())
    return right / len(labels)


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
    rows, labels = collect_rows(load_utterances("tune"))
    for ridge in (0.2, RIDGE, 1.0, 3.0):
        print(
            f"ridge {ridge:4}  cross-validated accuracy {cross_validate(rows, labels, ridge):.3f}"
        )
    Path(str(weights.__file__)).write_text(render(fit(rows, labels)), encoding="utf-8")
    print(f"{len(labels)} questions, {int(labels.sum())} recalls")


if __name__ == "__main__":
    main()
