"""Is this exchange worth an episode, and may one be written now?"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from pydantic import Field

from memory_graph.policy.fields import Policy
from memory_graph.policy.signals import NotabilityWeights, Signals, notability
from memory_graph.records import Share

KeepReason = Literal[
    "user_declared",
    "milestone",
    "life_event",
    "outcome",
    "decision",
    "commitment",
    "recall_recap",
    "notable",
]
SkipReason = Literal[
    "disabled",
    "no_user",
    "nothing_new",
    "already_captured",
    "quota",
    "pure_fact_update",
    "routine",
    "low_notability",
    "cooldown",
    "not_novel",
]
CaptureReason = KeepReason | SkipReason


class CapturePolicy(Policy):
    """The numbers behind capturing, merging and chaining episodes."""

    enabled: bool = Field(default=True, json_schema_extra={"env": "EPISODIC_ENABLED"})
    """Off: no episode is ever written, and nothing is spent on deciding."""

    cooldown_turns: int = Field(
        default=3, ge=0, json_schema_extra={"env": "EPISODIC_COOLDOWN_TURNS"}
    )
    """Turns of this user after an episode before the next; enough minutes also end the wait.
    A limit: it bounds how often a model writes. What it costs in episodes that are lost or mixed
    is measured by `memory-graph tune --what pace`: `evals/tuning/pace.md`.
    """

    cooldown_minutes: float = Field(
        default=10, ge=0, json_schema_extra={"env": "EPISODIC_COOLDOWN_MINUTES"}
    )
    """Minutes after an episode before the next; enough turns also end the wait.
    A limit: as `cooldown_turns`; measured by
    `memory-graph tune --what pace`: `evals/tuning/pace.md`.
    """

    max_per_day: int = Field(default=5, ge=0, json_schema_extra={"env": "EPISODIC_MAX_PER_DAY"})
    """Episodes per user and local day.
    A limit: nothing beats it, so that it bounds cost.
    """

    novelty_min: Share = Field(default=0.1, json_schema_extra={"env": "EPISODIC_NOVELTY_MIN"})
    """Below this novelty (1 - similarity to the nearest recent episode) it was already told.
    Kept by `memory-graph tune --what novelty`: `evals/tuning/novelty.md`.
    """

    notability_min: Share = 0.5
    """One clear outcome reaches it; hints reach it only together.
    Kept by `memory-graph tune --what capture`: `evals/tuning/capture.md`.
    """

    weights: NotabilityWeights = NotabilityWeights()
    """How much each sign of an outcome counts."""

    merge_window_hours: float = Field(
        default=48, ge=0, json_schema_extra={"env": "EPISODIC_MERGE_WINDOW_HOURS"}
    )
    """How long after its end an episode still takes in an exchange on the same theme.
    A limit: merging ends with the day anyway, so that older episodes need not be looked at.
    """

    merge_similarity: Share = 0.75
    """From this likeness of themes on, what follows on the same day joins an episode.
    Kept by `memory-graph tune --what merge`: `evals/tuning/merge.md`.
    """

    window_n: int = Field(default=10, ge=1, json_schema_extra={"env": "EPISODIC_WINDOW_N"})
    """How many of the last messages the summary is made from.
    A limit: it bounds the prompt that writes an episode.
    """

    parent_similarity: Share = 0.85
    """Above this likeness of themes an episode continues an earlier one.
    Kept by `memory-graph tune --what parent`: `evals/tuning/parent.md`.
    """

    parent_window_hours: float = Field(default=48, ge=0)
    """How long ago the earlier episode may have ended to be continued.
    A limit: whatever ended earlier is found by its topic, and not looked at for every episode.
    """


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything the decision may look at."""

    signals: Signals
    now: datetime
    turns_since_last: int | None = None
    """The user's turns, in any thread, since their last episode; none yet: `None`."""

    last_captured_at: datetime | None = None
    captured_today: int = 0
    """Episodes written for this user on their current local day."""

    nearest_similarity: float | None = None
    """Calibrated similarity (0–1) to the nearest recent episode; none yet: `None`."""

    new_messages: int = 1
    """Messages that no earlier capture has looked at."""

    facts_changed: bool = False
    """The hot path already kept what the user stated in this turn."""

    told_from_memory: bool = False
    """Memory itself answered the question; a mere look back is then no news."""

    is_captured: bool = False
    """An earlier run of this very turn has already written its episode."""

    is_user_known: bool = True


