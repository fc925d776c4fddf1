"""Proposes patterns from actions that kept working or failing in the same situation."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from memory_graph import prompts
from memory_graph.language.likeness import is_negated, overlap
from memory_graph.language.words import content_words
from memory_graph.llm.ask import Answer, ask
from memory_graph.patterns.evidence import normalise_name, with_observations
from memory_graph.patterns.writing import save_patterns
from memory_graph.policies import LearningPolicy
from memory_graph.records import (
    Change,
    Decision,
    Episode,
    MemoryDecision,
    Observation,
    Outcome,
    Pattern,
    PatternKind,
    Usage,
)
from memory_graph.safety.secrets import fence, one_line
from memory_graph.store.scope import UserMemory, user_lock

GroupReason = Literal["too_few", "mixed", "works", "fails"]

SUCCESS: dict[Outcome, bool] = {"success": True, "failure": False}
"""Outcomes that say whether something worked; the others leave it open."""

_NAME_WORDS = 4


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


PROMPT = "propose_patterns/1"
_LONGEST_EPISODE = 500


class PatternGuess(BaseModel):
    """Something that was done more than once in the same situation."""

    trigger: str = Field(min_length=3, max_length=300, description="When it applies.")
    action: str = Field(min_length=3, max_length=300, description="What was done then.")
    episodes: list[int] = Field(description="Numbers of the episodes in which it was done.")


class PatternGuesses(BaseModel):
    """What repeats; mostly nothing."""

    patterns: list[PatternGuess] = Field(default_factory=list, max_length=10)


async def guess_patterns(
    episodes: Sequence[Episode], model: BaseChatModel, *, timeout_s: float
) -> Answer[PatternGuesses]:
    """Return what was done repeatedly in `episodes`, which are numbered from 1.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    numbered = (f"{n}. {_told(each)}" for n, each in enumerate(episodes, 1))
    prompt = prompts.render("propose_patterns", episodes=fence("episodes", numbered))
    return await ask(model, prompt, PatternGuesses, timeout_s=timeout_s)


def _told(episode: Episode) -> str:
    decided = "; ".join(each.chosen for each in episode.decisions)
    told = f"{episode.title}: {episode.summary} Decided: {decided}" if decided else episode.summary
    return f"({episode.outcome}) {one_line(told, _LONGEST_EPISODE)}"


@dataclass(frozen=True)
class Learned:
    """What was proposed, why, and what it cost."""

    decisions: tuple[MemoryDecision, ...] = ()
    usage: Usage = field(default_factory=Usage)


async def learn(
    memory: UserMemory,
    policy: LearningPolicy,
    change: Change,
    model: BaseChatModel | None = None,
    *,
    timeout_s: float = 20.0,
) -> Learned:
    """Propose what kept working or failing; proposals wait until somebody confirms them.

    Decisions are counted; a model, if there is one, also finds repetitions told in different
    words. Either way it is the recorded outcomes that say whether something worked.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    repeated = await _repetitions(memory, policy, model, timeout_s)
    async with user_lock(memory.scope.root):
        known = {each.name: each for each in await memory.patterns.all()}
        changed = _proposals(repeated.groups, known, policy, change)
        decisions = await save_patterns(memory, known, changed, change, "repeated")
    return Learned(decisions, repeated.usage)


async def preview(
    memory: UserMemory,
    policy: LearningPolicy,
    change: Change,
    model: BaseChatModel | None = None,
    *,
    timeout_s: float = 20.0,
) -> list[Pattern]:
    """Return what `learn` would propose now; nothing is written."""
    repeated = await _repetitions(memory, policy, model, timeout_s)
    known = {each.name: each for each in await memory.patterns.all()}
    return _proposals(repeated.groups, known, policy, change)


@dataclass(frozen=True)
class _Repetitions:
    groups: list[list[Trial]]
    usage: Usage


async def _repetitions(
    memory: UserMemory, policy: LearningPolicy, model: BaseChatModel | None, timeout_s: float
) -> _Repetitions:
    """Return which trials are of the same action: by their words, and as a model sees it."""
    episodes = await memory.episodes.recent(policy.episodes)
    trials = [trial for each in episodes for trial in trials_of(each)]
    groups = await asyncio.to_thread(group_trials, trials, policy)
    if model is None or len(episodes) < policy.min_episodes:
        return _Repetitions(groups, Usage())
    answer = await guess_patterns(episodes, model, timeout_s=timeout_s)
    guessed = [_guessed_trials(guess, episodes) for guess in answer.reply.patterns]
    return _Repetitions(groups + guessed, answer.usage)


def _proposals(
    groups: Iterable[Sequence[Trial]],
    known: Mapping[str, Pattern],
    policy: LearningPolicy,
    change: Change,
) -> list[Pattern]:
    """Return new proposals, and earlier ones with new evidence.

    A pattern that a person stated, confirmed or rejected is theirs and stays as it is.
    """
    patterns = dict(known)
    for trials in groups:
        kind = judge_group(trials, policy).kind if trials else None
        same = match_known(trials, patterns.values(), policy) if kind else None
        if same is not None and same.status == "proposed":
            patterns[same.name] = with_trials(same, trials)
        elif same is None and kind is not None:
            made = proposal(trials, kind, change.at)
            patterns.setdefault(made.name, made.model_copy(update={"source": change.source}))
    return [each for name, each in patterns.items() if known.get(name) != each]


def _guessed_trials(guess: PatternGuess, episodes: Sequence[Episode]) -> list[Trial]:
    """Return the episodes a model named as trials, where their outcome is known."""
    named = [episodes[n - 1] for n in dict.fromkeys(guess.episodes) if 0 < n <= len(episodes)]
    trials = [
        Trial(
            id=f"{episode.id}:episode",
            trigger=guess.trigger,
            action=guess.action,
            success=SUCCESS[episode.outcome],
            episode_id=episode.id,
            at=episode.ended_at,
        )
        for episode in named
        if episode.outcome in SUCCESS
    ]
    return sorted(trials, key=lambda each: each.at)
