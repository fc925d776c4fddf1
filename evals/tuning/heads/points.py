"""Where probabilities are cut for each use, and what that gives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evals.tuning.heads.measure import Judged, Numbers, area, best_cut, count, lowest_precise

GATE_DROPS = 0.65
"""Of small talk and plain requests the gate drops this much, and no more: recall comes first."""

KEEP_PRECISION = 0.93

Side = Callable[[Judged], float]


@dataclass(frozen=True)
class Use:
    """What is cut for a use, and what it should find."""

    chance: Side
    label: Side
    on: str
    single: bool = False
    """Judged on messages of one sentence, as sentences are."""

    def of(self, judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
        """Return chances and labels."""
        chosen = [each for each in judged if not self.single or len(each.sentences) == 1]
        chances = np.array([self.chance(each) for each in chosen])
        return chances, np.array([float(self.label(each)) for each in chosen])


def is_told(each: Judged) -> float:
    """Return whether the message states or changes something durable."""
    return max(each.case.labels["durable"], each.case.labels["corrects"])


def is_worth_keeping(each: Judged) -> float:
    """Return whether the words are worth keeping: durable, an outcome, or a correction."""
    return max(is_told(each), each.case.labels["outcome"])


def is_nothing(each: Judged) -> float:
    """Return whether the message is small talk or a plain request that tells nothing."""
    return not is_told(each) and max(each.case.labels["small"], each.case.labels["request"])


def _head(name: str) -> tuple[Side, Side]:
    return lambda each: getattr(each.message, name), lambda each: each.case.labels[name]


USES: Mapping[str, Use] = {
    "gate_with_model": Use(lambda each: each.told, is_told, "tells(whole and sentences)"),
    "keep_own_words": Use(
        lambda each: each.whole.durable, is_worth_keeping, "durable of a sentence", single=True
    ),
    "asks": Use(*_head("asks"), "asks of a message"),
    "outcome": Use(*_head("outcome"), "outcome of a message"),
    "corrects": Use(*_head("corrects"), "corrects of a message"),
}


def choose_points(judged: Sequence[Judged]) -> dict[str, float]:
    """Return the cut of each use, chosen on messages that were left out."""
    chosen = {name: best_cut(*USES[name].of(judged)) for name in ("asks", "outcome", "corrects")}
    nothing = sorted(each.told for each in judged if is_nothing(each))
    gate = nothing[int(GATE_DROPS * len(nothing))]
    keep = lowest_precise(*USES["keep_own_words"].of(judged), KEEP_PRECISION)
    points = {"gate_with_model": gate, "keep_own_words": keep, **chosen}
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
    if name == "keep_own_words":
        single = [each for each in judged if len(each.sentences) == 1]
        strict = np.array([float(each.case.labels["durable"]) for each in single])
        found = count(chances, strict, at)
        figures |= {"precision_durable": found.precision, "recall_durable": found.recall}
    return {key: round(value, 3) for key, value in figures.items()}
