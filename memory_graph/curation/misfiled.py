"""Find episodes that should be facts, and move them."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from memory_graph.curation.lookup import deletions_of
from memory_graph.facts.keeping import admit
from memory_graph.facts.reconcile import Utterance
from memory_graph.keys import fact_key
from memory_graph.language.facts import read_facts
from memory_graph.language.frames import first_person
from memory_graph.language.points import points
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import language_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.reading import read_message
from memory_graph.records import Episode, FactCandidate, LedgerEntry
from memory_graph.store.changes import decision_for
from memory_graph.store.locks import facts_lock
from memory_graph.store.scope import UserMemory

BY = "migrate-misfiled"
_HAPPENED = points()["happened"]
"""From this chance of the head `outcome` on, a sentence tells of something that happened."""

_MOST_SENTENCES = 2

_SAID = re.compile(r"(?i)^(?:the )?user (?:said|stated|mentioned|told us)(?: that)?:?\s+")


class Misfiled(NamedTuple):
    """An episode that should be facts, and which."""

    episode: Episode
    facts: tuple[FactCandidate, ...]


def in_first_person(text: str) -> str:
    """Return a statement in the first person: `The user lives` becomes `I live`."""
    said = first_person(_SAID.sub("", text.strip()))
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


async def _happened(sentence: str) -> bool:
    heads = (await read_message(in_first_person(sentence))).whole
    return heads.outcome >= max(_HAPPENED, heads.durable)


async def find_misfiled(memory: UserMemory) -> list[Misfiled]:
    """Look through everything a user has; changes nothing."""
    found: list[Misfiled] = []
    for episode in await memory.episodes.all():
        text = in_first_person(episode.summary)
        read = read_facts([text], language_of(text))
        facts = tuple(each.candidate for each in read if fact_key(each.candidate))
        if facts and await may_be_fact(episode):
            found.append(Misfiled(episode, facts))
    return sorted(found, key=lambda each: each.episode.id)


async def move_misfiled(
    memory: UserMemory, misfiled: Sequence[Misfiled], now: datetime
) -> list[LedgerEntry]:
    """Make facts of each episode, with its source and time, as one undoable entry."""
    entries = []
    async with facts_lock(memory.scope):
        for episode, facts in misfiled:
            said = Utterance(at=episode.ended_at, source=episode.source, extractor=BY, is_late=True)
            admitted = await admit(memory, facts, said, AdmissionPolicy())
            moved = decision_for("evict", "misfiled", before=episode, after=None)
            puts = [*admitted.puts, *deletions_of(memory, episode)]
            entries.append(await memory.apply(BY, [*admitted.decisions, moved], puts, at=now))
    return entries
