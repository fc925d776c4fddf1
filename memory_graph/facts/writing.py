"""Compare candidates with known facts, decide, and write the facts with their receipt."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph.embedding import load_embedder
from memory_graph.errors import ExtractionError
from memory_graph.facts import timeline
from memory_graph.facts.admission import (
    Admission,
    AdmissionReason,
    Evidence,
    Related,
    choose_evictions,
    decide_admission,
    refusal_of,
)
from memory_graph.facts.claims import strangers, vectors_of
from memory_graph.facts.extraction import read_without_model
from memory_graph.facts.model_reader import ask_same_facts
from memory_graph.facts.remainder import gives_anew, remainder, value_changes, without_value
from memory_graph.keys import (
    TASTES,
    canonical,
    fact_key,
    normalise,
    resolve_entity,
    unkeyed_id,
)
from memory_graph.language.facts import as_stated
from memory_graph.language.likeness import is_same_fact
from memory_graph.language.sentences import (
    has_subject,
    starts_with_verb,
    to_forget,
    words_about_forgetting,
)
from memory_graph.language.words import language_of, words_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.reading import EMBEDDER, read_message
from memory_graph.records import (
    Change,
    Episode,
    Fact,
    FactCandidate,
    LedgerEntry,
    MemoryDecision,
    Source,
    Usage,
)
from memory_graph.store.scope import UserMemory, decision_for, facts_lock, receipt_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from memory_graph.language import supersession

_CORRECTS, _CORRECTED = 0.5, 0.4
"""What surely corrects something corrects the likeliest fact, if that is likely enough.
With the judge's threshold a precision of .79 at a recall of .63 in conversations of many hands:
`python -m evals.tuning.supersession.report`.
"""

_REPEATED = 0.8
"""Share of a statement's words that an older one has, if it only repeats that."""

_LITTLE_MORE = {"retract": 1, "update": 2}
"""Words that say no more than that something ended (`longer`), or changed (`moved back`)."""

_CHANGING = frozenset({"create", "update", "retract"})
_BARE = 4
"""Words of a value that stands alone: a limit."""

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """Who said the candidates, when, and who read them out of the text."""

    at: datetime
    source: Source
    extractor: str
    is_late: bool = False
    """It is made up for: others may have been said since, and were kept before it."""

    before: tuple[str, ...] = ()
    """The user's messages before it in its thread, the latest first."""

    judged: frozenset[str] = frozenset()
    """The known facts of which whoever read it said whether something new replaces them."""

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
            decisions += _consequences(admission, each, said, told, changed)
            past += _past_values(admission, each)
    decisions += await _withdraw_values(memory, past, said, changed)
    evicted = await _evicted(memory, changed, policy)
    decisions += [decision_for("evict", "category_full", before=f, after=None) for f in evicted]
    puts = await _writes(memory, changed, evicted, said.at)
    requests = [
        e.statement for e in candidates if e.retracts and to_forget(e.statement) is not None
    ]
    if requests:
        gone, silenced = await _told_of(memory, requests, changed.values(), said.at)
        decisions += [decision_for("evict", "asked_to_forget", before=e, after=None) for e in gone]
        puts += silenced
    return Admitted(tuple(decisions), puts, usage)


async def _told_of(
    memory: UserMemory, requests: Sequence[str], changed: Iterable[Fact], at: datetime
) -> tuple[list[Episode], list[PutOp]]:
    """Return the episodes that tell what is to be forgotten, and the writes that silence the rest.

    The words that told it stay, and are not found any more.
    """
    forgotten = [fact for fact in changed if timeline.is_forgotten(fact)]
    versions = [version for fact in forgotten for version in fact.history]
    sources = [fact.source for fact in forgotten] + [version.source for version in versions]
    messages = {message_id for source in sources for message_id in source.message_ids}

    def is_named(text: str) -> bool:
        return any(_names(request, text, language_of(text)) for request in requests)

    silenced = [
        turn.model_copy(update={"echoes": True})
        for turn in await memory.turns.all()
        if not turn.echoes and (messages & {*turn.source.message_ids} or is_named(turn.text))
    ]
    told = memory.episodes.kind.text
    gone = [each for each in await memory.episodes.all() if is_named(told(each))]
    puts = memory.episodes.deletions(each.id for each in gone)
    return gone, puts + (await memory.turns.puts(silenced, at) if silenced else [])


