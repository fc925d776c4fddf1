"""What heads make of messages they were not fitted on, and how often they are right."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.tuning.heads.cases import FOLDS, HANDS, SEALED, Case
from evals.tuning.heads.fitting import Model, Vectors, fit_heads
from memory_graph.language.heads import HEADS, Heads, of_message, tells

Numbers = npt.NDArray[np.float64]
Calibration = Mapping[str, tuple[float, float]]
"""Slope and shift of each head's score."""


@dataclass(frozen=True)
class Scored:
    """A message and its uncalibrated scores: of all of it, then of each sentence."""

    case: Case
    scores: Mapping[str, Numbers]


@dataclass(frozen=True)
class Judged:
    """A message and what the heads say of it."""

    case: Case
    whole: Heads
    sentences: tuple[Heads, ...]

    @property
    def message(self) -> Heads:
        """Return what the message does."""
        return of_message(self.whole, self.sentences)

    @property
    def told(self) -> float:
        """Return how likely any part tells something."""
        return tells((self.whole, *self.sentences))


@dataclass(frozen=True)
class Counted:
    """How often a cut is right."""

    cases: int
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / max(self.precision + self.recall, 1e-9)


def leave_out_sources(cases: Sequence[Case], vectors: Vectors) -> list[Scored]:
    """Score each writer's lines by a model that saw none of that writer's."""
    return _leave_out(cases, vectors, [_by(source) for source in HANDS])


def leave_out_blocks(cases: Sequence[Case], vectors: Vectors) -> list[Scored]:
    """Score the writers' lines by models that saw other blocks of them."""
    return _leave_out(cases, vectors, [_of(fold) for fold in range(FOLDS) if fold != SEALED])


def _by(source: str) -> Callable[[Case], bool]:
    return lambda case: case.source == source


def _of(fold: int) -> Callable[[Case], bool]:
    return lambda case: case.source in HANDS and case.fold == fold


def _leave_out(
    cases: Sequence[Case], vectors: Vectors, parts: Iterable[Callable[[Case], bool]]
) -> list[Scored]:
    scored = []
    for is_left_out in parts:
        model = fit_heads([case for case in cases if not is_left_out(case)], vectors)
        scored += score_cases(model, [case for case in cases if is_left_out(case)], vectors)
    return scored


def score_cases(model: Model, cases: Sequence[Case], vectors: Vectors) -> list[Scored]:
    """Return the scores of messages and of their sentences."""
    texts = [text for case in cases for text in (case.text, *case.sentences)]
    scores = model.scores(texts, vectors)
    ends = np.cumsum([1 + len(case.sentences) for case in cases])[:-1]
    cut = {head: np.split(scores[head], ends) for head in HEADS}
    return [
        Scored(case, {head: cut[head][place] for head in HEADS}) for place, case in enumerate(cases)
    ]


def calibrate(scored: Sequence[Scored]) -> Calibration:
    """Return how scores become probabilities: a line fitted to what left-out messages were."""
    return {
        head: _platt(
            np.array([each.scores[head][0] for each in scored]),
            np.array([float(each.case.labels[head]) for each in scored]),
        )
        for head in HEADS
    }


def _platt(scores: Numbers, labels: Numbers) -> tuple[float, float]:
    columns = np.column_stack([scores, np.ones(len(scores))])
    line = np.array([1.0, 0.0])
    for _ in range(25):
        chances = 1 / (1 + np.exp(-columns @ line))
        spread = (columns.T * (chances * (1 - chances))) @ columns
        line = line - np.linalg.solve(spread + 1e-6 * np.eye(2), columns.T @ (chances - labels))
    return float(line[0]), float(line[1])


def judge(scored: Sequence[Scored], calibration: Calibration) -> list[Judged]:
    """Return the scored messages with probabilities."""
    return [_judged(each, calibration) for each in scored]


def _judged(scored: Scored, calibration: Calibration) -> Judged:
    chances = np.array(
        [
            1 / (1 + np.exp(-(calibration[head][0] * scored.scores[head] + calibration[head][1])))
            for head in HEADS
        ]
    )
    whole, *sentences = (Heads(*row) for row in chances.T.tolist())
    return Judged(scored.case, whole, tuple(sentences))


def count(chances: Numbers, labels: Numbers, at: float) -> Counted:
    """Return how often cutting `chances` at `at` gives the labels."""
    said = chances >= at
    right = float((said & (labels == 1)).sum())
    return Counted(
        cases=len(labels),
        precision=right / said.sum() if said.any() else 1.0,
        recall=right / labels.sum() if labels.any() else 1.0,
    )


def area(chances: Numbers, labels: Numbers) -> float:
    """Return how often a labelled message has the higher chance than another (AUC)."""
    yes, no = np.sort(chances[labels == 1]), np.sort(chances[labels == 0])
    if not len(yes) or not len(no):
        return float("nan")
    below = np.searchsorted(no, yes, "left") + np.searchsorted(no, yes, "right")
    return float(below.sum() / (2 * len(yes) * len(no)))


def best_cut(chances: Numbers, labels: Numbers) -> float:
    """Return the cut with the best F1."""
    return float(max(np.sort(chances), key=lambda at: count(chances, labels, at).f1))
