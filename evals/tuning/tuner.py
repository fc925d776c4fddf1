"""Searches the values that score best on the tune split, with their intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.harness.charts import Curve
from evals.harness.scorers import Counts
from evals.tuning.tasks import Case, Knob, Task, Values

_CONFIDENCE = 95
_PULL = 1e-6
"""Where scores are equal, the value in force wins: a plateau moves nothing."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What was found for one knob, and the interval in which resampling the cases leaves it."""

    knob: Knob
    best: float
    interval: tuple[float, float]
    value: float
    """The value to use: the one in force, unless an interval ruled it out."""


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What a search found."""

    task: Task
    chosen: tuple[Chosen, ...]
    before: tuple[float, float]
    """Score of the values in force on tune and check."""

    after: tuple[float, float]
    at_best: tuple[float, float]
    """With every best value at once: how much of it is chance shows on check."""

    def curve(self, knob: Knob) -> Curve:
        """Return the score over one knob's values, the others as chosen."""
        return curve_of(self.task, knob, {each.knob.setting: each.value for each in self.chosen})


@dataclass(frozen=True)
class _Found:
    """What a search over one knob, the others held, came to."""

    best: float
    interval: tuple[float, float]

    def rules_out(self, value: float) -> bool:
        """Say whether a value lies outside of the interval."""
        low, high = self.interval
        return not low <= value <= high


def tune(task: Task, *, rounds: int = 10, resamples: int = 400, seed: int = 7) -> Tuned:
    """Search a task's knobs on the tune split, over their whole grids; always the same way.

    One knob after the other is tried, the others as chosen so far, until none moves any more:
    so whatever is chosen lies in its interval when searched again, unless it is a limit.

    Args:
        task: What to tune.
        rounds: How often every knob is tried at most.
        resamples: Bootstrap samples behind each interval.
        seed: Of the resampling.
    """
    values = task.in_force
    found: dict[str, _Found] = {}
    for _ in range(rounds):
        before = dict(values)
        for knob in task.knobs:
            own = found[knob.setting] = _search(task, knob, values, (resamples, seed))
            if own.rules_out(values[knob.setting]) and not knob.limit:
                values[knob.setting] = own.best
        if values == before:
            break
    return Tuned(
        task=task,
        chosen=tuple(_chosen(knob, found[knob.setting], values) for knob in task.knobs),
        before=_scores(task, task.in_force),
        after=_scores(task, values),
        at_best=_scores(task, {setting: each.best for setting, each in found.items()}),
    )


def curve_of(task: Task, knob: Knob, values: Values) -> Curve:
    """Return the score over one knob's values, the others as given."""
    scored = [_scores(task, {**values, knob.setting: value}) for value in knob.grid]
    return Curve(
        setting=knob.setting,
        measure=task.measure,
        current=values[knob.setting],
        values=knob.grid,
        tune=tuple(tune for tune, _ in scored),
        check=tuple(check for _, check in scored),
    )


def _search(task: Task, knob: Knob, values: Values, sampling: tuple[int, int]) -> _Found:
    """Try every value of a knob, and again on resamplings of the cases."""
    cases, grid = task.on("tune"), np.array(knob.grid)
    tried = ({**values, knob.setting: value} for value in knob.grid)
    table = np.array([[_triple(case.count(each)) for case in cases] for each in tried])
    pull = _PULL * np.abs(grid - values[knob.setting])
    best = knob.grid[int(np.argmax(_f_scores(table.sum(axis=1), task.beta) - pull))]
    won = [grid[winners] for winners in _winners(table, task.beta, sampling)]
    tail = (100 - _CONFIDENCE) / 2
    low = np.percentile([each.min() for each in won], tail)
    high = np.percentile([each.max() for each in won], 100 - tail)
    return _Found(best, (round(float(low), 4), round(float(high), 4)))


def _winners(
    table: npt.NDArray[np.int64], beta: float, sampling: tuple[int, int]
) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield which values score best on each resampling of the cases; on a plateau, many do."""
    resamples, seed = sampling
    size = table.shape[1]
    random = np.random.default_rng(seed)
    for _ in range(resamples):
        often = np.bincount(random.integers(0, size, size), minlength=size)
        scores = _f_scores(np.einsum("vcn,c->vn", table, often), beta)
        yield scores >= scores.max() - _PULL


def _chosen(knob: Knob, found: _Found, values: Values) -> Chosen:
    return Chosen(knob=knob, best=found.best, interval=found.interval, value=values[knob.setting])


def _triple(counts: Counts) -> tuple[int, int, int]:
    return counts.right, counts.proposed, counts.wanted


def _f_scores(sums: npt.NDArray[np.int64], beta: float) -> Floats:
    """Return `Counts.f_score` of many sums at once."""
    right, proposed, wanted = (sums[:, n].astype(float) for n in range(3))
    precision = np.divide(right, proposed, out=np.ones_like(right), where=proposed > 0)
    recall = np.divide(right, wanted, out=np.ones_like(right), where=wanted > 0)
    weighed = beta * beta * precision + recall
    above = (1 + beta * beta) * precision * recall
    return np.divide(above, weighed, out=np.zeros_like(right), where=weighed > 0)


def _scores(task: Task, values: Values) -> tuple[float, float]:
    return (
        _score(task.on("tune"), values, task.beta),
        _score(task.on("check"), values, task.beta),
    )


def _score(cases: Sequence[Case], values: Values, beta: float) -> float:
    return sum((case.count(values) for case in cases), Counts()).f_score(beta)
