"""Propose patterns from actions that kept working or failing in the same situation."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from memory_graph import records
from memory_graph.language.likeness import is_negated, overlap
from memory_graph.language.words import content_words
from memory_graph.patterns.evidence import normalise_name, with_observations
from memory_graph.patterns.writing import save_patterns
from memory_graph.policies import LearningPolicy
from memory_graph.store.locks import user_lock
from memory_graph.store.scope import UserMemory

GroupReason = Literal["too_few", "mixed", "works", "fails"]
PROPOSED: dict[GroupReason, records.PatternKind] = {"works": "pattern", "fails": "antipattern"}
"""What trials are proposed as; for the other reasons they are not."""

SUCCESS: dict[records.Outcome, bool] = {"success": True, "failure": False}
"""Outcomes that say whether something worked; the others leave it open."""

_NAME_WORDS = 4


class Trial(NamedTuple):
    """One time somebody did something in a situation, and whether it worked."""

    trigger: str
    action: str
    seen: records.Observation


def trials_of(episode: records.Episode) -> list[Trial]:
    """Return an episode's decisions with a known outcome: their own, else the episode's."""
    trials = []
    for decision in episode.decisions:
        outcome = decision.outcome if decision.outcome in SUCCESS else episode.outcome
        if outcome in SUCCESS and content_words(decision.chosen):
            seen = records.Observation(
                id=f"{episode.id}:{decision.id}",
                success=SUCCESS[outcome],
                at=decision.timestamp or episode.ended_at,
                episode_id=episode.id,
            )
            trigger = decision.context.strip() or episode.title
            trials.append(Trial(trigger, decision.chosen, seen))
    return trials


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
    trials: Sequence[Trial], patterns: Iterable[records.Pattern], policy: LearningPolicy
) -> records.Pattern | None:
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


def proposal(trials: Sequence[Trial], kind: records.PatternKind, now: datetime) -> records.Pattern:
    """Return trials of one action as a proposed pattern, in the words of the last trial."""
    first, latest = trials[0], trials[-1]
    done, when = (
        list(dict.fromkeys(content_words(text)))[:_NAME_WORDS]
        for text in (first.action, first.trigger)
    )
    start = ["not"] if is_negated(first.action) else []
    pattern = records.Pattern(
        name=normalise_name(" ".join([*start, *done, "when", *when])),
        kind=kind,
        trigger=latest.trigger,
        action=latest.action,
        status="proposed",
        created_at=now,
        updated_at=now,
    )
    return with_observations(pattern, (each.seen for each in trials))


def _is_like(one: Trial, other: Trial | records.Pattern, policy: LearningPolicy) -> bool:
    """Return whether two agree on what is done, and on when."""
    return (
        overlap(one.action, other.action) >= policy.min_likeness
        and overlap(one.trigger, other.trigger) >= policy.min_likeness
    )


class Learned(NamedTuple):
    """The patterns that are proposed, and why; without decisions nothing was written."""

    patterns: list[records.Pattern]
    decisions: tuple[records.MemoryDecision, ...] = ()


async def learn(
    memory: UserMemory, policy: LearningPolicy, change: records.Change, *, apply: bool = True
) -> Learned:
    """Propose what kept working or failing; proposals wait until somebody confirms them."""
    episodes = await memory.episodes.recent(policy.episodes)
    trials = [trial for each in episodes for trial in trials_of(each)]
    groups = await asyncio.to_thread(group_trials, trials, policy)
    async with user_lock(memory.scope.root):
        known = {each.name: each for each in await memory.patterns.all()}
        proposed = _proposals(groups, known, policy, change)
        if not apply:
            return Learned(proposed)
        return Learned(proposed, await save_patterns(memory, known, proposed, change, "repeated"))


def _proposals(
    groups: Iterable[Sequence[Trial]],
    known: Mapping[str, records.Pattern],
    policy: LearningPolicy,
    change: records.Change,
) -> list[records.Pattern]:
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
