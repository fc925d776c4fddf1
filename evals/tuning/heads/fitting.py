"""Heads are fitted as logistic regressions with a ridge, by L-BFGS, on vectors and letters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evals.tuning.heads.cases import HANDS, Case
from memory_graph.language.heads import (
    GRAM_PLACES,
    HEADS,
    dense_features,
    gram_places,
    gram_weight,
)

Vector = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
Vectors = Mapping[str, Floats]

RIDGE = 10.0
DIRECTIONS = 64
"""Products of this many principal directions of the vector; all chosen on left-out sources."""

OTHERS_COST = 0.2
"""What a mistake on an older English case counts beside one on a writer's line."""

SENTENCE_COST = 0.5
"""What a mistake on one sentence of a longer message counts: its label is inferred."""

RARE_COST = 3.0
"""At most this much more does a missed case of a rare label count."""

SURELY, HARDLY = 0.6, 0.2
"""A sentence of a labelled message has its label from here up, and has not from here down."""

STEPS = 150
TOLERANCE = 1e-5
MEMORY = 10


@dataclass(frozen=True)
class Texts:
    """Features of many texts: dense columns, and places of letter runs."""

    dense: Floats
    places: npt.NDArray[np.intp]
    values: Vector
    rows: npt.NDArray[np.intp]

    def scores(self, weights: Vector) -> Vector:
        """Return one score per text."""
        width = self.dense.shape[1]
        runs = self.values * weights[width:][self.places]
        told = self.dense @ weights[:width].astype(np.float32)
        return np.asarray(told + np.bincount(self.rows, runs, len(self.dense)), dtype=np.float64)

    def gather(self, pull: Vector) -> Vector:
        """Return how the texts pull at each weight."""
        runs = np.bincount(self.places, self.values * pull[self.rows], GRAM_PLACES)
        return np.concatenate([pull.astype(np.float32) @ self.dense, runs])

    def take(self, chosen: npt.NDArray[np.bool_]) -> "Texts":
        """Return the chosen texts."""
        kept = chosen[self.rows]
        renumbered = np.cumsum(chosen) - 1
        rows = renumbered[self.rows[kept]]
        return Texts(self.dense[chosen], self.places[kept], self.values[kept], rows)


@dataclass(frozen=True)
class Model:
    """What was fitted: principal directions of vectors, and weights per head."""

    directions: Floats
    weights: Mapping[str, Vector]

    def scores(self, texts: Sequence[str], vectors: Vectors) -> dict[str, Vector]:
        """Return the uncalibrated scores of texts by head."""
        features = features_of(texts, vectors, self.directions)
        return {head: features.scores(weights) for head, weights in self.weights.items()}


def principal_directions(vectors: Floats) -> Floats:
    """Return the directions along which vectors differ most, and the mean along each."""
    mean = vectors.mean(axis=0)
    spread = np.cov(vectors.astype(np.float64), rowvar=False)
    chosen = np.linalg.eigh(spread)[1][:, ::-1][:, :DIRECTIONS]
    along = (vectors - mean) @ chosen
    chosen = chosen / np.sqrt((along**2).sum(axis=1).mean())
    return np.vstack([chosen, mean @ chosen]).astype(np.float32)


def features_of(texts: Sequence[str], vectors: Vectors, directions: Floats) -> Texts:
    """Return the features of texts."""
    places = [gram_places(text) for text in texts]
    counts = [len(each) for each in places]
    rows = np.array([vectors[text] for text in texts])
    return Texts(
        dense=dense_features(rows, texts, directions),
        places=np.concatenate(places),
        values=np.repeat([gram_weight(each) for each in places], counts),
        rows=np.repeat(np.arange(len(texts)), counts),
    )


