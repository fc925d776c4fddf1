"""How does a kept exchange become an episode, or a part of the one it continues?"""

from dataclasses import dataclass, field, replace

from langgraph.store.base import PutOp

from memory_graph.context import Context
from memory_graph.llm.ask import Usage
from memory_graph.policy.capture import Capture, CapturePolicy
from memory_graph.policy.chaining import Draft, MergeChoice, choose_merge, choose_parent
from memory_graph.policy.episode_building import Occasion, build_episode, merge_episodes
from memory_graph.policy.event_dates import find_event_dates
from memory_graph.policy.themes import theme_of_episode
from memory_graph.records import Episode, EpisodeDraft, MemoryDecision
from memory_graph.steps.arcs import related
from memory_graph.steps.exchange import Exchange
from memory_graph.steps.teller import Teller
from memory_graph.storage.scope import UserMemory

_NOTABLE = 0.9


@dataclass(frozen=True)
class Captured:
    """What was decided about an exchange, and the writes that carry it out."""

    decision: MemoryDecision
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def skipped(cls, verdict: Capture, reason: str | None = None) -> "Captured":
        """Return the outcome of an exchange that is not kept."""
        return cls(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason=reason or verdict.reason,
                scores=verdict.scores,
                thresholds=verdict.thresholds,
            )
        )


async def write_episode(
    memory: UserMemory, exchange: Exchange, verdict: Capture, context: Context, teller: Teller
) -> Captured:
    """Summarise a kept exchange, once, into a new episode or into the one it continues.

    Raises:
        OverBudgetError: If the summary would cost too much.
        TellingError: If nobody could summarise it.
    """
    known = await related(memory, exchange.text, exchange.theme)
    merge = choose_merge(_draft_of(exchange), [n for n, _ in known], context.capture)
    target = next((e for _, e in known if e.id == merge.target_id), None)
    answer = await teller.tell(exchange, target)
    occasion = _occasion(exchange, context, verdict, teller)
    if target is not None:
        episode = _merged(target, answer.reply, occasion, rewritten=teller.model is not None)
    else:
        episode = await _created(memory, answer.reply, occasion, context.capture)
    return Captured(
        _decision(verdict, merge, episode, target),
        await memory.episodes.puts([episode], exchange.now),
        answer.usage,
    )


def _draft_of(exchange: Exchange) -> Draft:
    return Draft(
        episode_id=exchange.episode_id,
        now=exchange.now,
        event_dates=find_event_dates(exchange.text, today=exchange.today),
        day=exchange.today,
    )


def _occasion(exchange: Exchange, context: Context, verdict: Capture, teller: Teller) -> Occasion:
    return Occasion(
        episode_id=exchange.episode_id,
        started_at=exchange.now,
        ended_at=exchange.now,
        now=exchange.now,
        zone=exchange.zone,
        said=exchange.said,
        source=exchange.source,
        project=context.project,
        importance=3 + (verdict.scores["notability"] >= _NOTABLE),
        novelty=verdict.scores["novelty"],
        summariser=teller.name,
    )


def _merged(
    target: Episode, draft: EpisodeDraft, occasion: Occasion, *, rewritten: bool
) -> Episode:
    """Take the exchange into `target`; what a model rewrote as one is taken as it is."""
    episode = merge_episodes(target, draft, occasion)
    return episode.model_copy(update={"summary": draft.summary}) if rewritten else episode


async def _created(
    memory: UserMemory, draft: EpisodeDraft, occasion: Occasion, policy: CapturePolicy
) -> Episode:
    """Build a new episode, linked to the one it continues."""
    known = await related(memory, f"{draft.topic}. {draft.summary}", theme_of_episode(draft))
    place = Draft(
        episode_id=occasion.episode_id, now=occasion.now, entities=frozenset(draft.entities)
    )
    parent = choose_parent(place, [neighbour for neighbour, _ in known], policy)
    return build_episode(draft, replace(occasion, parent_episode_id=parent.parent_id))


def _decision(
    verdict: Capture, merge: MergeChoice, episode: Episode, target: Episode | None
) -> MemoryDecision:
    return MemoryDecision(
        kind="episode",
        action="merge" if target else "create",
        reason=verdict.reason,
        memory_id=episode.id,
        scores={**verdict.scores, **merge.scores},
        thresholds={**verdict.thresholds, **merge.thresholds},
        before=target.model_dump(mode="json") if target else None,
        after=episode.model_dump(mode="json"),
    )
