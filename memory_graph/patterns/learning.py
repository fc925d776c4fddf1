"""Propose patterns from actions that kept working or failing in the same situation."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from memory_graph import prompts
from memory_graph.language.likeness import is_negated, overlap
from memory_graph.language.words import content_words
from memory_graph.llm.ask import ask
from memory_graph.patterns.evidence import normalise_name, with_observations
from memory_graph.patterns.writing import save_patterns
from memory_graph.policies import LearningPolicy
from memory_graph.records import (
    Change,
    Episode,
    MemoryDecision,
    Observation,
    Outcome,
    Pattern,
    PatternKind,
)
from memory_graph.safety.secrets import fence, one_line
from memory_graph.store.scope import UserMemory, user_lock

GroupReason = Literal["too_few", "mixed", "works", "fails"]
PROPOSED: dict[GroupReason, PatternKind] = {"works": "pattern", "fails": "antipattern"}
"""What trials are proposed as; for the other reasons they are not."""

SUCCESS: dict[Outcome, bool] = {"success": True, "failure": False}
"""Outcomes that say whether something worked; the others leave it open."""

_NAME_WORDS = 4


class Trial(NamedTuple):
    """One time somebody did something in a situation, and whether it worked."""

    trigger: str
    action: str
    seen: Observation


def trials_of(episode: Episode) -> list[Trial]:
    """Return an episode's decisions with a known outcome: their own, else the episode's."""
    trials = []
    for decision in episode.decisions:
        outcome = decision.outcome if decision.outcome in SUCCESS else episode.outcome
        if outcome in SUCCESS and content_words(decision.chosen):
            seen = _observation(episode, decision.id, outcome, decision.timestamp)
            trigger = decision.context.strip() or episode.title
            trials.append(Trial(trigger, decision.chosen, seen))
    return trials


def _observation(
    episode: Episode, name: str, outcome: Outcome, at: datetime | None = None
) -> Observation:
    return Observation(
        id=f"{episode.id}:{name}",
        success=SUCCESS[outcome],
        at=at or episode.ended_at,
        episode_id=episode.id,
    )


def group_trials(trials: Iterable[Trial], policy: LearningPolicy) -> list[list[Trial]]:
    """Group trials of similar actions in similar situations, each with the first it matches."""
    groups: list[list[Trial]] = []
    for trial in sorted(trials, key=lambda each: (each.seen.at, each.seen.id)):
        like = next((g for g in groups if _is_like(trial, g[0], policy)), None)
        if like is None:
            groups.append([trial])
        else:
            like.append(trial)
    return groups


def match_known(
    trials: Sequence[Trial], patterns: Iterable[Pattern], policy: LearningPolicy
) -> Pattern | None:
    """Return the pattern that trials belong to, by shared evidence or by its words."""
    ids = {trial.seen.id for trial in trials}
    for pattern in patterns:
        shared = sum(each.id in ids for each in pattern.evidence)
        if 2 * shared >= len(ids) or _is_like(trials[-1], pattern, policy):
            return pattern
    return None


def judge_group(trials: Sequence[Trial], policy: LearningPolicy) -> GroupReason:
    """Say whether trials of one action are worth proposing, and why."""
    if len({trial.seen.episode_id for trial in trials}) < policy.min_episodes:
        return "too_few"
    rate = sum(trial.seen.success for trial in trials) / len(trials)
    if rate >= policy.works_from:
        return "works"
    return "fails" if rate <= policy.fails_to else "mixed"


def proposal(trials: Sequence[Trial], kind: PatternKind, now: datetime) -> Pattern:
    """Return trials of one action as a proposed pattern, in the words of the last trial."""
    first, latest = trials[0], trials[-1]
    done, when = (
        list(dict.fromkeys(content_words(text)))[:_NAME_WORDS]
        for text in (first.action, first.trigger)
    )
    start = ["not"] if is_negated(first.action) else []
    pattern = Pattern(
        name=normalise_name(" ".join([*start, *done, "when", *when])),
        kind=kind,
        trigger=latest.trigger,
        action=latest.action,
        status="proposed",
        created_at=now,
        updated_at=now,
    )
    return with_observations(pattern, (each.seen for each in trials))


def _is_like(one: Trial | Pattern, other: Trial | Pattern, policy: LearningPolicy) -> bool:
    """Return whether two agree on what is done, and on when."""
    return (
        overlap(one.action, other.action) >= policy.min_likeness
        and overlap(one.trigger, other.trigger) >= policy.min_likeness
    )


_LONGEST_EPISODE = 500
_TIMEOUT_S = 20.0


class PatternGuess(BaseModel):
    """Something that was done more than once in the same situation."""

    trigger: str = Field(min_length=3, max_length=300, description="When it applies.")
    action: str = Field(min_length=3, max_length=300, description="What was done then.")
    episodes: list[int] = Field(description="Numbers of the episodes in which it was done.")


class PatternGuesses(BaseModel):
    """What repeats; usually nothing."""

    patterns: list[PatternGuess] = Field(default_factory=list, max_length=10)


class Learned(NamedTuple):
    """The patterns that are proposed, and why; without decisions nothing was written."""

    patterns: list[Pattern]
    decisions: tuple[MemoryDecision, ...] = ()


async def learn(
    memory: UserMemory,
    policy: LearningPolicy,
    change: Change,
    model: BaseChatModel | None = None,
    *,
    apply: bool = True,
) -> Learned:
    """Propose what kept working or failing; proposals wait until somebody confirms them.

    Decisions are counted; a model, if there is one, also finds repetitions in different words. In
    both cases the recorded outcomes say whether something worked.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    episodes = await memory.episodes.recent(policy.episodes)
    trials = [trial for each in episodes for trial in trials_of(each)]
    groups = await asyncio.to_thread(group_trials, trials, policy)
    if model is not None and len(episodes) >= policy.min_episodes:
        groups += await _guessed_groups(episodes, model)
    async with user_lock(memory.scope.root):
        known = {each.name: each for each in await memory.patterns.all()}
        proposed = _proposals(groups, known, policy, change)
        if not apply:
            return Learned(proposed)
        return Learned(proposed, await save_patterns(memory, known, proposed, change, "repeated"))


