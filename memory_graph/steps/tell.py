"""How does somebody tell memory a fact directly, or correct one that is there?"""

from datetime import datetime

from memory_graph.policy.admission import AdmissionPolicy, AdmissionReason, refusal_of
from memory_graph.policy.timeline import apply
from memory_graph.records import Fact, FactCandidate, LedgerEntry, MemoryDecision, Source
from memory_graph.steps.admit import SameFactJudge, Statement, admit
from memory_graph.steps.by_hand import change
from memory_graph.steps.patterns import Change
from memory_graph.storage.locks import one_at_a_time
from memory_graph.storage.scope import UserMemory


async def tell_fact(
    memory: UserMemory,
    candidate: FactCandidate,
    told: Change,
    policy: AdmissionPolicy,
    judge: SameFactJudge,
) -> tuple[MemoryDecision, ...]:
    """Keep one fact, as a turn that states it would; the same call twice changes nothing."""
    said = Statement(at=told.at, source=_source(told), extractor=told.by)
    async with one_at_a_time(memory.facts.namespace):
        if done := await _done(memory, told):
            return done.decisions
        admitted = await admit(memory, [candidate], said, policy, judge)
        entry = _entry(told, admitted.decisions)
        await memory.commit([*admitted.puts, *await memory.ledger.keep(entry)])
    return admitted.decisions


async def correct_fact(
    memory: UserMemory,
    fact_id: str,
    candidate: FactCandidate,
    told: Change,
    policy: AdmissionPolicy,
) -> tuple[Fact, MemoryDecision | AdmissionReason]:
    """Give a known fact a new statement, its old one kept in the history.

    Returns:
        The fact as it is now, and the decision; or the fact as it was, and why it stays.

    Raises:
        RecordNotFoundError: If this user has no such fact.
    """
    async with one_at_a_time(memory.facts.namespace):
        fact = await memory.facts.get(fact_id)
        if done := await _done(memory, told):
            return fact, done.decisions[0]
        if reason := refusal_of(candidate, policy):
            return fact, reason
        after = apply(fact, candidate, at=told.at, source=_source(told))
        decision = change("update", "corrected", before=fact, after=after)
        puts = await memory.facts.puts([after], told.at)
        await memory.commit([*puts, *await memory.ledger.keep(_entry(told, (decision,)))])
    return after, decision


async def facts_at(memory: UserMemory, moment: datetime) -> list[Fact]:
    """Return the facts as they were at a moment, each with the value it had then."""
    return [
        fact.model_copy(
            update={
                "statement": version.statement,
                "value": version.value,
                "valid_from": version.valid_from,
                "valid_to": version.valid_to,
            }
        )
        for fact, version in await memory.facts.at(moment)
    ]


async def _done(memory: UserMemory, told: Change) -> LedgerEntry | None:
    entry_id = _entry(told, ()).id
    return (await memory.ledger.find([entry_id])).get(entry_id)


def _entry(told: Change, decisions: tuple[MemoryDecision, ...]) -> LedgerEntry:
    return LedgerEntry(
        id=f"{told.id}-{told.by}",
        at=told.at,
        node=told.by,
        source=told.source,
        decisions=decisions,
    )


def _source(told: Change) -> Source:
    """Name the call as the message, so that two calls of one message are two statements."""
    return told.source.model_copy(update={"message_ids": (*told.source.message_ids, told.id)})
