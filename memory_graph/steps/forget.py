"""How is something forgotten, so that its text is nowhere left in the store?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from langgraph.store.base import PutOp

from memory_graph.records import Episode, Fact, MemoryDecision, Pattern
from memory_graph.steps.by_hand import Memory, commit_change, deletions_of, kind_of
from memory_graph.steps.patterns import Change, withdraw_episode
from memory_graph.storage.emptied import emptying
from memory_graph.storage.freshness import TOKENS
from memory_graph.storage.scope import UserMemory

_BATCH = 500
_MAX_NAMESPACES = 10_000
BEYOND_REACH = (
    "the messages themselves, in checkpoints of threads (delete the threads)",
    "backups and exports of the store",
    "what was typed at the prompt of `memory-graph chat` (~/.memory-graph/chat-history)",
)
"""Where forgotten text may live on, because it is kept by somebody else."""


@dataclass(frozen=True)
class Forgotten:
    """What was removed for one memory, and who may still tell of it."""

    record: Memory
    ledger_entries: int
    """Entries whose decisions about it were removed."""

    told_in: tuple[str, ...]
    """Episodes that came out of the same messages, and patterns that an episode supported."""

    turns: int = 0
    """Verbatim turns it came out of, which were deleted with it."""


async def forget(memory: UserMemory, record: Memory, now: datetime) -> Forgotten:
    """Delete a memory, the words it came from, its counter and every decision about it.

    The entries themselves stay as receipts, so that a replay of the turn does not bring
    the memory back; one more says that something was forgotten, and not what. An episode
    takes back what it said about patterns.
    """
    supported = await _withdraw(memory, record.id, now) if isinstance(record, Episode) else ()
    entries = await memory.ledger.about(record.id)
    cleaned = [
        entry.model_copy(update={"decisions": _not_about(record.id, entry.decisions)})
        for entry in entries
    ]
    turns = await memory.turns.said_in(_messages(record))
    puts = [
        *deletions_of(memory, record),
        *memory.turns.deletions(turn.id for turn in turns),
        PutOp(memory.access.namespace, record.id, None),
        *(memory.ledger.put(entry) for entry in cleaned),
    ]
    trace = MemoryDecision(kind=kind_of(record), action="evict", reason="asked_to_forget")
    await commit_change(memory, "forget", [trace], puts, now)
    told_in = (*await _told_in(memory, record), *supported)
    return Forgotten(record, len(entries), told_in, len(turns))


async def forget_everything(memory: UserMemory, now: datetime) -> Mapping[str, int]:
    """Empty every namespace of the user; return how many items each held.

    Only random tokens stay, which make other processes drop what they hold in memory, and
    the time, so that no thread goes back to what was said in it before.
    """
    await memory.scope.gateway.write([emptying(memory.scope.root, now)])
    counts: Counter[str] = Counter()
    for namespace in await _namespaces(memory):
        items = await memory.scope.gateway.scan(namespace)
        deletions = [PutOp(namespace, item.key, None) for item in items]
        for start in range(0, len(deletions), _BATCH):
            await memory.commit(deletions[start : start + _BATCH])
        counts[namespace[-1]] += len(items)
    return counts


async def _withdraw(memory: UserMemory, episode_id: str, now: datetime) -> list[str]:
    """Take back an episode's evidence; return the patterns that go on without it.

    A proposal that nothing speaks for any more was made of its words only, and goes with it.
    """
    change = Change(id=episode_id, by="forget", at=now)
    remaining: list[str] = []
    for decision in await withdraw_episode(memory, episode_id, change):
        pattern = Pattern.model_validate(decision.after)
        if pattern.status == "proposed" and not pattern.occurrences:
            await forget(memory, pattern, now)
        else:
            remaining.append(pattern.name)
    return remaining


async def _namespaces(memory: UserMemory) -> list[tuple[str, ...]]:
    root = memory.scope.root
    found = await memory.scope.gateway.store.alist_namespaces(prefix=root, limit=_MAX_NAMESPACES)
    return [each for each in found if each[: len(root)] == root and each[-1] != TOKENS]


def _not_about(memory_id: str, decisions: Sequence[MemoryDecision]) -> tuple[MemoryDecision, ...]:
    return tuple(each for each in decisions if each.memory_id != memory_id)


def _messages(record: Memory) -> set[str]:
    """Return the messages a memory, or an earlier value of it, was said in."""
    sources = [record.source]
    if isinstance(record, Fact):
        sources += [version.source for version in record.history]
        sources += [record.retraction] if record.retraction else []
        sources += [retraction.source for retraction in record.retractions]
    return {message_id for source in sources for message_id in source.message_ids}


async def _told_in(memory: UserMemory, record: Memory) -> tuple[str, ...]:
    said_in = set(record.source.message_ids)
    return tuple(
        each.id
        for each in await memory.episodes.all()
        if each.id != record.id and said_in & set(each.source.message_ids)
    )
