"""How do candidate facts become changes of what is known about a user?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

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
from memory_graph.policy.keys import canonical, fact_key, normalise, resolve_entity
from memory_graph.policy.timeline import apply, new_fact
from memory_graph.records import Fact, FactCandidate, MemoryDecision, Source
from memory_graph.storage.labels import stable_id
from memory_graph.storage.scope import UserMemory


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Who said the candidates, when, and who read them out of the text."""

    at: datetime
    source: Source
    extractor: str

    @property
    def message_id(self) -> str:
        """The message that made the claims."""
        return self.source.message_ids[-1] if self.source.message_ids else ""


@dataclass(frozen=True)
class Admitted:
    """What was decided about each candidate, and the writes that carry it out."""

    decisions: tuple[MemoryDecision, ...] = ()
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


async def admit(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Statement,
    policy: AdmissionPolicy,
    judge: "SameFactJudge",
) -> Admitted:
    """Compare candidates with what is known and decide each: update over insert.

    Reads the store, writes nothing: the caller commits `puts` with its receipt.
    """
    weightiest = sorted(candidates, key=lambda c: -c.importance)[: policy.max_facts]
    evidence = await _gather(memory, weightiest, said, policy)
    admissions = [decide_admission(each, policy) for each in evidence]
    unsure = [n for n, admission in enumerate(admissions) if admission.reason == "ambiguous"]
    usage = Usage()
    if unsure:
        answers, usage = await judge.same([_pair(evidence[n], admissions[n]) for n in unsure])
        for n, same in zip(unsure, answers, strict=True):
            admissions[n] = decide_admission(replace(evidence[n], same_fact=same), policy)
    changes = [_carry_out(a, e.candidate, said) for a, e in zip(admissions, evidence, strict=True)]
    facts = {fact.id: fact for _, fact in changes if fact is not None}
    puts = await memory.facts.puts(list(facts.values()), said.at) if facts else []
    return Admitted(tuple(decision for decision, _ in changes), puts, usage)


@dataclass(frozen=True)
class SameFactJudge:
    """Whoever says whether two statements are one fact: a model, or rules without one."""

    model: BaseChatModel | None
    timeout_s: float

    async def same(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[bool], Usage]:
        """Judge all (old, new) pairs at once."""
        return await are_same_facts(pairs, self.model, timeout_s=self.timeout_s)


async def _gather(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Statement,
    policy: AdmissionPolicy,
) -> list[Evidence]:
    if not candidates:
        return []
    entities = _entity_kinds(await memory.facts.current())
    known = [canonical(resolve_entity(candidate, entities)) for candidate in candidates]
    keys = [fact_key(candidate) for candidate in known]
    keyed = await memory.facts.find(key for key in keys if key)
    evidence = []
    for candidate, key in zip(known, keys, strict=True):
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


def _carry_out(
    admission: Admission, candidate: FactCandidate, said: Statement
) -> tuple[MemoryDecision, Fact | None]:
    """Return the decision as it is kept, and the fact to save if there is one."""
    before = admission.target
    after: Fact | None = None
    if admission.action == "create":
        key = fact_key(candidate)
        fact_id = key or f"fact-{stable_id(said.message_id, candidate.statement)}"
        after = new_fact(candidate, fact_id=fact_id, key=key, at=said.at, source=said.source)
    elif before is not None and admission.action in {"update", "verify", "retract"}:
        after = apply(before, candidate, at=said.at, source=said.source)
    if after is not None:
        after = after.model_copy(update={"extractor": said.extractor})
    touched = after or before
    decision = MemoryDecision(
        kind="fact",
        action=admission.action,
        reason=admission.reason,
        memory_id=touched.id if touched else None,
        scores=admission.scores,
        thresholds=admission.thresholds,
        before=before.model_dump(mode="json") if after and before else None,
        after=after.model_dump(mode="json") if after else None,
    )
    return decision, after
