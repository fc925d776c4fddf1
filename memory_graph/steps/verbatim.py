"""How are the words of a turn kept as they were said?"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from langgraph.store.base import PutOp

from memory_graph.policy.exchange import Said
from memory_graph.policy.verbatim import VerbatimPolicy, outdated_turns, who_echoes
from memory_graph.records import Source, TurnRecord
from memory_graph.storage.labels import stable_id
from memory_graph.storage.scope import UserMemory
from memory_graph.storage.turns import ASSISTANT, USER

_TRIM_EVERY = 50


async def keep_turns(
    memory: UserMemory,
    turns: Sequence[tuple[Source, Sequence[Said]]],
    policy: VerbatimPolicy,
    now: datetime,
) -> list[PutOp]:
    """Return the writes that keep what was said in `turns`, and drop old ones now and then."""
    if not policy.enabled:
        return []
    records: list[TurnRecord] = []
    for source, said in turns:
        place = Place(source, int(now.timestamp() * 1000) + len(records), now)
        records += read_turn(said, place, policy.max_characters)
    puts = await memory.turns.puts(records, now)
    return [*puts, *await _surplus(memory, records, policy, now)]


@dataclass(frozen=True)
class Place:
    """Where and when a turn was said."""

    source: Source
    position: int
    said_at: datetime


def read_turn(said: Sequence[Said], place: Place, longest: int) -> list[TurnRecord]:
    """Return what the user and the assistant said in one turn; tool traffic is no speech."""
    asked = " ".join(each.text for each in said if each.role == USER)
    echoing = who_echoes(asked)
    spoken = [
        [each for each in said if each.role == role and each.text.strip()]
        for role in (USER, ASSISTANT)
    ]
    return [
        _record(words, replace(place, position=place.position + after), echoing, longest)
        for after, words in enumerate(words for words in spoken if words)
    ]


def _record(
    words: Sequence[Said], place: Place, echoing: Collection[str], longest: int
) -> TurnRecord:
    source = place.source
    role: Literal["user", "assistant"] = ASSISTANT if words[0].role == ASSISTANT else USER
    return TurnRecord(
        id=f"turn-{stable_id(source.thread_id or '', *source.message_ids)}-{role}",
        text="\n".join(each.text.strip() for each in words)[:longest],
        role=role,
        speaker=words[0].name or role,
        session=source.thread_id or "",
        position=place.position,
        said_at=place.said_at,
        echoes=role in echoing,
        source=source,
    )


async def _surplus(
    memory: UserMemory, kept: Sequence[TurnRecord], policy: VerbatimPolicy, now: datetime
) -> list[PutOp]:
    """Return deletions of turns past their time; looks only now and then."""
    if not any(int(stable_id(turn.id)[:8], 16) % _TRIM_EVERY == 0 for turn in kept):
        return []
    outdated = outdated_turns(await memory.turns.all(), policy, now)
    return memory.turns.deletions(turn.id for turn in outdated)