def fit_heads(cases: Sequence[Case], vectors: Vectors) -> Model:
    """Return a model fitted on messages, then on their sentences by what it makes of them."""
    directions = principal_directions(np.array([vectors[case.text] for case in cases]))
    whole = features_of([case.text for case in cases], vectors, directions)
    parts = [
        (at, part)
        for at, case in enumerate(cases)
        if len(case.sentences) > 1
        for part in case.sentences
    ]
    cut = features_of([part for _, part in parts], vectors, directions)
    owners = np.array([at for at, _ in parts])
    both = _joined(whole, cut)
    base = np.array([1.0 if case.source in HANDS else OTHERS_COST for case in cases])
    weights = {}
    for head in HEADS:
        labels = np.array([case.labels.get(head, np.nan) for case in cases], dtype=float)
        first = _fit(whole, labels, base)
        inferred = _infer(labels, owners, cut.scores(first))
        costs = np.concatenate([base, SENTENCE_COST * base[owners]])
        weights[head] = _fit(both, np.concatenate([labels, inferred]), costs, start=first)
    return Model(directions, weights)


def _joined(first: Texts, second: Texts) -> Texts:
    return Texts(
        dense=np.vstack([first.dense, second.dense]),
        places=np.concatenate([first.places, second.places]),
        values=np.concatenate([first.values, second.values]),
        rows=np.concatenate([first.rows, second.rows + len(first.dense)]),
    )


def _infer(labels: Vector, owners: npt.NDArray[np.intp], scores: Vector) -> Vector:
    """Return the labels of sentences: those of a message without one have none."""
    chances = 1 / (1 + np.exp(-scores))
    inferred = np.where(chances >= SURELY, 1.0, np.where(chances <= HARDLY, 0.0, np.nan))
    best = np.full(len(labels), -np.inf)
    np.maximum.at(best, owners, scores)
    inferred[scores == best[owners]] = 1.0
    return np.where(labels[owners] == 1, inferred, labels[owners])


def _fit(texts: Texts, labels: Vector, costs: Vector, start: Vector | None = None) -> Vector:
    known = ~np.isnan(labels) & (costs > 0)
    texts, labels, costs = texts.take(known), labels[known], costs[known]
    costs = costs * np.where(labels == 1, min(RARE_COST, 0.5 / labels.mean()), 1.0)
    ridge = np.full(texts.dense.shape[1] + GRAM_PLACES, RIDGE)
    ridge[0] = 1e-3

    def loss(weights: Vector) -> tuple[float, Vector]:
        scores = texts.scores(weights)
        misfit = float((costs * (np.logaddexp(0, scores) - labels * scores)).sum())
        pull = texts.gather(costs * (1 / (1 + np.exp(-scores)) - labels))
        return misfit + 0.5 * float(ridge @ weights**2), pull + ridge * weights

    return minimise(loss, np.zeros(len(ridge)) if start is None else start)


def minimise(loss: Callable[[Vector], tuple[float, Vector]], weights: Vector) -> Vector:
    """Return where a smooth convex loss is least, by L-BFGS."""
    value, slope = loss(weights)
    known: list[tuple[Vector, Vector]] = []
    for _ in range(STEPS):
        direction = _direction(slope, known)
        step = 1.0
        while True:
            reached, there = loss(weights - step * direction)
            if reached <= value - 1e-4 * step * float(slope @ direction) or step < 1e-8:
                break
            step /= 2
        known = [*known[1 - MEMORY :], (-step * direction, there - slope)]
        gain = value - reached
        weights, value, slope = weights - step * direction, reached, there
        if gain < TOLERANCE * value:
            break
    return weights


def _direction(slope: Vector, known: Sequence[tuple[Vector, Vector]]) -> Vector:
    if not known:
        return slope / max(1.0, float(np.linalg.norm(slope)))
    direction, shares = slope.copy(), []
    for moved, turned in reversed(known):
        shares.append(float(moved @ direction) / float(moved @ turned))
        direction -= shares[-1] * turned
    moved, turned = known[-1]
    direction *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned), share in zip(known, reversed(shares), strict=True):
        direction += moved * (share - float(turned @ direction) / float(moved @ turned))
    return direction
