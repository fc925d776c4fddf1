"""Compare candidates with known facts, decide, and write the facts with their receipt."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph.embedding import load_embedder
from memory_graph.errors import ExtractionError
from memory_graph.facts import timeline
from memory_graph.facts.admission import (
    Admission,
    Evidence,
    Related,
    Utterance,
    choose_evictions,
    decide_admission,
)
from memory_graph.facts.claims import strangers, vectors_of
from memory_graph.facts.model_reader import ask_same_facts
from memory_graph.facts.past import (
    consequences,
    facts_to_forget,
    forget_with,
    moment_of,
    past_values,
    withdraw_values,
)
from memory_graph.facts.remainder import gives_anew
from memory_graph.keys import (
    canonical,
    fact_key,
    resolve_entity,
    unkeyed_id,
)
from memory_graph.language import supersession
from memory_graph.language.heads import read
from memory_graph.language.likeness import is_same_fact
from memory_graph.language.sentences import (
    to_forget,
)
from memory_graph.language.words import language_of, words_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.reading import EMBEDDER
from memory_graph.records import (
    Fact,
    FactCandidate,
    MemoryDecision,
    Usage,
)
from memory_graph.store.changes import decision_for
from memory_graph.store.scope import UserMemory

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_CORRECTS, _CORRECTED = 0.5, 0.4
"""What surely corrects something corrects the likeliest fact, if that is likely enough.
With the judge's threshold a precision of .79 at a recall of .63 in conversations of many hands:
`python -m evals.tuning.supersession.report`.
"""

_REPEATED = 0.8
"""Share of a statement's words that an older one has, if it only repeats that."""

_LITTLE_MORE = {"retract": 1, "update": 2}
"""Words that say no more than that something ended (`longer`), or changed (`moved back`)."""


@dataclass(frozen=True)
class Admitted:
    """What was decided about each candidate, and the writes that carry it out."""

    decisions: tuple[MemoryDecision, ...] = ()
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class SameFactJudge:
    """Whoever says whether two statements are one fact: a model, or rules without one."""

    model: BaseChatModel | None = None
    timeout_s: float = 0.0

    async def same(self, pairs: Sequence[tuple[str, str]]) -> tuple[list[bool], Usage]:
        """Say for each (old, new) pair whether the new statement replaces the old: all at once.

        Where the model's answer cannot be used, the rules judge instead.

        Raises:
            ModelUnavailableError: If the model does not answer.
        """
        usage = Usage()
        if self.model is not None:
            try:
                return await ask_same_facts(pairs, self.model, timeout_s=self.timeout_s)
            except ExtractionError:
                usage = Usage(1, None, None)
        return [is_same_fact(old, new) for old, new in pairs], usage


async def admit(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Utterance,
    policy: AdmissionPolicy,
    judge: SameFactJudge,
) -> Admitted:
    """Compare candidates with what is known and decide each: update over insert.

    Reads the store, writes nothing: the caller commits `puts` with its receipt.
    """
    if not candidates:
        return Admitted()
    evidence = await _gather(memory, candidates, said, policy)
    admissions, usage = await _decide(evidence, said, policy, judge)
    changed: dict[str, Fact] = {}
    decisions: list[MemoryDecision] = []
    past: list[tuple[Fact, str, str | None]] = []
    told = " ".join(each.statement for each in candidates)
    for admission, each in zip(admissions, evidence, strict=True):
        if not _is_done(each.candidate, admission.target, decisions):
            decisions.append(apply_admission(admission, each.candidate, said, changed))
            decisions += consequences(admission, each, said, told, changed)
            past += past_values(admission, each)
    decisions += await withdraw_values(memory, past, said, changed)
    evicted = await _evicted(memory, changed, policy)
    decisions += [decision_for("evict", "category_full", before=f, after=None) for f in evicted]
    puts = await _writes(memory, changed, evicted, said.at)
    also, silenced = await forget_with(memory, candidates, changed.values(), said.at)
    return Admitted((*decisions, *also), [*puts, *silenced], usage)


async def _gather(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Utterance,
    policy: AdmissionPolicy,
) -> list[Evidence]:
    """Return what is known beside each of the weightiest candidates, none twice.

    They get their usual names, with the kind of whom facts already know.
    """
    new = {
        (each.statement.casefold(), each.retracts, each.entity, each.attribute): each
        for each in reversed(candidates)
    }
    weightiest = sorted([*new.values()][::-1], key=lambda c: -c.importance)[: policy.max_facts]
    weightiest.sort(key=lambda c: c.own_words and c.retracts)  # only where no key is named
    names_somebody = any(each.entity != "user" for each in weightiest)
    entities = await memory.facts.entities() if names_somebody else {}
    resolved = [canonical(resolve_entity(each, entities)) for each in weightiest]
    keys = [key for each in resolved if (key := fact_key(each))]
    archived, kept = await asyncio.gather(memory.archive.find(keys), memory.facts.find(keys))
    evidence = []
    for candidate in resolved:
        found = Evidence(candidate=candidate, message_id=said.message_id)
        if known := {**archived, **kept}.get(fact_key(candidate) or ""):
            found = replace(found, keyed=known)
        else:
            alike = await _alike(memory, candidate, policy)
            related = await relate(memory, candidate, said, policy)
            found = replace(found, neighbours=alike, related=related)
        evidence.append(found)
    return evidence


