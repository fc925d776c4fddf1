"""Which actions kept working, or kept failing, in the same situation?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_graph.policy.evidence import with_observations
from memory_graph.policy.fields import Policy
from memory_graph.policy.likeness import is_negated, overlap
from memory_graph.policy.pattern_names import normalise_name
from memory_graph.policy.sentences import content_words
from memory_graph.records import Decision, Episode, Observation, Outcome, Pattern, PatternKind

GroupReason = Literal["too_few", "mixed", "works", "fails"]
SUCCESS: dict[Outcome, bool] = {"success": True, "failure": False}
"""Outcomes that say whether something worked; the others leave it open."""

_NAME_WORDS = 4


class LearningPolicy(Policy):
    """When repeated outcomes are worth proposing as a pattern."""

    enabled: bool = False
    """On: maintenance proposes patterns; `memory-graph learn` does so whenever it is asked."""

    min_episodes: int = Field(default=3, ge=2)
    """Twice may be chance; one episode is no repetition, however often it says so.
    A definition: the least that a person would be asked to confirm.
    """

    works_from: float = Field(default=0.7, ge=0, le=1)
    """Share of successes from which an action is advice.
    A definition: of three tries all must have worked, of four one may have failed.
    """

    fails_to: float = Field(default=0.3, ge=0, le=1)
    """Share of successes up to which an action is a warning.
    A definition: the mirror of `works_from`.
    """

    min_likeness: float = Field(default=0.5, gt=0, le=1)
    """Share of common words from which two triggers, or two actions, are the same.
    Kept by `memory-graph tune --what likeness`: `evals/tuning/likeness.md`.
    """

    episodes: int = Field(default=300, ge=1)
    """Latest episodes looked at.
    A limit: comparing them takes time that grows with the square.
    """


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One time somebody did something in a situation, and whether it worked."""

    id: str
    trigger: str
    action: str
    success: bool
    episode_id: str
    at: datetime


@dataclass(frozen=True)
class GroupVerdict:
    """What trials of the same action come to."""

    reason: GroupReason
    success_rate: float
    episodes: int

    @property
    def kind(self) -> PatternKind | None:
        """What to propose, if anything."""
        kinds: dict[GroupReason, PatternKind] = {"works": "pattern", "fails": "antipattern"}
        return kinds.get(self.reason)


def trials_of(episode: Episode) -> list[Trial]:
    """Return the decisions of an episode whose outcome is known, its own outcome failing that."""
    return [
        trial for decision in episode.decisions if (trial := _trial(decision, episode)) is not None
    ]


def group_trials(trials: Iterable[Trial], policy: LearningPolicy) -> list[list[Trial]]:
    """Put trials of like actions in like situations together, each with the first it is like."""
    groups: list[list[Trial]] = []
    for trial in sorted(trials, key=lambda each: (each.at, each.id)):
        like = next((g for g in groups if _is_like(trial, g[0], policy)), None)
        if like is None:
            groups.append([trial])
        else:
            like.append(trial)
    return groups


def match_known(
    trials: Sequence[Trial], patterns: Iterable[Pattern], policy: LearningPolicy
) -> Pattern | None:
    """Return the pattern that trials belong to: most are its evidence, or its words are theirs."""
    ids = {trial.id for trial in trials}
    for pattern in patterns:
        shared = sum(each.id in ids for each in pattern.evidence)
        if 2 * shared >= len(ids) or _is_like(trials[-1], pattern, policy):
            return pattern
    return None


def judge_group(trials: Sequence[Trial], policy: LearningPolicy) -> GroupVerdict:
    """Say whether trials of one action are worth proposing, and as what."""
    episodes = len({trial.episode_id for trial in trials})
    rate = sum(trial.success for trial in trials) / len(trials)
    reason: GroupReason = "mixed"
    if episodes < policy.min_episodes:
        reason = "too_few"
    elif rate >= policy.works_from:
        reason = "works"
    elif rate <= policy.fails_to:
        reason = "fails"
    return GroupVerdict(reason, rate, episodes)


def proposal(trials: Sequence[Trial], kind: PatternKind, now: datetime) -> Pattern:
    """Return trials of one action as a pattern that waits to be confirmed, in its last words."""
    first, latest = trials[0], trials[-1]
    pattern = Pattern(
        name=_name(first.trigger, first.action),
        kind=kind,
        trigger=latest.trigger,
        action=latest.action,
        status="proposed",
        created_at=now,
        updated_at=now,
    )
    return with_trials(pattern, trials)


def with_trials(pattern: Pattern, trials: Iterable[Trial]) -> Pattern:
    """Return a pattern with trials as its evidence; those it has already change nothing."""
    seen = (
        Observation(id=each.id, success=each.success, at=each.at, episode_id=each.episode_id)
        for each in trials
    )
    return with_observations(pattern, seen)


def _trial(decision: Decision, episode: Episode) -> Trial | None:
    outcome = decision.outcome if decision.outcome in SUCCESS else episode.outcome
    trigger = decision.context.strip() or episode.title
    if outcome not in SUCCESS or not content_words(decision.chosen):
        return None
    return Trial(
        id=f"{episode.id}:{decision.id}",
        trigger=trigger,
        action=decision.chosen,
        success=SUCCESS[outcome],
        episode_id=episode.id,
        at=decision.timestamp or episode.ended_at,
    )


def _is_like(one: Trial | Pattern, other: Trial | Pattern, policy: LearningPolicy) -> bool:
    """Return whether two agree on what is done, and on when."""
    return (
        overlap(one.action, other.action) >= policy.min_likeness
        and overlap(one.trigger, other.trigger) >= policy.min_likeness
    )


def _name(trigger: str, action: str) -> str:
    done = list(dict.fromkeys(content_words(action)))[:_NAME_WORDS]
    when = list(dict.fromkeys(content_words(trigger)))[:_NAME_WORDS]
    start = ["not"] if is_negated(action) else []
    return normalise_name(" ".join([*start, *done, "when", *when]))
