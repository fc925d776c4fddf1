"""How much is recalled for a turn, and does it answer what was asked?"""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from memory_graph.policy.fields import Policy
from memory_graph.policy.ranking import RankingWeights
from memory_graph.policy.recall_intent import RecallGrade

RecallFound = Literal["found", "weak", "none"]


class RecallPolicy(Policy):
    """What `memory_context` reads and how much of it the agent is given."""

    topk: int = Field(default=24, ge=1, json_schema_extra={"env": "MEMORY_CONTEXT_TOPK"})
    """Facts considered on an ordinary turn."""

    topn: int = Field(default=32, ge=1, json_schema_extra={"env": "MEMORY_CONTEXT_TOPN"})
    """Memories of all kinds given to the agent at most."""

    token_budget: int = Field(default=1200, ge=50)
    """Longest memory block, in tokens."""

    recent_episodes: int = Field(default=2, ge=0, le=10)
    """Episodes shown on an ordinary turn."""

    recall_episodes: int = Field(default=8, ge=1, le=50)
    """Episodes shown when the user asks to look back."""

    recap_facts: int = Field(default=8, ge=0)
    """Facts kept as a short profile when the user asks to look back."""

    weights: RankingWeights = Field(
        default=RankingWeights(), json_schema_extra={"env": "MEMORY_RERANK_WEIGHTS"}
    )
    """How much each sign of relevance counts: `lexical=0.6,vector=0.4,recency=0.05`."""

    found_min: float = Field(default=0.41, ge=0, le=1)
    """Best relevance from which the question counts as answered by memory.
    Chosen by `memory-graph tune --what found`: `evals/tuning/found.md`.
    """

    weak_min: float = Field(default=0.25, ge=0, le=1)
    """Below this, memory holds nothing about it.
    Kept by `memory-graph tune --what weak`: `evals/tuning/weak.md`.
    """


@dataclass(frozen=True, kw_only=True)
class RecallPlan:
    """How many memories of each kind a turn may use."""

    facts: int
    episodes: int
    recency_weight: float


@dataclass(frozen=True, kw_only=True)
class RecallVerdict:
    """Whether memory holds what was asked for."""

    found: RecallFound
    best: float
    threshold: float


def plan_recall(grade: RecallGrade, policy: RecallPolicy) -> RecallPlan:
    """Choose what to read: facts first; more episodes only when asked to look back."""
    if grade == "explicit":
        return RecallPlan(
            facts=policy.recap_facts, episodes=policy.recall_episodes, recency_weight=2.0
        )
    if grade == "implicit":
        return RecallPlan(facts=policy.topk, episodes=policy.recall_episodes, recency_weight=1.5)
    return RecallPlan(facts=policy.topk, episodes=policy.recent_episodes, recency_weight=1.0)


def judge_recall(best: float, policy: RecallPolicy) -> RecallVerdict:
    """Say whether the best hit answers the question, might, or does not."""
    if best >= policy.found_min:
        return RecallVerdict(found="found", best=best, threshold=policy.found_min)
    found: RecallFound = "weak" if best >= policy.weak_min else "none"
    return RecallVerdict(found=found, best=best, threshold=policy.found_min)
