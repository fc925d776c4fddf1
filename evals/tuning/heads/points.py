"""Where probabilities are cut for each use, and what that gives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evals.tuning.heads.measure import Judged, Numbers, area, best_cut, count

GATE_DROPS = 0.65
"""Of small talk and plain requests the gate drops this much, and no more: recall comes first."""

Side = Callable[[Judged], float]


@dataclass(frozen=True)
class Use:
    """What is cut for a use, and what it should find."""

    chance: Side
    label: Side
    on: str

    def of(self, judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
        """Return chances and labels."""
        chances = np.array([self.chance(each) for each in judged])
        return chances, np.array([float(self.label(each)) for each in judged])


def is_told(each: Judged) -> float:
    """Return whether the message states or changes something durable."""
    return max(each.case.labels["durable"], each.case.labels["corrects"])


def is_nothing(each: Judged) -> float:
    """Return whether the message is small talk or a plain request that tells nothing."""
    return not is_told(each) and max(each.case.labels["small"], each.case.labels["request"])


def _head(name: str) -> tuple[Side, Side]:
    return lambda each: getattr(each.message, name), lambda each: each.case.labels[name]


USES: Mapping[str, Use] = {
    "gate_with_model": Use(lambda each: each.told, is_told, "tells(whole and sentences)"),
    "asks": Use(*_head("asks"), "asks of a message"),
    "outcome": Use(*_head("outcome"), "outcome of a message"),
}


def choose_points(judged: Sequence[Judged]) -> dict[str, float]:
    """Return the cut of each use, chosen on messages that were left out."""
    chosen = {name: best_cut(*USES[name].of(judged)) for name in ("asks", "outcome")}
    nothing = sorted(each.told for each in judged if is_nothing(each))
    gate = nothing[int(GATE_DROPS * len(nothing))]
    points = {"gate_with_model": gate, **chosen}
    return {name: round(at, 4) for name, at in points.items()}


def measure_point(name: str, at: float, judged: Sequence[Judged]) -> dict[str, float]:
    """Return what cutting at `at` gives."""
    chances, labels = USES[name].of(judged)
    found = count(chances, labels, at)
    figures = {"precision": found.precision, "recall": found.recall, "auc": area(chances, labels)}
    if name == "gate_with_model":
        for kind in ("small", "request"):
            nothing = [e.told for e in judged if is_nothing(e) and e.case.labels[kind]]
            figures[f"drops_{kind}"] = float(np.mean(np.array(nothing) < at)) if nothing else 1.0
    return {key: round(value, 3) for key, value in figures.items()}
