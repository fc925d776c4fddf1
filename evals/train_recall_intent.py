"""How are the weights of the recall-intent features found?

Run `python -m evals.train_recall_intent` to fit them on the tune split and the practice
cases and write `memory_graph/policy/recall_intent/weights.py`; it also prints what each
threshold would give on messages of the tune split that the fit did not see. Deterministic: no
sampling, fixed start.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals.recall_intent import Utterance, load_practice, load_utterances
from memory_graph.policy.recall_intent import detect_recall_intent, weights
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

STEPS = 50
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


def score_left_out(tune: list[Utterance], practice: list[Utterance], folds: int = 10) -> Vector:
    """Return how sure each message of `tune` is a recall, by a fit that did not see it."""
    scores = np.zeros(len(tune))
    for fold in range(folds):
        seen = [each for position, each in enumerate(tune) if position % folds != fold]
        coefficients = fit(collect_rows(seen, practice))
        for position in range(fold, len(tune), folds):
            scores[position] = _score(tune[position], coefficients)
    return scores


def _score(utterance: Utterance, coefficients: Vector) -> float:
    questions = undecided_questions(utterance.text)
    if not questions or any(is_reckoned(each) for each in questions):
        return detect_recall_intent(utterance.text).score
    rows = collect_rows([utterance], []).features
    return float((1 / (1 + np.exp(-rows @ coefficients))).max())


def sweep(scores: Vector, labels: NDArray[np.bool_]) -> Iterator[tuple[float, float, float]]:
    """Yield thresholds with the share of false alarms and the F0.5 that each would give."""
    for threshold in np.arange(0.5, 0.71, 0.02):
        found = scores >= threshold
        precision = labels[found].mean()
        recall = found[labels].mean()
        f_half = 1.25 * precision * recall / (0.25 * precision + recall)
        yield float(threshold), float(found[~labels].mean()), float(f_half)


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
    labels = np.array([each.is_recall for each in tune])
    for threshold, alarms, f_half in sweep(score_left_out(tune, load_practice()), labels):
        print(f"threshold {threshold:.2f}  false alarms {alarms:.3f}  left-out F0.5 {f_half:.4f}")
    Path(str(weights.__file__)).write_text(render(fit(rows)), encoding="utf-8")
    print(f"{len(rows.labels)} questions, {int(rows.labels.sum())} recalls")


if __name__ == "__main__":
    main()
