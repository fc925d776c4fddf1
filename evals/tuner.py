"""Which values of a policy's numbers score best on the tune split, and how sure is that?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import differential_evolution

from evals.curves import Curve
from evals.harness import split_of
from evals.scorers import Counts

Values = Mapping[str, float]
_CONFIDENCE = 95
_PULL = 1e-6
"""Where scores are equal, the value in force wins: a plateau moves nothing."""


@dataclass(frozen=True, kw_only=True)
class Knob:
    """One number that may be turned."""

    setting: str
    """As in `recall.found_min`."""

    variable: str
    current: float
    low: float
    high: float
    step: float = 0.01

    @property
    def grid(self) -> tuple[float, ...]:
        """Every value that is tried."""
        steps = round((self.high - self.low) / self.step)
        return tuple(round(self.low + n * self.step, 6) for n in range(steps + 1))


@dataclass(frozen=True)
class Case:
    """A labelled case, reduced to how it counts under given values."""

    case_id: str
    count: Callable[[Values], Counts]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is tuned: some knobs, the cases that judge them and what is maximised."""

    name: str
    suite: str
    measure: str
    beta: float
    """Below 1 a wrong positive costs more than a missed one."""

    knobs: tuple[Knob, ...]
    cases: tuple[Case, ...]

    def on(self, split: str) -> tuple[Case, ...]:
        """Return the cases of one split."""
        return tuple(case for case in self.cases if split_of(case.case_id) == split)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What was found for one knob, and the interval that resampling the cases leaves open."""

    knob: Knob
    best: float
    interval: tuple[float, float]
    curve: Curve

    @property
    def value(self) -> float:
        """The value to use: the one in force, unless the interval rules it out."""
        low, high = self.interval
        return self.knob.current if low <= self.knob.current <= high else self.best


@dataclass(frozen=True, kw_only=True)
class Tuned:
    """What a search found."""

    task: Task
    chosen: tuple[Chosen, ...]
    before: tuple[float, float]
    """Score of the values in force on tune and check."""

    after: tuple[float, float]

    @property
    def environment(self) -> dict[str, float]:
        """The values by the variable that sets them."""
        return {each.knob.variable: each.value for each in self.chosen}


def tune(task: Task, *, budget: int = 30, resamples: int = 400, seed: int = 7) -> Tuned:
    """Search the knobs of a task on the tune split; the same seed finds the same values.

    Args:
        task: What to tune.
        budget: Generations of scipy's differential evolution.
        resamples: Bootstrap samples behind each interval.
        seed: Of the search and of the resampling.
    """
    current = {knob.setting: knob.current for knob in task.knobs}
    best = _search(task, budget, seed)
    chosen = tuple(_chosen(task, knob, best, resamples, seed) for knob in task.knobs)
    return Tuned(
        task=task,
        chosen=chosen,
        before=_scores(task, current),
        after=_scores(task, {each.knob.setting: each.value for each in chosen}),
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


def _search(task: Task, budget: int, seed: int) -> dict[str, float]:
    """Minimise over whole steps, so that values come out as a person would write them."""
    cases = task.on("tune")

    def loss(steps: npt.NDArray[np.float64]) -> float:
        values = _values(task.knobs, steps)
        pull = sum(abs(values[k.setting] - k.current) for k in task.knobs)
        return _PULL * pull - _score(cases, values, task.beta)

    found = differential_evolution(
        loss,
        bounds=[(0, len(knob.grid) - 1) for knob in task.knobs],
        integrality=[True] * len(task.knobs),
        x0=[_nearest(knob.grid, knob.current) for knob in task.knobs],
        maxiter=budget,
        popsize=20,
        rng=seed,
        polish=False,
    )
    return _values(task.knobs, found.x)


def _values(knobs: Sequence[Knob], steps: npt.NDArray[np.float64]) -> dict[str, float]:
    return {k.setting: k.grid[round(float(n))] for k, n in zip(knobs, steps, strict=True)}


def _chosen(task: Task, knob: Knob, best: Values, resamples: int, seed: int) -> Chosen:
    return Chosen(
        knob=knob,
        best=best[knob.setting],
        interval=_interval(task, knob, best, resamples, seed),
        curve=curve_of(task, knob, best),
    )


def _interval(
    task: Task, knob: Knob, best: Values, resamples: int, seed: int
) -> tuple[float, float]:
    """Return where the best value lies for most resamplings of the cases, others held."""
    cases = task.on("tune")
    table = np.array(
        [
            [_triple(case.count({**best, knob.setting: value})) for case in cases]
            for value in knob.grid
        ]
    )
    random = np.random.default_rng(seed)
    distance = np.abs(np.array(knob.grid) - best[knob.setting])
    winners = []
    for _ in range(resamples):
        drawn = random.integers(0, len(cases), len(cases))
        scores = _f_scores(table[:, drawn].sum(axis=1), task.beta)
        winners.append(knob.grid[int(np.argmax(scores - _PULL * distance))])
    tail = (100 - _CONFIDENCE) / 2
    low, high = np.percentile(winners, [tail, 100 - tail])
    return round(float(low), 4), round(float(high), 4)


def _triple(counts: Counts) -> tuple[int, int, int]:
    return counts.right, counts.proposed, counts.wanted


def _f_scores(sums: npt.NDArray[np.int64], beta: float) -> npt.NDArray[np.float64]:
    return np.array([Counts(*map(int, row)).f_score(beta) for row in sums])


def _scores(task: Task, values: Values) -> tuple[float, float]:
    return (
        _score(task.on("tune"), values, task.beta),
        _score(task.on("check"), values, task.beta),
    )


def _score(cases: Sequence[Case], values: Values, beta: float) -> float:
    return sum((case.count(values) for case in cases), Counts()).f_score(beta)


def _nearest(grid: Sequence[float], value: float) -> int:
    return min(range(len(grid)), key=lambda n: abs(grid[n] - value))
