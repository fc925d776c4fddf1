"""Find episodes that should be facts and facts that should be episodes, and move them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from memory_graph.curation.lookup import deletions_of
from memory_graph.episodes.building import Occasion, build_episode
from memory_graph.facts.writing import SameFactJudge, Utterance, admit
from memory_graph.keys import fact_key, stable_id
from memory_graph.language import language_for
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import shorten
from memory_graph.policies import AdmissionPolicy
from memory_graph.reading import read_message
from memory_graph.records import Episode, EpisodeDraft, Fact, FactCandidate, LedgerEntry
from memory_graph.store.scope import UserMemory, decision_for, facts_lock

BY = "migrate-misfiled"
_HAPPENED = 0.5
"""From this chance of the head `outcome` on, a sentence tells of something that happened."""

_MOST_SENTENCES = 2
_LONGEST_TOPIC = 120

_SPOKEN = (
    (r"^(?:the )?user (?:said|stated|mentioned|told us)(?: that)?:?\s+", ""),
    (r"\b(?:the )?user (?:does not|doesn['’]t)\b", "I do not"),
    (r"\b(?:the )?user['’]s\b", "my"),
    (r"\b(?:the )?user has\b", "I have"),
    (r"\b(?:the )?user (?:is|was)\b", "I am"),
    (r"\b(?:the )?user (no longer )?(\w+?)(?:(?<=[sxh])es|s)?\b", r"I \1\2"),
)
"""Third person and first person, replaced in this order."""


@dataclass(frozen=True)
class Misfiled:
    """A memory that is kept as the wrong kind, and what it would become."""

    record: Fact | Episode
    facts: tuple[FactCandidate, ...] = ()
    """The facts an episode states; empty for a fact that is an episode."""


def in_first_person(text: str) -> str:
    """Return a statement in the first person: `The user lives` becomes `I live`."""
    said = text.strip()
    for pattern, spoken in _SPOKEN:
        said = re.sub(pattern, spoken, said, flags=re.IGNORECASE)
    return said[:1].upper() + said[1:]


async def may_be_fact(episode: Episode) -> bool:
    """Say whether an episode reports nothing done, decided or learnt."""
    sentences = split_sentences(episode.summary)
    if len(sentences) > _MOST_SENTENCES:
        return False
    outcome = (episode.decisions, episode.events, episode.lessons, episode.next_steps)
    if any(outcome) or episode.metadata.tools_used or episode.merged_from:
        return False
    return not any([await _happened(each) for each in sentences])


async def is_episode(fact: Fact) -> bool:
    """Say whether a fact without a key reports a single event."""
    is_settled = fact.key is not None or fact.pinned or fact.valid_to is not None
    return not is_settled and await _happened(fact.statement)


async def _happened(sentence: str) -> bool:
    heads = (await read_message(in_first_person(sentence))).whole
    return heads.outcome >= max(_HAPPENED, heads.durable)


async def find_misfiled(memory: UserMemory) -> list[Misfiled]:
    """Look through everything a user has; changes nothing."""
    found: list[Misfiled] = []
    for episode in await memory.episodes.all():
        text = in_first_person(episode.summary)
        read = language_for(text).read_facts([text])
        facts = tuple(each.candidate for each in read if fact_key(each.candidate))
        if facts and await may_be_fact(episode):
            found.append(Misfiled(episode, facts))
    found += [Misfiled(fact) for fact in await memory.facts.all() if await is_episode(fact)]
    return sorted(found, key=lambda each: each.record.id)


async def move_misfiled(
    memory: UserMemory, misfiled: Sequence[Misfiled], *, zone: ZoneInfo, now: datetime
) -> list[LedgerEntry]:
    """Move each memory to its right kind, with source and time, as one undoable entry."""
    async with facts_lock(memory.scope):
        return [
            await _to_facts(memory, each.record, each.facts, now)
            if isinstance(each.record, Episode)
            else await _to_episode(memory, each.record, zone, now)
            for each in misfiled
        ]


async def _to_facts(
    memory: UserMemory, episode: Episode, facts: Sequence[FactCandidate], now: datetime
) -> LedgerEntry:
    said = Utterance(at=episode.ended_at, source=episode.source, extractor=BY, is_late=True)
    admitted = await admit(memory, facts, said, AdmissionPolicy(), SameFactJudge(None, 1))
    decisions = [*admitted.decisions, decision_for("evict", "misfiled", before=episode, after=None)]
    puts = [*admitted.puts, *deletions_of(memory, episode)]
    return await memory.apply(BY, decisions, puts, at=now)


async def _to_episode(memory: UserMemory, fact: Fact, zone: ZoneInfo, now: datetime) -> LedgerEntry:
    topic = shorten(fact.statement.rstrip("."), _LONGEST_TOPIC)
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
    episode = build_episode(EpisodeDraft(summary=fact.statement, topic=topic), occasion)
    decisions = [
        decision_for("create", "misfiled", before=None, after=episode),
        decision_for("evict", "misfiled", before=fact, after=None),
    ]
    puts = [*await memory.episodes.puts([episode], now), *deletions_of(memory, fact)]
    return await memory.apply(BY, decisions, puts, at=now)
