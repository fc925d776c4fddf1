"""Facts that are told, corrected or restored outside a turn."""

from datetime import datetime

from memory_graph.facts import timeline
from memory_graph.facts.checks import CheckReason, refusal_of
from memory_graph.facts.keeping import admit, moment_of
from memory_graph.facts.reading import read_keyed
from memory_graph.facts.reconcile import Utterance
from memory_graph.keys import canonical, fact_key
from memory_graph.language.sentences import has_subject, starts_with_verb
from memory_graph.language.statements import as_stated
from memory_graph.language.words import language_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import (
    Change,
    Fact,
    FactCandidate,
    LedgerEntry,
    MemoryDecision,
    Source,
)
from memory_graph.safety.secrets import stated
from memory_graph.store.changes import decision_for, receipt_of
from memory_graph.store.locks import facts_lock
from memory_graph.store.scope import UserMemory

_BARE = 4
"""Words of a value that stands alone: a limit."""


async def tell_fact(
    memory: UserMemory,
    candidate: FactCandidate,
    told: Change,
    policy: AdmissionPolicy,
) -> tuple[MemoryDecision, ...]:
    """Keep one fact, as a turn that states it would; the same call twice changes nothing."""
    if refused := refusal_of(stated(candidate), policy.sensitive):
        return (MemoryDecision(kind="fact", action="skip", reason=refused),)
    said = Utterance(at=told.at, source=_source(told), extractor=told.by)
    async with facts_lock(memory.scope):
        if done := await _done(memory, told):
            return done.decisions
        admitted = await admit(memory, [candidate], said, policy)
        await memory.apply(
            told.by, admitted.decisions, admitted.puts, at=told.at, receipts=[receipt_of(told)]
        )
    return admitted.decisions


def restated(fact: Fact, value: str) -> str | None:
    """Return what a fact says with another value; nothing where it has none to say.

    As rules say it, unless a model said it in other words that name the value once.
    """
    if not fact.value or not fact.key or not fact.attribute:
        return None
    if fact.statement != as_stated(fact, fact.value) and fact.statement.count(fact.value) == 1:
        return fact.statement.replace(fact.value, value)
    return as_stated(fact, value)


async def correction(fact: Fact, statement: str | None, value: str | None) -> FactCandidate:
    """Return a fact's new statement and value, from either: `35`, `I am 35`.

    A value is said as the fact says it; of a sentence it is read off, or stands where the old one
    did.

    Raises:
        ValueError: If there is neither, or the fact has no value to say.
    """
    if statement and _is_bare(statement) and restated(fact, statement):
        statement, value = None, value or statement
    if statement is None:
        statement = restated(fact, value) if value else None
        if statement is None:
            raise ValueError("Say in one sentence how it is now.")
        return FactCandidate(statement=statement, value=value)
    before, _, after = (restated(fact, "\0") or "").partition("\0")
    if before and statement.startswith(before) and statement.endswith(after):
        value = value or statement[len(before) : len(statement) - len(after)]
    if not value and fact.key:
        read = map(canonical, await read_keyed(statement))
        same = (each for each in read if fact_key(each) == fact.key)
        return next(same, FactCandidate(statement=statement))
    return FactCandidate(statement=statement, value=value or None)


def _is_bare(statement: str) -> bool:
    """Say whether somebody gives only a value, where a sentence was asked for: `New York`."""
    language = language_of(statement)
    is_sentence = has_subject(statement, language) or starts_with_verb(statement, language)
    return len(statement.split()) <= _BARE and statement[-1] not in ".!?" and not is_sentence


async def correct_fact(
    memory: UserMemory,
    fact_id: str,
    candidate: FactCandidate,
    told: Change,
    policy: AdmissionPolicy,
) -> tuple[Fact, MemoryDecision | CheckReason]:
    """Give a known fact a new statement, its old one kept in the history.

    From then on it changes only by a newer statement that names it.

    Returns:
        The fact as it is now, and the decision; or the fact as it was, and why it stays.

    Raises:
        RecordNotFoundError: If this user has no such fact.
    """
    async with facts_lock(memory.scope):
        fact = await memory.facts.get(fact_id)
        if done := await _done(memory, told):
            return fact, done.decisions[0]
        if reason := refusal_of(stated(candidate), policy.sensitive):
            return fact, reason
        spoken = Utterance(at=told.at, source=_source(told), extractor=told.by)
        after = timeline.apply(fact, candidate, at=moment_of(fact, spoken), source=spoken.source)
        after = after.model_copy(update={"by_hand": True, "own_words": False})
        decision = decision_for("update", "corrected", before=fact, after=after)
        puts = await memory.facts.puts([after], told.at)
        await memory.apply(told.by, [decision], puts, at=told.at, receipts=[receipt_of(told)])
    return after, decision


async def restore_lost(memory: UserMemory, entry: LedgerEntry, now: datetime) -> int:
    """Add again what another process has written over since; return how many facts lacked it.

    For stores that let no process lock another out. What was forgotten since stays so.
    """
    told = [each for each in entry.decisions if each.kind == "fact" and each.after]
    async with facts_lock(memory.scope):
        current = await memory.facts.find(str(each.memory_id) for each in told)
        mended: dict[str, Fact] = {}
        for each in told:
            known = mended.get(str(each.memory_id)) or current.get(str(each.memory_id))
            if known is None:
                continue
            before = Fact.model_validate(each.before) if each.before else None
            whole = timeline.restored(
                known, timeline.added(before, Fact.model_validate(each.after))
            )
            mended |= {whole.id: whole} if whole != known else {}
        if mended:
            await memory.commit(await memory.facts.puts([*mended.values()], now))
    return len(mended)


async def _done(memory: UserMemory, told: Change) -> LedgerEntry | None:
    entry_id = receipt_of(told).id
    return (await memory.ledger.find([entry_id])).get(entry_id)


def _source(told: Change) -> Source:
    """Name the call as the message, so that two calls of one message are two statements."""
    return told.source.model_copy(update={"message_ids": (*told.source.message_ids, told.id)})
