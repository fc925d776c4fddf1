"""Which episodes are really facts, which facts are really episodes, and how are they moved?"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory_graph.llm.offline.facts import extract_facts
from memory_graph.policy.admission import AdmissionPolicy
from memory_graph.policy.episode_building import Occasion, build_episode
from memory_graph.policy.keys import fact_key
from memory_graph.policy.misfiled import in_first_person, is_episode, may_be_fact
from memory_graph.policy.sentences import shorten
from memory_graph.records import Episode, EpisodeDraft, Fact, FactCandidate, LedgerEntry
from memory_graph.steps.admit import SameFactJudge, Statement, admit
from memory_graph.steps.by_hand import change, commit_change, deletions_of, puts_of
from memory_graph.storage.labels import stable_id
from memory_graph.storage.locks import one_at_a_time
from memory_graph.storage.scope import UserMemory

BY = "migrate-misfiled"
_LONGEST_TOPIC = 120


@dataclass(frozen=True)
class Misfiled:
    """A memory that is kept as the wrong kind, and what it would become."""

    record: Fact | Episode
    facts: tuple[FactCandidate, ...] = ()
    """The facts an episode states; empty for a fact that is an episode."""


async def find_misfiled(memory: UserMemory) -> list[Misfiled]:
    """Look through everything a user has; changes nothing."""
    found = [
        Misfiled(episode, facts)
        for episode in await memory.episodes.all()
        if may_be_fact(episode) and (facts := _facts_in(episode))
    ]
    found += [Misfiled(fact) for fact in await memory.facts.all() if is_episode(fact)]
    return sorted(found, key=lambda each: each.record.id)


async def move_misfiled(
    memory: UserMemory, misfiled: Sequence[Misfiled], *, zone: ZoneInfo, now: datetime
) -> list[LedgerEntry]:
    """Move each to where it belongs, with its source and its time: one entry, one undo."""
    async with one_at_a_time(memory.facts.namespace):
        return [
            await _to_facts(memory, each.record, each.facts, now)
            if isinstance(each.record, Episode)
            else await _to_episode(memory, each.record, zone, now)
            for each in misfiled
        ]


def _facts_in(episode: Episode) -> tuple[FactCandidate, ...]:
    text = in_first_person(episode.summary)
    told_on = episode.ended_at.date()
    return tuple(each for each in extract_facts([text], today=told_on) if fact_key(each))


async def _to_facts(
    memory: UserMemory, episode: Episode, facts: Sequence[FactCandidate], now: datetime
) -> LedgerEntry:
    said = Statement(at=episode.ended_at, source=episode.source, extractor=BY)
    admitted = await admit(memory, facts, said, AdmissionPolicy(), SameFactJudge(None, 1))
    decisions = [*admitted.decisions, change("evict", "misfiled", before=episode, after=None)]
    puts = [*admitted.puts, *deletions_of(memory, episode)]
    return await commit_change(memory, BY, decisions, puts, now)


async def _to_episode(memory: UserMemory, fact: Fact, zone: ZoneInfo, now: datetime) -> LedgerEntry:
    draft = EpisodeDraft(
        summary=fact.statement, topic=shorten(fact.statement.rstrip("."), _LONGEST_TOPIC)
    )
    occasion = Occasion(
        episode_id=f"ep-{stable_id(BY, fact.id)}",
        started_at=fact.valid_from,
        ended_at=fact.valid_from,
        now=now,
        zone=zone,
        source=fact.source,
        importance=fact.importance,
        summariser=BY,
    )
    episode = build_episode(draft, occasion)
    decisions = [
        change("create", "misfiled", before=None, after=episode),
        change("evict", "misfiled", before=fact, after=None),
    ]
    puts = [*await puts_of(memory, episode, now), *deletions_of(memory, fact)]
    return await commit_change(memory, BY, decisions, puts, now)