async def _alike(
    memory: UserMemory, candidate: FactCandidate, policy: AdmissionPolicy
) -> Sequence[tuple[Fact, float]]:
    """Return the known facts that may be a candidate in other words, by how similar they are.

    A model's words for what the user said never stand for words of the user.
    """
    if candidate.own_words:
        return ()
    found = await memory.facts.similar(candidate.statement, policy.neighbours)
    return [each for each in found if not (candidate.words and each[0].own_words)]


async def relate(
    memory: UserMemory, candidate: FactCandidate, said: Utterance, policy: AdmissionPolicy
) -> tuple[Related, ...]:
    """Return the known facts that a statement bears on, each with what it does to them.

    A statement in the user's own words may bear on any fact, another only on those in the
    user's own words: the rest have keys and neighbours of their own. A model's words for what the
    user said bear on the fact that it named. A request to forget bears on what its words name.
    """
    if candidate.retracts and candidate.own_words:
        facts = facts_to_forget(candidate.statement, await memory.facts.all())
        return tuple(Related(fact, "ends", 1.0) for fact in facts)
    if candidate.retracts and not candidate.replaces:
        return ()
    known = [
        each
        for each in await memory.facts.near(candidate.statement, policy.candidates)
        if each.record.valid_to is None
        and said.message_id not in each.record.source.message_ids
        and _may_bear(candidate, each.record)
    ]
    if not known:
        return ()
    facts = [each.record for each in known]
    vectors = await vectors_of(facts, known, memory)
    [new] = await load_embedder(EMBEDDER).embed([candidate.statement])
    told_before = ({f.id for f in facts if i in f.source.message_ids} for i in said.before)
    return judge_relations(
        candidate,
        new,
        list(zip(facts, vectors, strict=True)),
        last=next(filter(None, told_before), ()),
        beside=await strangers(len(known)),
    )


def _may_bear(candidate: FactCandidate, known: Fact) -> bool:
    is_by_model = bool(candidate.words)
    may_be_any = candidate.own_words or known.id == candidate.replaces
    return may_be_any or (known.own_words and not is_by_model)


def judge_relations(
    candidate: FactCandidate,
    vector: Sequence[float],
    known: "Sequence[tuple[Fact, ArrayLike]]",
    *,
    last: Collection[str] = (),
    beside: "Sequence[supersession.Utterance]" = (),
) -> tuple[Related, ...]:
    """Return which of the nearest known facts a candidate replaces, ends or repeats.

    Vectors are those of the embedder that the judge was trained with. `last` are the facts told
    just before; `beside` are sentences that no statement bears on, to judge a few facts beside.
    """
    statement = candidate.statement
    olds = [supersession.Utterance(timeline.in_full(f), old, f.id in last) for f, old in known]
    said = supersession.Utterance(statement, vector)
    found = supersession.judge_all([*olds, *beside], said)[: len(olds)]
    likeliest = max(relation.past for relation in found)
    corrects = read([vector], [statement])[0].corrects >= _CORRECTS
    related: list[Related] = []
    for (fact, _), relation in zip(known, found, strict=True):
        is_corrected = corrects and relation.past == likeliest >= _CORRECTED
        is_named = fact.id == candidate.replaces or _gives_anew(candidate, fact)
        if relation.is_past or is_corrected or is_named:
            kind = relation.kind if relation.kind == "ends" else "replaces"
            related.append(Related(fact, kind, relation.past))
        elif relation.kind == "same" and is_repeat(fact.statement, statement):
            related.append(Related(fact, "same", relation.probability))
    return tuple(related)


def _gives_anew(candidate: FactCandidate, known: Fact) -> bool:
    """Say whether rules read of somebody by name what words of the user say of them, too."""
    is_theirs = known.own_words and {*words_of(candidate.entity)} <= {*words_of(known.statement)}
    is_read = candidate.attribute is not None and candidate.entity != "user"
    return is_read and is_theirs and gives_anew(known.statement, candidate.statement)


def is_repeat(old: str, new: str) -> bool:
    """Say whether a statement says hardly more than an older one."""
    language = language_of(new)
    said, again = set(words_of(old, language)), set(words_of(new, language))
    return len(again & said) >= _REPEATED * len(again)