@dataclass(frozen=True, kw_only=True)
class Capture:
    """The decision, and the numbers it was made on."""

    keep: bool
    reason: CaptureReason
    scores: dict[str, float]
    thresholds: dict[str, float]


def decide_capture(evidence: Evidence, policy: CapturePolicy) -> Capture:
    """Return whether to keep an exchange as an episode, and why.

    Checks run cheapest first, and the first that holds is the reason given.
    """
    reason: CaptureReason = (
        _refusal(evidence, policy)
        or _lack_of_outcome(evidence, policy)
        or _repetition(evidence, policy)
        or _merit(evidence.signals)
    )
    return Capture(
        keep=reason in get_args(KeepReason),
        reason=reason,
        scores=_scores(evidence, policy),
        thresholds=_thresholds(policy),
    )


def _refusal(evidence: Evidence, policy: CapturePolicy) -> SkipReason | None:
    if not policy.enabled:
        return "disabled"
    if not evidence.is_user_known:
        return "no_user"
    if evidence.new_messages <= 0:
        return "nothing_new"
    if evidence.is_captured:
        return "already_captured"
    return "quota" if evidence.captured_today >= policy.max_per_day else None


def _lack_of_outcome(evidence: Evidence, policy: CapturePolicy) -> SkipReason | None:
    signals = evidence.signals
    if notability(signals, policy.weights) >= policy.notability_min:
        only_stated = evidence.facts_changed and _merit(signals) == "notable"
        return "pure_fact_update" if only_stated else None
    if signals.pure_fact_update:
        return "pure_fact_update"
    return "routine" if signals.routine or signals.question_only else "low_notability"


def _repetition(evidence: Evidence, policy: CapturePolicy) -> SkipReason | None:
    if evidence.signals.user_declared:
        return None
    if _is_cooling_down(evidence, policy):
        return "cooldown"
    if evidence.told_from_memory and _merit(evidence.signals) == "recall_recap":
        return "not_novel"
    return "not_novel" if _novelty(evidence) < policy.novelty_min else None


def _is_cooling_down(evidence: Evidence, policy: CapturePolicy) -> bool:
    turns, last = evidence.turns_since_last, evidence.last_captured_at
    if turns is None or last is None:
        return False
    waited = evidence.now - last
    return turns < policy.cooldown_turns and waited < timedelta(minutes=policy.cooldown_minutes)


def _novelty(evidence: Evidence) -> float:
    return round(1 - (evidence.nearest_similarity or 0.0), 6)


def _merit(signals: Signals) -> KeepReason:
    """Return the strongest reason to keep an exchange that is notable enough."""
    merits: tuple[tuple[KeepReason, bool], ...] = (
        ("user_declared", signals.user_declared),
        ("milestone", signals.milestone),
        ("life_event", signals.life_event),
        ("decision", signals.decision),
        ("outcome", signals.problem_solved or signals.recovered or signals.tool_actions > 0),
        ("commitment", signals.commitment),
        ("recall_recap", signals.recall_recap),
    )
    return next((reason for reason, holds in merits if holds), "notable")


def _scores(evidence: Evidence, policy: CapturePolicy) -> dict[str, float]:
    scores = {
        "notability": notability(evidence.signals, policy.weights),
        "novelty": _novelty(evidence),
        "captured_today": float(evidence.captured_today),
    }
    if evidence.turns_since_last is not None:
        scores["turns_since_last"] = float(evidence.turns_since_last)
    if evidence.last_captured_at is not None:
        waited = evidence.now - evidence.last_captured_at
        scores["minutes_since_last"] = round(waited.total_seconds() / 60, 2)
    return scores


def _thresholds(policy: CapturePolicy) -> dict[str, float]:
    return {
        "notability_min": policy.notability_min,
        "novelty_min": policy.novelty_min,
        "max_per_day": float(policy.max_per_day),
        "cooldown_turns": float(policy.cooldown_turns),
        "cooldown_minutes": policy.cooldown_minutes,
    }
