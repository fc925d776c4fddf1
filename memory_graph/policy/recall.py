"""How much is recalled for a turn, and does it answer what was asked?"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from pydantic import Field

from memory_graph.policy.fields import Policy
from memory_graph.policy.ranking import RankingWeights
from memory_graph.policy.recall_intent import RecallGrade
from memory_graph.policy.time_phrases import TimeRange

RecallFound = Literal["found", "weak", "none"]
JudgedBy = Literal["relevance", "time"]
"""`time`: whatever was said then was asked for, so only that it was said then counts."""

Reach = Literal["asked", "around", "anytime"]
"""How far from the time asked about one had to look: in it, near it, or anywhere."""

_BY_REACH: dict[Reach, RecallFound] = {"asked": "found", "around": "weak", "anytime": "none"}


class RecallPolicy(Policy):
    """What `memory_context` reads and how much of it the agent is given."""

    topk: int = Field(default=24, ge=1, json_schema_extra={"env": "MEMORY_CONTEXT_TOPK"})
    """Facts considered on an ordinary turn.
    A limit: it bounds the prompt, together with `token_budget`.
    """

    topn: int = Field(default=32, ge=1, json_schema_extra={"env": "MEMORY_CONTEXT_TOPN"})
    """Memories of all kinds given to the agent at most.
    A limit: it bounds the prompt, together with `token_budget`.
    """

    token_budget: int = Field(default=1200, ge=50)
    """Longest memory block, in tokens.
    A limit: every turn pays for it.
    """

    recent_episodes: int = Field(default=2, ge=0, le=10)
    """Episodes shown on an ordinary turn: those that match, else the latest.
    A limit: every turn pays for them.
    """

    recall_episodes: int = Field(default=8, ge=1, le=50)
    """Episodes shown when the user asks to look back.
    A limit: part of `topn`, which bounds the prompt.
    """

    recall_turns: int = Field(default=10, ge=0, le=100)
    """Verbatim turns shown when the user asks to look back; never on an ordinary turn.
    A limit: part of `topn`, which bounds the prompt.
    """

    recap_facts: int = Field(default=8, ge=0)
    """Facts kept as a short profile when the user asks to look back.
    A limit: the room they take is wanted for episodes.
    """

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
    turns: int = 0
    recency_weight: float


@dataclass(frozen=True, kw_only=True)
class RecallVerdict:
    """Whether memory holds what was asked for, and what says so."""

    found: RecallFound
    best: float
    threshold: float
    reason: JudgedBy = "relevance"


@dataclass(frozen=True)
class Stage:
    """One stretch of time to look in; without bounds, any time."""

    reach: Reach | None
    start: datetime | None = None
    end: datetime | None = None
    filters: bool = False


def plan_recall(grade: RecallGrade, policy: RecallPolicy) -> RecallPlan:
    """Choose what to read: facts first; episodes and turns when asked to look back."""
    if grade == "none":
        episodes = min(policy.recent_episodes, max(policy.topn - 1, 0))
        facts = min(policy.topk, policy.topn - episodes)
        return RecallPlan(facts=facts, episodes=episodes, recency_weight=1.0)
    is_explicit = grade == "explicit"
    wanted = policy.recap_facts if is_explicit else policy.topk
    recap = min(wanted, policy.topn // 4)
    episodes = min(policy.recall_episodes, (policy.topn - recap + 1) // 2)
    turns = min(policy.recall_turns, policy.topn - recap - episodes)
    return RecallPlan(
        facts=min(wanted, policy.topn - episodes - turns),
        episodes=episodes,
        turns=turns,
        recency_weight=2.0 if is_explicit else 1.5,
    )


def plan_stages(phrase: TimeRange | None) -> list[Stage]:
    """Return where to look, one after the other until something is found.

    Only an exact phrase about the conversation itself leaves anything out: the day
    something was said is often not the day it happened.
    """
    if phrase is None:
        return [Stage(None)]
    whole = Stage("anytime", phrase.start, phrase.end)
    if not (phrase.hard and phrase.scopes_conversation):
        return [Stage(None, phrase.start, phrase.end)]
    asked = Stage("asked", phrase.start, phrase.end, filters=True)
    if phrase.start is None or phrase.end is None:
        return [asked, whole]
    more = max(phrase.end - phrase.start, timedelta(days=1))
    around = Stage("around", phrase.start - more, phrase.end + more, filters=True)
    return [asked, around, whole]


def judge_recall(
    best: float, policy: RecallPolicy, *, at_the_time: Reach | None = None
) -> RecallVerdict:
    """Say whether the best hit answers the question, might, or does not.

    It is judged by two decimals, as it is shown: 0.41 is not less than 0.41.

    Args:
        best: The relevance of the best hit.
        policy: The thresholds.
        at_the_time: For a question that names a time and no topic, where something was
            found; words say nothing then.
    """
    best = round(best, 2)
    if at_the_time is not None:
        return RecallVerdict(
            found=_BY_REACH[at_the_time], best=best, threshold=policy.found_min, reason="time"
        )
    found: RecallFound = "weak" if best >= policy.weak_min else "none"
    if best >= policy.found_min:
        found = "found"
    return RecallVerdict(found=found, best=best, threshold=policy.found_min)
