"""Fit how much each sign speaks for an episode, on labelled exchanges, stories and messages.

Run `python -m evals.tuning.signs`: no sampling, a minute. The signs of a message say whether
something came of it; of an exchange, one of its turns has to say so. It prints the weights and,
for the ones in force, precision and recall of each source, tuned on and held back.
"""

import asyncio
import json
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.harness.runner import CASES
from evals.suites.exchanges import load, signals_of
from evals.suites.stories_report import OPEN, PARTS, read_stories
from memory_graph.episodes.capture import notability
from memory_graph.episodes.signals import Signals, read_outcomes, read_signals
from memory_graph.policies import NotabilityWeights
from memory_graph.records import Said
from memory_graph.settings import get_settings

SIGNS = ("user_declared", "tool_actions", "outcome", "eventful", "follows_up")
"""`goes_on` is seen by memory alone, and so not here."""

_EVERY = 3
"""One message of so many is taken: there are many more than exchanges and stories."""

_RIDGE, _ROUNDS, _STEPS = 0.5, 12, 50

_Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Case:
    source: str
    signals: tuple[Signals, ...]
    is_episode: bool
    is_tuned_on: bool


async def _cases() -> list[_Case]:
    cases = [
        _Case("exchanges", signals_of(each), each.worth, each.split == "tune") for each in load()
    ]
    for part in PARTS:
        for line in (line for story in read_stories(part) for line in story.lines):
            cases.append(_Case("stories", await _alone(line.say), line.matters, part in OPEN))
    for path in sorted((CASES / "heads").glob("*.jsonl")):
        rows = path.read_text(encoding="utf-8").splitlines()[::_EVERY]
        for number, row in enumerate(map(json.loads, rows)):
            signals = await _alone(row["text"])
            cases.append(_Case("messages", signals, bool(row["outcome"]), number % 2 == 0))
    return cases


async def _alone(text: str) -> tuple[Signals, ...]:
    return (read_signals(await read_outcomes([Said(role="user", text=text)])),)


def _features(signals: Signals) -> list[float]:
    return [1.0, *(min(float(getattr(signals, sign)), 1.0) for sign in SIGNS)]


def _fit(cases: list[_Case]) -> _Matrix:
    """Return the weights; of a worthy exchange the turn counts that shows it best so far."""
    weights = np.zeros(len(SIGNS) + 1)
    held = _RIDGE * np.array([1e-6, *np.ones(len(SIGNS))])
    for _ in range(_ROUNDS):
        rows, wanted, counts = [], [], []
        for case in cases:
            shown = [_features(each) for each in case.signals]
            if case.is_episode:
                shown = [max(shown, key=lambda each: float(np.dot(weights, each)))]
            rows += shown
            wanted += [float(case.is_episode)] * len(shown)
            counts += [1 / len(shown)] * len(shown)
        signs, labels, share = np.array(rows), np.array(wanted), np.array(counts)
        for _ in range(_STEPS):
            chances = 1 / (1 + np.exp(-signs @ weights))
            slope = signs.T @ (share * (chances - labels)) + held * weights
            bend = (signs * (share * chances * (1 - chances))[:, None]).T @ signs + np.diag(held)
            weights = weights - np.linalg.solve(bend, slope)
    return weights


def _report(cases: list[_Case], source: str, *, tuned_on: bool) -> str:
    policy = get_settings().capture
    right = wrong = missed = 0
    for case in cases:
        if case.source == source and case.is_tuned_on is tuned_on:
            best = max(notability(each, policy.weights) for each in case.signals)
            is_kept = best >= policy.notability_min
            right += is_kept and case.is_episode
            wrong += is_kept and not case.is_episode
            missed += case.is_episode and not is_kept
    precision, recall = right / max(right + wrong, 1), right / max(right + missed, 1)
    name = "tuned on" if tuned_on else "held back"
    return f"{source:10} {name:9}  precision {precision:.2f}  recall {recall:.2f}"


def main() -> None:
    """Fit, and report the weights in force."""
    cases = asyncio.run(_cases())
    weights = _fit([each for each in cases if each.is_tuned_on])
    in_force = NotabilityWeights()
    for sign, weight in zip(("prior", *SIGNS), weights, strict=True):
        print(f"{sign:14} fitted {weight:6.2f}  in force {getattr(in_force, sign):6.2f}")
    for source in ("exchanges", "stories", "messages"):
        for tuned_on in (True, False):
            print(_report(cases, source, tuned_on=tuned_on))


if __name__ == "__main__":
    main()
