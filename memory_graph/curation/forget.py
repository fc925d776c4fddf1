"""Delete for good: one memory, everything about a user, or what has expired."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from langgraph.store.base import PutOp

from memory_graph import records
from memory_graph.curation.lookup import deletions_of
from memory_graph.episodes.upkeep import NODE, maintain
from memory_graph.keys import stable_id
from memory_graph.language.words import words_of
from memory_graph.patterns.writing import move_evidence, withdraw_episode
from memory_graph.policies import UpkeepPolicy, VerbatimPolicy
from memory_graph.store.changes import Memory, kind_of
from memory_graph.store.revision import CHANGES, REVISIONS, erasure_put, new_epoch
from memory_graph.store.scope import UserMemory
from memory_graph.turns.keeping import expired_turns, held_messages

ForgetReason = Literal["asked_to_forget", "expired"]

BEYOND_REACH = (
    "the messages themselves, in checkpoints of threads (delete the threads)",
    "backups and exports of the store",
)
"""Where forgotten text may still exist, because it is kept elsewhere."""

_BATCH = 500

_MOST_SWEEPS = 3  # what others wrote while the first one ran is gone after the second
_MAX_NAMESPACES = 10_000
_USER = "the user"  # what every statement about the user says


@dataclass(frozen=True)
class Forgotten:
    """What was deleted for one memory, and which memories may still mention it."""

    record: Memory
    ledger_entries: int  # ledger entries from which it was removed
    told_in: tuple[str, ...]
    """Episodes that came out of the same messages, and patterns that an episode supported."""

    turns: int = 0  # turns it came out of, and replies that told it, which were deleted with it


def mark_of_forgotten(record_id: str) -> str:
    """Return the mark that stays of a forgotten memory: it recognises the same id, no more."""
    return f"forgotten-{stable_id(record_id)}"


async def forget(
    memory: UserMemory, record: Memory, now: datetime, *, reason: ForgetReason = "asked_to_forget"
) -> Forgotten:
    """Delete a memory, the words it came from, replies that told it, and decisions about it.

    The ledger entries stay as receipts, so that a replay of the turn does not bring the memory
    back. A new entry records that something was forgotten, by a mark that does not say what. A
    fact leaves no mark, since its key could be guessed from it. An episode also loses its
    evidence for patterns.
    """
    supported, puts = [], deletions_of(memory, record)
    if isinstance(record, records.Episode):
        supported = await _withdraw(memory, record.id, now)
        # Those that continued it continue its parent, so that the arc stays whole.
        parent = {"parent_episode_id": record.parent_episode_id}
        children = await memory.episodes.all(where={"parent": record.id})
        linked = [c.model_copy(update=parent) for c in children if c.id != record.parent_episode_id]
        puts += await memory.episodes.puts(linked, now)
    entries = await memory.ledger.recent()
    turns = _words_of(record, await memory.turns.all(), entries)
    cleaned = _cleaned(record.id, entries)
    puts += [
        *memory.turns.deletions(turn.id for turn in turns),
        *await memory.access.forget(record.id),
        *(put for entry in cleaned for put in memory.ledger.puts(entry)),
        *await memory.ledger.unreadable(),
    ]
    mark = None if isinstance(record, records.Fact) else mark_of_forgotten(record.id)
    trace = _evicted(kind_of(record), mark, reason)
    await memory.apply("forget", [trace], puts, at=now)
    if reason == "asked_to_forget":
        await memory.scope.gateway.clean_files()
    also = (*await told_in(memory, record), *supported)
    return Forgotten(record, len(cleaned), also, len(turns))


def _words_of(
    record: Memory, every: Sequence[records.TurnRecord], entries: Sequence[records.LedgerEntry]
) -> list[records.TurnRecord]:
    """Return the turns a memory came from, and the replies that told it.

    A reply told it if it was recalled for the reply, and they share a word.
    """
    sources = messages_of(record)
    said = [turn for turn in every if sources & {*turn.source.message_ids}]
    gone = {record.id, *(turn.id for turn in said)}
    asked = {
        message_id
        for entry in entries
        if entry.recall and any(each.memory_id in gone for each in entry.recall.considered)
        for message_id in entry.source.message_ids
    } - sources
    own = [turn.text for turn in said if turn.role == "user"]
    told = " ".join((*(texts_of(record) - {record.id}), *own))
    words = set(words_of(told)) - set(words_of(_USER))
    return said + [
        turn
        for turn in every
        if turn.echoes
        and turn.role == "assistant"
        and asked & {*turn.source.message_ids}
        and words & {*words_of(turn.text)}
    ]


async def _withdraw(memory: UserMemory, episode_id: str, now: datetime) -> list[str]:
    """Remove an episode's evidence; return the patterns that stay.

    A proposal without any other evidence was made from this episode only and is deleted.
    """
    remaining: list[str] = []
    change = records.Change(id=episode_id, by="forget", at=now)
    for decision in await withdraw_episode(memory, episode_id, change):
        pattern = records.Pattern.model_validate(decision.after)
        if pattern.status == "proposed" and not pattern.occurrences:
            await forget(memory, pattern, now)
        else:
            remaining.append(pattern.name)
    return remaining


def _cleaned(memory_id: str, entries: Sequence[records.LedgerEntry]) -> list[records.LedgerEntry]:
    """Return the entries that name a memory, without it; even its id may reveal it."""
    cleaned = []
    for entry in entries:
        decisions = tuple(each for each in entry.decisions if each.memory_id != memory_id)
        recall = entry.recall
        if recall is not None:
            left = tuple(each for each in recall.considered if each.memory_id != memory_id)
            recall = recall.model_copy(update={"considered": left})
        without = entry.model_copy(update={"decisions": decisions, "recall": recall})
        cleaned += [without] if without != entry else []
    return cleaned


def messages_of(record: Memory) -> set[str]:
    """Return the messages a memory, or an earlier value of it, was said in."""
    sources = [record.source]
    if isinstance(record, records.Fact):
        sources += [version.source for version in record.history]
        sources += [record.retraction] if record.retraction else []
        sources += [retraction.source for retraction in record.retractions]
    return {message_id for source in sources for message_id in source.message_ids}


async def told_in(memory: UserMemory, record: Memory) -> tuple[str, ...]:
    """Return the episodes from the same messages, which stay."""
    said_in = set(record.source.message_ids)
    return tuple(
        each.id
        for each in await memory.episodes.all()
        if each.id != record.id and said_in & set(each.source.message_ids)
    )


async def forget_everything(memory: UserMemory, now: datetime) -> Mapping[str, int]:
    """Erase every namespace of the user; return how many items each held.

    Only random tokens stay, which make other processes drop what they hold in memory, and the
    time, so that old threads do not bring the content back.
    """
    gateway, root = memory.scope.gateway, memory.scope.root
    await gateway.write([erasure_put(root, now)])
    counts: Counter[str] = Counter()
    for _ in range(_MOST_SWEEPS):
        before = counts.total()
        for namespace in await namespaces_of(memory):
            items = await gateway.scan(namespace)
            deletions = [PutOp(namespace, item.key, None) for item in items]
            for start in range(0, len(deletions), _BATCH):
                await memory.commit(deletions[start : start + _BATCH])
            counts[namespace[-1]] += len(items)
        if counts.total() == before:
            break
    await gateway.write(await new_epoch(gateway, root))
    await gateway.clean_files()
    return +counts


async def count_items(memory: UserMemory) -> Mapping[str, int]:
    """Return how many items of each kind the store holds about a user."""
    gateway = memory.scope.gateway
    held = {each[-1]: len(await gateway.scan(each)) for each in await namespaces_of(memory)}
    return {name: number for name, number in sorted(held.items()) if number}


async def namespaces_of(memory: UserMemory, *, tokens: bool = False) -> list[tuple[str, ...]]:
    """Return a user's namespaces, optionally with those that tell other processes of changes."""
    root = memory.scope.root
    found = await memory.scope.gateway.namespaces(root, depth=3, limit=_MAX_NAMESPACES)
    ours = [each for each in found if each[: len(root)] == root]
    return [each for each in ours if tokens or each[-1] not in {REVISIONS, CHANGES}]


