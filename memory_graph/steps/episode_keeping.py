"""How is an episode kept that somebody states, rather than one that was captured?"""

from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from memory_graph.policy.capture import CapturePolicy
from memory_graph.policy.chaining import Draft, choose_parent
from memory_graph.policy.episode_building import Occasion, build_episode
from memory_graph.policy.sentences import shorten, split_sentences
from memory_graph.policy.themes import theme_of_episode
from memory_graph.records import (
    Decision,
    Episode,
    EpisodeDraft,
    Event,
    FactLink,
    LedgerEntry,
    MemoryDecision,
)
from memory_graph.steps.arcs import related
from memory_graph.steps.patterns import Change
from memory_graph.storage.claims import alone
from memory_graph.storage.episodes import STATED
from memory_graph.storage.labels import stable_id
from memory_graph.storage.scope import UserMemory

_LONGEST_SUMMARY = 600
_LONGEST_TITLE = 120


@dataclass(frozen=True, kw_only=True)
class StatedEpisode:
    """An episode in somebody's own words, with what they know about it."""

    content: str
    draft: EpisodeDraft
    decisions: tuple[Decision, ...] = ()
    events: tuple[Event, ...] = ()
    metrics: dict[str, float] = field(default_factory=dict)
    facts: tuple[FactLink, ...] = ()
    project: str | None = None
    parent_id: str | None = None


@dataclass(frozen=True)
class Kept:
    """The episode as it is kept now; links to facts that do not exist were left out."""

    episode: Episode
    decision: MemoryDecision
    missing_facts: tuple[str, ...] = ()


def draft_from(content: str, *, title: str = "", summary: str = "") -> EpisodeDraft:
    """Return the draft of a stated episode; its first sentence stands in for a title."""
    told = summary.strip() or content.strip()
    first = next(iter(split_sentences(told)), told)
    return EpisodeDraft(
        summary=shorten(told, _LONGEST_SUMMARY),
        topic=shorten(title.strip() or first.rstrip(".!?"), _LONGEST_TITLE),
    )


async def keep_episode(
    memory: UserMemory,
    stated: StatedEpisode,
    change: Change,
    zone: ZoneInfo,
    policy: CapturePolicy,
) -> Kept:
    """Keep a stated episode, linked to its facts and to the one it continues.

    Raises:
        RecordNotFoundError: If the parent it names does not exist.
    """
    async with alone(memory.scope):
        if stated.parent_id:
            await memory.episodes.get(stated.parent_id)
        known = await memory.facts.find(link.fact_id for link in stated.facts)
        missing = tuple(link.fact_id for link in stated.facts if link.fact_id not in known)
        links = tuple(link for link in stated.facts if link.fact_id in known)
        built = await _built(memory, stated, change, zone, policy)
        episode = built.model_copy(
            update={
                "content": stated.content.strip(),
                "decisions": stated.decisions,
                "events": stated.events,
                "metrics": stated.metrics,
                "facts": links,
            }
        )
        decision = MemoryDecision(
            kind="episode",
            action="create",
            reason="stated",
            memory_id=episode.id,
            after=episode.model_dump(mode="json"),
        )
        entry = LedgerEntry(
            id=f"{stable_id(change.id, change.by)}-{change.by}",
            at=change.at,
            node=change.by,
            source=change.source,
            decisions=(decision,),
        )
        puts = await memory.episodes.puts([episode], change.at)
        await memory.commit([*puts, *await memory.ledger.keep(entry)])
    return Kept(episode, decision, missing)


async def _built(
    memory: UserMemory,
    stated: StatedEpisode,
    change: Change,
    zone: ZoneInfo,
    policy: CapturePolicy,
) -> Episode:
    draft = stated.draft
    occasion = Occasion(
        episode_id=f"ep-{change.id}",
        started_at=change.at,
        ended_at=change.at,
        now=change.at,
        zone=zone,
        source=change.source,
        project=stated.project,
        summariser=STATED,
    )
    known = await related(memory, f"{draft.topic}. {draft.summary}", theme_of_episode(draft))
    place = Draft(episode_id=occasion.episode_id, now=change.at, entities=frozenset(draft.entities))
    neighbours = [neighbour for neighbour, _ in known]
    parent = choose_parent(place, neighbours, policy, explicit_parent_id=stated.parent_id)
    return build_episode(draft, replace(occasion, parent_episode_id=parent.parent_id))
