"""The two formulas that rank memories: within one kind, and between kinds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory_graph.policies import RankingWeights
from memory_graph.records import Signal

Amount = TypeVar("Amount")
"""A number, or an array with one number for each memory."""


@dataclass(frozen=True)
class Scored(Generic[Amount]):
    """A score, what each signal added to it, and how well the memory fits the topic."""

    score: Amount
    parts: dict[Signal, Amount]
    relevance: Amount


def score(
    signals: Mapping[Signal, Amount], weights: RankingWeights, covered: Amount | float = 0.0
) -> Scored[Amount]:
    """Return the weighted sum of `signals`, each between 0 and 1, with its parts.

    Leave `vector` out when nothing was embedded; any other signal left out counts as 0.

    Args:
        signals: Numbers, or arrays with one number for each memory.
        weights: What each signal counts.
        covered: The share of the topic's words that the memory has.
    """
    by_signal = weights.by_signal(with_vector="vector" in signals)
    parts = {signal: by_signal[signal] * values for signal, values in signals.items()}  # type: ignore[operator]
    whole = (by_signal["lexical"] + by_signal["vector"]) or 1.0
    fit = by_signal["lexical"] * covered  # type: ignore[operator]
    if "vector" in parts:
        fit = fit + parts["vector"]
    return Scored(sum(parts.values()), parts, fit / whole)  # type: ignore[arg-type]


OWN_WORDS, MEANING, AROUND = 0.2, 0.6, 0.2
"""What a memory's own words, its own meaning and what was said around it count between kinds.
Searched by hand on the open people files, by the rank of the first answer; the plateau is wide.
"""


def score_fit(words: float, meaning: float, around: float) -> float:
    """Return how well one memory of any kind fits a question, 0–1.

    Scores compare memories of one kind; this compares a fact with a turn.
    """
    return OWN_WORDS * words + MEANING * meaning + AROUND * around


def score_recency(age_days: Amount, weights: RankingWeights) -> Amount:
    """Return 1 for something said just now, a half after one half-life, and so on."""
    return 0.5 ** (age_days / weights.half_life_days)  # type: ignore[operator, no-any-return]


def score_importance(importance: int) -> float:
    """Return an importance of 1–5 as a share between 0 and 1."""
    return (importance - 1) / 4
