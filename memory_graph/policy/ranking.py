"""How much does each sign of relevance count, and why does a memory rank where it does?"""

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from memory_graph.policy.fields import Weights

Signal = Literal[
    "lexical",
    "vector",
    "session",
    "speaker",
    "time",
    "asks",
    "answer",
    "importance",
    "recency",
    "pinned",
]
SIGNALS: tuple[Signal, ...] = get_args(Signal)


class RankingWeights(Weights):
    """What each signal, itself between 0 and 1, adds to a score.

    The defaults were chosen on LoCoMo conversations 0–2; `benchmarks/locomo_retrieval.py`
    prints what they do on the others. The plateau is wide: a third more or less of any
    one weight moves recall@10 by about a point. What facts show is
    kept by `memory-graph tune --what ranking`: `evals/tuning/ranking.md`, and all else
    by `memory-graph tune --what ranking-turns`: `evals/tuning/ranking-turns.md`.
    """

    lexical: float = Field(default=0.6, ge=0)
    """The share of the query's words, by rarity, found in the item and what was said around it.
    A definition: the unit that all other weights are measured by, as only ratios rank.
    """

    vector: float = Field(default=0.53, ge=0)
    """Calibrated similarity. Less than words: small embedders blur names and numbers."""

    session: float = Field(default=0.16, ge=0)
    """Similarity of the best that was said in the same session, for short turns."""

    speaker: float = Field(default=0.17, ge=0)
    """The one participant whom the query names said it."""

    time: float = Field(default=0.2, ge=0)
    """It was said in the time asked about. A boost: hard filters lose more than they gain."""

    asks: float = Field(default=-0.07, le=0)
    """A short turn that ends in a question asks for something rather than tells it."""

    answer: float = Field(default=0.11, ge=0)
    """It names the kind of thing asked for: a time for `when`, a number for `how many`."""

    importance: float = Field(default=0.05, ge=0)
    """Enough to decide between equals, too little to bring up what was not asked for."""

    recency: float = Field(default=0.02, ge=0)
    """As `importance`; recall of past conversations raises it."""

    pinned: float = Field(default=0.1, ge=0)
    """What a person marked as always worth having."""

    half_life_days: float = Field(default=30.0, gt=0)
    """After this time `recency` has fallen to a half."""

    def by_signal(self, *, with_vector: bool = True) -> dict[Signal, float]:
        """Return the weight of each signal; without vectors, words take their weight over."""
        weights = {signal: float(getattr(self, signal)) for signal in SIGNALS}
        if not with_vector:
            weights["lexical"] += weights["vector"]
            weights["vector"] = 0.0
        return weights


class Scored(BaseModel):
    """A score, and what each signal added to it."""

    model_config = ConfigDict(frozen=True)

    score: float
    parts: dict[Signal, float]


def score(signals: Mapping[Signal, float], weights: RankingWeights) -> Scored:
    """Return the weighted sum of `signals`, each between 0 and 1, with its parts.

    Leave `vector` out when nothing was embedded; any other signal left out counts as 0.
    """
    by_signal = weights.by_signal(with_vector="vector" in signals)
    parts = {signal: by_signal[signal] * value for signal, value in signals.items()}
    return Scored(score=sum(parts.values()), parts=parts)


def score_recency(age_s: float, weights: RankingWeights) -> float:
    """Return 1 for something said just now, a half after one half-life, and so on."""
    return float(0.5 ** (max(age_s, 0.0) / (weights.half_life_days * 86_400)))


def score_importance(importance: int) -> float:
    """Return an importance of 1–5 as a share between 0 and 1."""
    return (importance - 1) / 4
