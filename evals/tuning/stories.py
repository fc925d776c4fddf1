"""Fit how much each sign speaks for one story, and print how well the weights in force link.

Run `python -m evals.tuning.stories`: it takes open stories, sittings and episode pairs of the tune
split apart into decisions "does this go on with that story?", among other people's stories. It
prints the fit and prints the decisions of the weights in force; weights are rounded by hand.
What it counts that a story is the only one at hand is fitted apart, the other signs given: on the
chapters told within days after a night, against the beginnings of other people's stories.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from evals.harness.runner import CASES, split_of
from evals.suites.sittings import read_sittings
from evals.suites.stories_report import OPEN, Line, read_stories
from memory_graph.embedding import load_embedder
from memory_graph.episodes.themes import (
    LATE,
    NIGHT,
    PRIOR,
    Age,
    Theme,
    match_themes,
    pooled,
    theme_of,
)
from memory_graph.language.mentions import entities_in

_OTHERS = 1
"""Other people's stories that are in memory as well."""

_RIDGE = 0.001
_STEPS = 50
_EVEN = 0.85
_PAIRS = "pairs"
"""Of these nobody knows how long they lie apart."""

_STRANGERS = 3
"""Beginnings of other people's stories beside each chapter."""

_SIGNS = ("meaning", "words", "names", "other_names", "identifiers")
_Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Told:
    """One person's lines, each with the story it belongs to."""

    person: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Decision:
    """Whether a text goes on with a story, and the signs for it, as they count now."""

    source: str
    goes_on: bool
    linked: bool
    signs: tuple[float, ...]


@cache
def _theme(text: str) -> Theme:
    return theme_of([text], entities_in([text]))


@cache
def _vector(text: str) -> tuple[float, ...]:
    return tuple(load_embedder("use").embed_sync([text])[0])


def _meaning(text: str, told: Sequence[str]) -> float:
    asked, scale = np.array(_vector(text)), load_embedder("use").scale
    return max(scale.similarity(float(asked @ np.array(_vector(each)))) for each in told)


def _people() -> list[_Told]:
    stories = [
        _Told(story.id, tuple((line.story, line.say) for line in story.lines if line.matters))
        for part in OPEN
        for story in read_stories(part)
    ]
    sittings = [
        _Told(each.id, tuple((line.story, line.user) for line in each.lines if line.story))
        for each in read_sittings()
        if split_of(each.id) == "tune"
    ]
    return stories + sittings


def _decisions(people: Sequence[_Told]) -> list[_Decision]:
    lot, found = random.Random(1), []
    for person in people:
        others = lot.sample([each for each in people if each is not person], _OTHERS)
        known: dict[str, list[str]] = {}
        for other in others:
            for story, text in other.lines:
                known.setdefault(f"{other.person}/{story}", []).append(text)
        for story, text in person.lines:
            found += _compared(person.person, f"{person.person}/{story}", text, known)
            known.setdefault(f"{person.person}/{story}", []).append(text)
    return found


def _compared(person: str, story: str, text: str, known: dict[str, list[str]]) -> list[_Decision]:
    themes = {name: pooled([_theme(each) for each in told]) for name, told in known.items()}
    held = Counter(word for each in themes.values() for word in each.words)
    decisions = []
    for name, told in known.items():
        age: Age = "old" if person == _PAIRS else "fresh"
        meaning = _meaning(text, told)
        match = match_themes(_theme(text), themes[name], meaning, held, age=age)
        signs = tuple(match.parts.get(sign, 0.0) for sign in _SIGNS)
        source = "sittings" if person.startswith("sit-") else "stories"
        decisions.append(_Decision(source, name == story, match.similarity > _EVEN, signs))
    return decisions


def _pairs() -> list[_Decision]:
    rows = map(json.loads, (CASES / "episode_pairs.jsonl").read_text("utf-8").splitlines())
    decisions = []
    for row in (row for row in rows if split_of(row["id"]) == "tune"):
        found = _compared(_PAIRS, "earlier", row["later"], {"earlier": [row["earlier"]]})
        goes_on = row["label"] == "continues"
        decisions += [_Decision(_PAIRS, goes_on, each.linked, each.signs) for each in found]
    return decisions


def _at_hand() -> tuple[_Matrix, _Matrix]:
    """Return the log-odds of chapters of the one story at hand, and of beginnings of others."""
    lot = random.Random(1)
    stories = [story for part in OPEN for story in read_stories(part)]
    begins = {story.id: next(one.say for one in story.lines if one.matters) for story in stories}
    chapters, strangers = [], []
    for story in stories:
        told: dict[str, list[Line]] = {}
        for line in (one for one in story.lines if one.matters):
            late = [name for name in told if line.at - told[name][-1].at <= LATE]
            if late == [line.story] and line.at - told[line.story][-1].at >= NIGHT:
                texts = [one.say for one in told[line.story]]
                others = [begins[name] for name in begins if name != story.id]
                chapters.append(_log_odds(line.say, texts))
                strangers += [_log_odds(text, texts) for text in lot.sample(others, _STRANGERS)]
            told.setdefault(line.story, []).append(line)
    return np.array(chapters), np.array(strangers)


def _log_odds(text: str, told: Sequence[str]) -> float:
    theme = pooled([_theme(each) for each in told])
    parts = match_themes(_theme(text), theme, _meaning(text, told), age="fresh").parts
    return PRIOR + sum(parts.values())


def _fit_at_hand(chapters: _Matrix, strangers: _Matrix, ratio: float) -> float:
    """Return what counts best where so many times as many go on as begin something else."""

    def likelihood(weight: float) -> float:
        on = -np.log1p(np.exp(-(chapters + weight))).mean()
        return float(ratio * on - np.log1p(np.exp(strangers + weight)).mean())

    return max((step / 20 for step in range(60)), key=likelihood)


def _fit(signs: _Matrix, goes_on: _Matrix) -> _Matrix:
    """Return the factor by which each sign should count, after a constant."""
    features = np.hstack([np.ones((len(signs), 1)), signs])
    weights = np.zeros(features.shape[1])
    ridge = _RIDGE * len(signs) * np.eye(len(weights))
    ridge[0, 0] = 0.0
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (goes_on - chances) - ridge @ weights
        bend = (features * (chances * (1 - chances))[:, None]).T @ features + ridge
        weights = weights + np.linalg.solve(bend + 1e-6 * np.eye(len(weights)), slope)
    return weights


def main() -> None:
    """Print the links made by the weights in force, and the factors of a fit."""
    decisions = _decisions(_people()) + _pairs()
    for source in ("stories", "sittings", "pairs"):
        made = Counter((each.goes_on, each.linked) for each in decisions if each.source == source)
        print(
            f"{source:9} linked {made[True, True]} of {made[True, True] + made[True, False]}, "
            f"wrongly {made[False, True]} of {made[False, True] + made[False, False]}"
        )
    signs = np.array([each.signs for each in decisions])
    weights = _fit(signs, np.array([float(each.goes_on) for each in decisions]))
    print(f"constant {weights[0]:.2f}; each sign times:")
    for sign, factor in zip(_SIGNS, weights[1:], strict=True):
        print(f"  {sign:12} {factor:.2f}")
    chapters, strangers = _at_hand()
    for ratio in (1.0, 1.5, 2.0):
        best = _fit_at_hand(chapters, strangers, ratio)
        print(f"at hand, {ratio} go on for one that begins: {best:.2f}")


if __name__ == "__main__":
    main()