def texts_of(record: Memory) -> set[str]:
    """Return what a memory is known by: its id, and everything it says or said."""
    if isinstance(record, records.Fact):
        return {record.id, record.statement, *(each.statement for each in record.history)}
    if isinstance(record, records.Episode):
        return {record.id, record.title, record.summary}
    if isinstance(record, records.Instruction):
        return {record.id, record.wish, *record.history}
    return {record.id, record.trigger, record.action}


async def look_after_user(
    memory: UserMemory,
    policy: UpkeepPolicy,
    verbatim: VerbatimPolicy,
    now: datetime,
    *,
    apply: bool,
) -> tuple[records.MemoryDecision, ...]:
    """Return what upkeep and retention change in a user's memory; with `apply`, change it."""
    expired = await _expired(memory, policy, now)
    turns = await expired_turns(memory, verbatim, now)
    if apply:
        for record in expired:
            await forget(memory, record, now, reason="expired")
        await memory.commit(memory.turns.deletions(turns))
        if expired or turns:
            await memory.scope.gateway.clean_files()
    gone = [*((kind_of(each), each.id) for each in expired), *(("turn", each) for each in turns)]
    decisions = [_evicted(kind, name, "expired") for kind, name in gone]
    upkept = await maintain(memory, policy, now, apply=apply)
    moved = await _move_evidence(memory, upkept, now) if apply else ()
    return (*decisions, *upkept, *moved)


def _evicted(
    kind: records.MemoryKind, memory_id: str | None, reason: ForgetReason
) -> records.MemoryDecision:
    return records.MemoryDecision(kind=kind, action="evict", reason=reason, memory_id=memory_id)


async def _expired(
    memory: UserMemory, policy: UpkeepPolicy, now: datetime
) -> list[records.Fact | records.Episode]:
    """Return what has expired, except what shares a message with a pinned memory."""
    due: list[records.Fact | records.Episode] = []
    if (days := policy.forget_facts_after_days) is not None:
        oldest = now - timedelta(days=days)
        facts = [*await memory.facts.all(), *await memory.archive.all()]
        due += [each for each in facts if max(each.updated_at, each.last_verified_at) < oldest]
    if (days := policy.forget_episodes_after_days) is not None:
        oldest = now - timedelta(days=days)
        due += [each for each in await memory.episodes.all() if each.ended_at < oldest]
    held = set(await held_messages(memory)) if due else set()
    return [e for e in due if not e.pinned and not held.intersection(e.source.message_ids)]


async def _move_evidence(
    memory: UserMemory, upkept: Sequence[records.MemoryDecision], now: datetime
) -> list[records.MemoryDecision]:
    """Move the evidence of merged duplicates to the episodes that took them in."""
    gone = {str(each.memory_id) for each in upkept if each.reason == "duplicate"}
    moved: list[records.MemoryDecision] = []
    for kept in (each for each in upkept if each.reason == "took_in_duplicate"):
        merged = records.Episode.model_validate(kept.after).merged_from
        for episode_id in (each for each in merged if each in gone):
            change = records.Change(id=stable_id("evidence", episode_id), by=NODE, at=now)
            moved += await move_evidence(memory, episode_id, str(kept.memory_id), change)
        gone -= {*merged}
    return moved