async def _decide(
    evidence: Sequence[Evidence], said: Utterance, policy: AdmissionPolicy, judge: SameFactJudge
) -> tuple[list[Admission], Usage]:
    """Decide each candidate; all ambiguous ones are judged in one call.

    Rules judge those beside a fact that the model named none to replace when it read the message.
    """
    admissions = [decide_admission(each, policy) for each in evidence]
    unsure = {
        n: (each.target, (each.target.statement, evidence[n].candidate.statement))
        for n, each in enumerate(admissions)
        if each.reason == "ambiguous" and each.target
    }
    asked = {n: pair for n, (fact, pair) in unsure.items() if fact.id not in said.judged}
    answers, usage = await judge.same([*asked.values()]) if asked else ([], Usage())
    told = dict(zip(asked, answers, strict=True))
    for n, (_, pair) in unsure.items():
        same = told[n] if n in told else is_same_fact(*pair)
        admissions[n] = decide_admission(replace(evidence[n], same_fact=same), policy)
    return admissions, usage


def _is_done(
    candidate: FactCandidate, fact: Fact | None, decisions: Sequence[MemoryDecision]
) -> bool:
    """Say whether own words only tell what the same message did to a fact by its key.

    `I no longer live there` and `I moved back to Lisbon` are no facts of their own; `I quit the
    bank, I'm a baker now` tells more. Nor is there more to forget than a key that was named.
    """
    done = {each.memory_id: each for each in decisions if each.action in _LITTLE_MORE}
    if candidate.own_words and to_forget(candidate.statement) is not None:
        return any(each.action == "retract" for each in decisions)
    if fact is None or fact.id not in done or not candidate.own_words:
        return False
    said = str((done[fact.id].after or {}).get("statement", fact.statement))
    new = set(words_of(candidate.statement)) - set(words_of(f"{fact.statement} {said}"))
    return len(new) <= _LITTLE_MORE[done[fact.id].action]


def apply_admission(
    admission: Admission, candidate: FactCandidate, said: Utterance, changed: dict[str, Fact]
) -> MemoryDecision:
    """Return a decision as it is kept, after putting the fact it makes into `changed`.

    What the same turn has changed already is changed further. A retraction that ended nothing may
    yet end what is heard of later.
    """
    key, before = fact_key(candidate), admission.target
    waits = key and admission.reason == "nothing_to_retract" and (not before or before.key == key)
    after: Fact | None = None
    if admission.action == "create" or waits:
        fact_id = key or unkeyed_id(said.message_id, candidate.statement)
        before = changed.get(fact_id, before)
        if before is None:
            after = timeline.new_fact(
                candidate, fact_id=fact_id, key=key, at=said.at, source=said.source
            )
    elif before is not None:
        before = changed.get(before.id, before)
    if before is not None and (admission.action != "skip" or waits):
        after = timeline.apply(before, candidate, at=moment_of(before, said), source=said.source)
    if after is not None:
        details: dict[str, object] = {"extractor": said.extractor}
        if after.statement == candidate.statement:
            details |= {"own_words": candidate.own_words, "event_date": candidate.event_date}
        after = changed[after.id] = after.model_copy(update=details)
    return _decision(admission, before, after)


def _decision(admission: Admission, before: Fact | None, after: Fact | None) -> MemoryDecision:
    touched = after or before
    return MemoryDecision(
        kind="fact",
        action=admission.action,
        reason=admission.reason,
        memory_id=touched.id if touched else None,
        scores=admission.scores,
        thresholds=admission.thresholds,
        before=before.model_dump(mode="json") if after and before else None,
        after=after.model_dump(mode="json") if after else None,
    )


async def _evicted(
    memory: UserMemory, changed: Mapping[str, Fact], policy: AdmissionPolicy
) -> Sequence[Fact]:
    """Return the facts that have to make room in their category."""
    if not await memory.facts.may_be_full(policy.max_per_category, len(changed)):
        return ()
    then = {fact.id: fact for fact in await memory.facts.current()} | dict(changed)
    valid = [fact for fact in then.values() if fact.valid_to is None]
    return choose_evictions(valid, just_told=changed.keys(), most=policy.max_per_category)


async def _writes(
    memory: UserMemory, changed: Mapping[str, Fact], evicted: Sequence[Fact], at: datetime
) -> list[PutOp]:
    """Return the writes; what is told again comes back from the archive.

    What never held waits there, where nobody looks for facts.
    """
    told = [fact for fact in changed.values() if not timeline.is_pending_retraction(fact)]
    aside = [*evicted, *(fact for fact in changed.values() if timeline.is_pending_retraction(fact))]
    puts = await memory.facts.puts(told, at) if told else []
    puts += memory.archive.deletions(fact.id for fact in told)
    puts += memory.facts.deletions(fact.id for fact in evicted)
    return puts + (await memory.archive.puts(aside, at) if aside else [])