async def _guessed_groups(episodes: Sequence[Episode], model: BaseChatModel) -> list[list[Trial]]:
    """Return the trials that a model takes for the same action, where their outcome is known."""
    lines = []
    for number, each in enumerate(episodes, 1):
        decided = "; ".join(decision.chosen for decision in each.decisions)
        text = f"{each.title}: {each.summary} Decided: {decided}" if decided else each.summary
        lines.append(f"{number}. ({each.outcome}) {one_line(text, _LONGEST_EPISODE)}")
    prompt = prompts.render("propose_patterns", episodes=fence("episodes", lines))
    answer = await ask(model, prompt, PatternGuesses, timeout_s=_TIMEOUT_S)
    groups = []
    for guess in answer.reply.patterns:
        numbers = [n for n in dict.fromkeys(guess.episodes) if 0 < n <= len(episodes)]
        named = sorted((episodes[n - 1] for n in numbers), key=lambda each: each.ended_at)
        trials = [
            Trial(guess.trigger, guess.action, _observation(each, "episode", each.outcome))
            for each in named
            if each.outcome in SUCCESS
        ]
        groups.append(trials)
    return groups


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
        kind = PROPOSED.get(judge_group(trials, policy)) if trials else None
        same = match_known(trials, patterns.values(), policy) if kind else None
        if same is not None and same.status == "proposed":
            patterns[same.name] = with_observations(same, (each.seen for each in trials))
        elif same is None and kind is not None:
            made = proposal(trials, kind, change.at)
            patterns.setdefault(made.name, made.model_copy(update={"source": change.source}))
    return [each for name, each in patterns.items() if known.get(name) != each]
