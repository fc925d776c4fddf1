"""How does memory learn from outcomes, without deciding for anybody what is true?"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel

from memory_graph.llm.ask import Usage
from memory_graph.llm.patterns import PatternGuess, guess_patterns
from memory_graph.policy.learning import (
    SUCCESS,
    LearningPolicy,
    Trial,
    group_trials,
    judge_group,
    match_known,
    proposal,
    trials_of,
    with_trials,
)
from memory_graph.records import Episode, MemoryDecision, Pattern
from memory_graph.steps.patterns import Change, save_patterns
from memory_graph.storage.locks import one_at_a_time
from memory_graph.storage.scope import UserMemory


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
    async with one_at_a_time(memory.scope.root):
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