def _consequences(
    admission: Admission, evidence: Evidence, said: Utterance, told: str, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Return what else a candidate ends, and what it leaves of the words that it changes."""
    candidate, known = evidence.candidate, admission.target
    also = _also_past(admission, evidence)
    asked = candidate.statement if to_forget(candidate.statement) is not None else None
    decisions = end_superseded(also, said, changed, asked=asked)
    partly = [*also, known] if known and admission.reason == "supersedes" else also
    for fact in (each for each in partly if each.own_words and not candidate.retracts):
        left = remainder(fact.statement, candidate.statement, told)
        decisions += _keep_remainder(fact, left, changed)
    return decisions


def _also_past(admission: Admission, evidence: Evidence) -> list[Fact]:
    """Return what a candidate makes past beside the fact that it is about."""
    past = [each.fact for each in evidence.made_past if each.fact != admission.target]
    return past if admission.action in _CHANGING else []


def _past_values(admission: Admission, evidence: Evidence) -> list[tuple[Fact, str, str | None]]:
    """Return the values that known facts lose by a candidate, each with what is true instead."""
    known = [admission.target] if admission.target and admission.action != "create" else []
    facts = [*known, *_also_past(admission, evidence)] if admission.action in _CHANGING else []
    return [lost for fact in facts for lost in _lost_values(fact, evidence.candidate)]


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
        facts = _to_forget(candidate.statement, await memory.facts.all())
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


def _to_forget(request: str, known: Sequence[Fact]) -> list[Fact]:
    """Return the facts that a request to forget names, whether they hold or not.

    Of what the user told of themselves and a key holds, it names the key: what else they said in
    the same words may stay.
    """
    named, keyed = [], []
    for fact in known:
        told = [f"{fact.statement} {fact.value or ''}", *(each.statement for each in fact.history)]
        if any(_names(request, each, language_of(fact.statement)) for each in told):
            named.append(fact)
    for fact in known:
        value = {*words_of(fact.value or "")}
        if fact.key and fact.entity == "user" and value and fact not in named:
            beside = [e for e in named if e.own_words and e.source == fact.source]
            if any(value <= _wanted(request, language_of(e.statement)) for e in beside):
                keyed.append(fact)
                named = [each for each in named if each not in beside]
    return [*keyed, *named]


def _names(request: str, text: str, language: str) -> bool:
    """Say whether a text says all that a request to forget speaks of."""
    wanted = _wanted(request, language)
    return bool(wanted) and wanted <= {*words_of(text, language)}


def _wanted(request: str, language: str) -> set[str]:
    asked = to_forget(request) or request
    return {*words_of(asked, language)} - words_about_forgetting()


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
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy
    from memory_graph.language.heads import read  # noqa: PLC0415 — numpy

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
        after = timeline.apply(before, candidate, at=_moment(before, said), source=said.source)
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


def _moment(known: Fact, said: Utterance) -> datetime:
    """Return when something counts as said: after what the store held already.

    Clocks go back, stand still and differ between workers; the order of a thread does not, and
    nor does that in which threads reach the store. What is made up for was said before.
    """
    latest = max(known.updated_at, known.last_verified_at, known.valid_from)
    is_same_message = said.message_id in known.source.message_ids
    if said.is_late or is_same_message or said.at > latest:
        return said.at
    return latest + _TICK


def _keep_remainder(
    known: Fact, left: str | None, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Keep what a change leaves of a statement as a fact of its own, as old as it was."""
    if left is None:
        return []
    fact_id = unkeyed_id(known.id, left)
    update = {"id": fact_id, "key": None, "statement": left, "value": None, "history": ()}
    after = changed[fact_id] = known.model_copy(update=update)
    return [decision_for("create", "remainder", before=None, after=after)]


def end_superseded(
    facts: Sequence[Fact], said: Utterance, changed: dict[str, Fact], *, asked: str | None = None
) -> list[MemoryDecision]:
    """Return the decisions that end facts which another statement, or a request, made past."""
    decisions = []
    reason = "retracted_by_user" if asked else "superseded"
    for known in facts:
        before = changed.get(known.id, known)
        ending = FactCandidate(statement=asked or before.statement, retracts=True)
        after = timeline.apply(before, ending, at=_moment(before, said), source=said.source)
        changed[after.id] = after
        decisions.append(decision_for("retract", reason, before=before, after=after))
    return decisions


def _lost_values(known: Fact, candidate: FactCandidate) -> list[tuple[Fact, str, str | None]]:
    """Return the values that a fact loses, each with what is true instead."""
    if known.own_words:
        changes = value_changes(known.statement, candidate.statement)
        return [(known, was, now) for was, now in changes if not candidate.retracts]
    is_same = normalise(candidate.value or "") == normalise(known.value or "")
    is_kept = is_same or (not candidate.value and (known.value or "") in candidate.statement)
    if known.key is None or not known.value or (is_kept and not candidate.retracts):
        return []
    _, _, thing = (known.attribute or "").partition(":")
    value = thing if known.value in TASTES.values() else known.value
    return [(known, value, None if candidate.retracts else candidate.value)]


async def _withdraw_values(
    memory: UserMemory,
    past: Sequence[tuple[Fact, str, str | None]],
    said: Utterance,
    changed: dict[str, Fact],
) -> list[MemoryDecision]:
    """Take values that are past out of the words that they were told in, too."""
    told_by = [each for known, _, _ in past for each in timeline.versions_of(known)]
    messages = {i for each in told_by for i in each.source.message_ids}
    beside = await memory.facts.told_in(messages) if past else []
    decisions: list[MemoryDecision] = []
    for known, value, instead in past:
        for fact in beside:
            if fact.id in changed or not fact.own_words or not _tells_of(fact, known, value):
                continue
            left = without_value(fact.statement, value, instead, known.entity)
            if left != fact.statement:
                decisions += end_superseded([fact], said, changed)
                decisions += _keep_remainder(fact, left, changed)
    return decisions


def _tells_of(fact: Fact, known: Fact, value: str) -> bool:
    """Say whether words were told with a fact, and hold this value of it rather than another.

    Of what has no key they are what a change left of it; of another's age they name them.
    """
    told = timeline.versions_of(known)
    if {i for each in told for i in each.source.message_ids}.isdisjoint(fact.source.message_ids):
        return False
    language = language_of(fact.statement)
    words = {*words_of(fact.statement, language)}
    if known.own_words:
        said = {*words_of(" ".join(each.statement for each in told), language)}
        return {word for word in words if not word[0].isdigit()} <= said
    is_plain = known.entity == "user" or not value.isdigit()
    return is_plain or not words.isdisjoint(words_of(known.entity, language))


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


async def tell_fact(
    memory: UserMemory,
    candidate: FactCandidate,
    told: Change,
    policy: AdmissionPolicy,
    judge: SameFactJudge,
) -> tuple[MemoryDecision, ...]:
    """Keep one fact, as a turn that states it would; the same call twice changes nothing."""
    said = Utterance(at=told.at, source=_source(told), extractor=told.by)
    async with facts_lock(memory.scope):
        if done := await _done(memory, told):
            return done.decisions
        admitted = await admit(memory, [candidate], said, policy, judge)
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


async def correction(
    fact: Fact, statement: str | None, value: str | None, now: datetime, zone: ZoneInfo
) -> FactCandidate:
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
        read = await read_without_model([statement], await read_message(statement), now, zone)
        same = (each for each in map(canonical, read) if fact_key(each) == fact.key)
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
) -> tuple[Fact, MemoryDecision | AdmissionReason]:
    """Give a known fact a new statement, its old one kept in the history.

    Returns:
        The fact as it is now, and the decision; or the fact as it was, and why it stays.

    Raises:
        RecordNotFoundError: If this user has no such fact.
    """
    async with facts_lock(memory.scope):
        fact = await memory.facts.get(fact_id)
        if done := await _done(memory, told):
            return fact, done.decisions[0]
        if reason := refusal_of(candidate, policy):
            return fact, reason
        said = Utterance(at=told.at, source=_source(told), extractor=told.by)
        after = timeline.apply(fact, candidate, at=_moment(fact, said), source=said.source)
        decision = decision_for("update", "corrected", before=fact, after=after)
        changed = {after.id: after}
        lost = _lost_values(fact, candidate)
        also = await _withdraw_values(memory, lost, said, changed)
        puts = await memory.facts.puts([*changed.values()], told.at)
        await memory.apply(
            told.by, [decision, *also], puts, at=told.at, receipts=[receipt_of(told)]
        )
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
