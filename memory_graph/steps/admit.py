"""How do candidate facts become changes of what is known about a user?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph.llm.ask import Usage
from memory_graph.llm.facts import are_same_facts
from memory_graph.policy.admission import (
    Admission,
    AdmissionPolicy,
    Evidence,
    Neighbour,
    decide_admission,
)
from memory_graph.policy.caps import choose_evictions
from memory_graph.policy.keys import canonical, fact_key, normalise, resolve_entity
from memory_graph.policy.timeline import never_held
from memory_graph.records import Fact, FactCandidate, MemoryDecision
from memory_graph.steps.by_hand import change
from memory_graph.steps.changes import Statement, carry_out
from memory_graph.storage.scope import UserMemory

__all__ = ["Admitted", "SameFactJudge", "Statement", "admit"]


@dataclass(frozen=True)
class Admitted:
    """What was decided about each candidate, and the writes that carry it out."""

    decisions: tuple[MemoryDecision, ...] = ()
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class SameFactJudge:
    """Whoever says whether two statements are one fact: a model, or rules without one."""

    model: BaseChatModel | None
    timeout_s: float

    async def same(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[bool], Usage]:
        """Judge all (old, new) pairs at once."""
        return await are_same_facts(pairs, self.model, timeout_s=self.timeout_s)


async def admit(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Statement,
    policy: AdmissionPolicy,
    judge: SameFactJudge,
) -> Admitted:
    """Compare candidates with what is known and decide each: update over insert.

    Reads the store, writes nothing: the caller commits `puts` with its receipt.
    """
    if not candidates:
        return Admitted()
    current = await memory.facts.current()
    weightiest = sorted(candidates, key=lambda c: -c.importance)[: policy.max_facts]
    evidence = await _gather(memory, _resolved(weightiest, current), said, policy)
    admissions, usage = await _decide(evidence, policy, judge)
    changed: dict[str, Fact] = {}
    decisions = [
        carry_out(admission, each.candidate, said, changed)
        for admission, each in zip(admissions, evidence, strict=True)
    ]
    evicted = _evicted(current, changed, policy)
    decisions += [change("evict", "category_full", before=fact, after=None) for fact in evicted]
    return Admitted(tuple(decisions), await _writes(memory, changed, evicted, said), usage)


async def _decide(
    evidence: Sequence[Evidence], policy: AdmissionPolicy, judge: SameFactJudge
) -> tuple[list[Admission], Usage]:
    """Decide each candidate; all ambiguous ones are judged in one call."""
    admissions = [decide_admission(each, policy) for each in evidence]
    unsure = [n for n, admission in enumerate(admissions) if admission.reason == "ambiguous"]
    if not unsure:
        return admissions, Usage()
    answers, usage = await judge.same([_pair(evidence[n], admissions[n]) for n in unsure])
    for n, same in zip(unsure, answers, strict=True):
        admissions[n] = decide_admission(replace(evidence[n], same_fact=same), policy)
    return admissions, usage


def _resolved(candidates: Sequence[FactCandidate], current: Sequence[Fact]) -> list[FactCandidate]:
    entities = _entity_kinds(current)
    return [canonical(resolve_entity(candidate, entities)) for candidate in candidates]


async def _gather(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Statement,
    policy: AdmissionPolicy,
) -> list[Evidence]:
    keys = [fact_key(candidate) for candidate in candidates]
    wanted = [key for key in keys if key]
    keyed = {**await memory.archive.find(wanted), **await memory.facts.find(wanted)}
    evidence = []
    for candidate, key in zip(candidates, keys, strict=True):
        same_key = keyed.get(key) if key else None
        neighbours = () if same_key else await _neighbours(memory, candidate, policy)
        evidence.append(
            Evidence(
                candidate=candidate,
                message_id=said.message_id,
                keyed=same_key,
                neighbours=neighbours,
            )
        )
    return evidence


async def _neighbours(
    memory: UserMemory, candidate: FactCandidate, policy: AdmissionPolicy
) -> tuple[Neighbour, ...]:
    similar = await memory.facts.similar(candidate.statement, policy.neighbours)
    return tuple(Neighbour(fact, similarity) for fact, similarity in similar)


def _entity_kinds(facts: Sequence[Fact]) -> Mapping[str, str]:
    return {normalise(fact.entity): fact.entity_kind for fact in facts if fact.entity_kind}


def _pair(evidence: Evidence, admission: Admission) -> tuple[str, str]:
    assert admission.target is not None
    return admission.target.statement, evidence.candidate.statement


def _evicted(
    current: Sequence[Fact], changed: Mapping[str, Fact], policy: AdmissionPolicy
) -> tuple[Fact, ...]:
    then = {fact.id: fact for fact in current} | dict(changed)
    valid = [fact for fact in then.values() if fact.valid_to is None]
    return choose_evictions(valid, just_told=changed.keys(), most=policy.max_per_category)


async def _writes(
    memory: UserMemory, changed: Mapping[str, Fact], evicted: Sequence[Fact], said: Statement
) -> list[PutOp]:
    """Return the writes; what is told again comes back from the archive.

    What never held waits there, where nobody looks for facts.
    """
    told = [fact for fact in changed.values() if not never_held(fact)]
    aside = [*evicted, *(fact for fact in changed.values() if never_held(fact))]
    puts = await memory.facts.puts(told, said.at) if told else []
    puts += memory.archive.deletions(fact.id for fact in told)
    puts += memory.facts.deletions(fact.id for fact in evicted)
    return puts + (await memory.archive.puts(aside, said.at) if aside else [])
