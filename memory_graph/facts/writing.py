"""Compare candidates with known facts, decide, and write the facts with their receipt."""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph.embedding import load_embedder
from memory_graph.facts.admission import (
    Admission,
    AdmissionReason,
    Evidence,
    Neighbour,
    Related,
    choose_evictions,
    decide_admission,
    refusal_of,
    superseded_by,
)
from memory_graph.facts.extraction import read_without_model
from memory_graph.facts.model_reader import are_same_facts
from memory_graph.facts.timeline import (
    added,
    apply,
    in_full,
    is_pending_retraction,
    new_fact,
    restored,
    says_more,
)
from memory_graph.keys import canonical, fact_key, normalise, resolve_entity, unkeyed_id
from memory_graph.language.likeness import is_same_fact
from memory_graph.language.mentions import (
    Value,
    changed_values,
    names_in,
    shows_names,
    values_in,
)
from memory_graph.language.sentences import (
    AND,
    has_subject,
    split_sentences,
    starts_with_verb,
)
from memory_graph.language.words import language_of, unfolded, words_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.reading import EMBEDDER, read_message
from memory_graph.records import (
    Change,
    Fact,
    FactCandidate,
    LedgerEntry,
    MemoryDecision,
    Source,
    Usage,
)
from memory_graph.store.collection import Near
from memory_graph.store.scope import UserMemory, decision_for, facts_lock, receipt_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from memory_graph.language import supersession
    from memory_graph.language.supersession import Relation

_SEAMS = {
    language: re.compile(rf"((?:(?<!\s)\s+)?[,;]\s+(?:{word}\s+)?|(?<!\s)\s+{word}\s+)")
    for language, word in AND.items()
}
"""Spaces are read from their first one alone, else a run of them would be walked from each."""

_CORRECTS, _CORRECTED = 0.5, 0.4
"""What surely corrects something corrects the likeliest fact, if that is likely enough.
With the judge's threshold a precision of .79 at a recall of .63 in conversations of many hands:
`python -m evals.tuning.supersession.report`.
"""

_NAMED = 0.05
"""How likely a fact must be past that a model names as replaced: it keeps unrelated facts, and no
near misses. Chosen by hand on 120 of the labelled pairs (60 of 61 changes pass, 36 of 59 others,
10 of 120 by chance); no command repeats it.
"""

_FEW_WORDS = 3
"""Words of a statement that speaks of nothing but a value: `No wait, 410`. Chosen by hand."""

_OWN_STATEMENT, _OPENING = 4, 4
"""Words of a part that can be a statement by itself, and of those that may name its subject."""

_REPEATED = 0.8
"""Share of a statement's words that an older one has, if it only repeats that."""


async def relate(
    memory: UserMemory, candidate: FactCandidate, said: "Utterance", policy: AdmissionPolicy
) -> tuple[Related, ...]:
    """Return the known facts that a statement bears on, each with what it does to them.

    A statement in the user's own words may bear on any fact, another only on those in the
    user's own words: the rest have keys and neighbours of their own.
    """
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    if candidate.retracts and candidate.own_words:
        return await _to_forget(memory, candidate.statement)
    if candidate.retracts and not candidate.replaces:
        return ()
    near = await memory.facts.near(candidate.statement, policy.candidates)
    known = [each for each in near if _may_change(each.record, candidate, said.message_id)]
    if not known:
        return ()
    new, old = await _vectors(memory, candidate, known)
    facts = [each.record for each in known]
    beside = await _strangers() if len(known) < supersession.FEW else ()
    judged = list(zip(facts, old, strict=True))
    last = _last_told(facts, said)
    return judge_relations(candidate, new, judged, last=last, beside=beside)


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

    statement, named = candidate.statement, candidate.replaces
    olds = [supersession.Utterance(in_full(f), old, f.id in last) for f, old in known]
    said = supersession.Utterance(statement, vector)
    found = supersession.judge_all([*olds, *beside], said)[: len(olds)]
    likeliest = max(relation.past for relation in found)
    corrects = read([vector], [statement])[0].corrects >= _CORRECTS
    related = (
        _related(
            fact,
            statement,
            relation,
            is_corrected=(corrects and relation.past == likeliest >= _CORRECTED)
            or (fact.id == named and relation.past >= _NAMED),
        )
        for (fact, _), relation in zip(known, found, strict=True)
    )
    return tuple(each for each in related if each is not None)


async def _vectors(
    memory: UserMemory, candidate: FactCandidate, known: Sequence[Near[Fact]]
) -> "tuple[Sequence[float], list[ArrayLike]]":
    """Return the vectors the judge reads: stored ones, unless another embedder serves search."""
    embedder = load_embedder(EMBEDDER)
    if memory.scope.embedder.name == EMBEDDER:
        [new] = await embedder.embed([candidate.statement])
        return new, [each.vector for each in known]
    texts = [candidate.statement, *(in_full(each.record) for each in known)]
    new, *old = await embedder.embed(texts)
    return new, [*old]


async def _strangers() -> "tuple[supersession.Utterance, ...]":
    """Return sentences that no statement bears on, to judge a few facts beside."""
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    if not _BESIDE:
        vectors = await load_embedder(EMBEDDER).embed(supersession.STRANGERS)
        for text, vector in zip(supersession.STRANGERS, vectors, strict=True):
            _BESIDE[text] = supersession.Utterance(text, vector)
    return tuple(_BESIDE.values())


_BESIDE: "dict[str, supersession.Utterance]" = {}


def _last_told(known: Sequence[Fact], said: "Utterance") -> frozenset[str]:
    """Return the facts that the latest of the messages before this one told."""
    for message_id in said.before:
        if told := frozenset(f.id for f in known if message_id in f.source.message_ids):
            return told
    return frozenset()


def _related(
    fact: Fact, statement: str, relation: "Relation", *, is_corrected: bool
) -> Related | None:
    if relation.is_past or is_corrected:
        kind: Literal["ends", "replaces"] = "ends" if relation.kind == "ends" else "replaces"
        return Related(fact, kind, relation.past)
    if relation.kind == "same" and is_repeat(fact.statement, statement):
        return Related(fact, "same", relation.probability)
    return None


async def _to_forget(memory: UserMemory, statement: str) -> tuple[Related, ...]:
    """Return the facts that a request to forget names, by its words."""
    from memory_graph.facts.extraction import words_to_forget  # noqa: PLC0415 — numpy

    wanted = words_to_forget(statement)
    named = [
        fact
        for fact in await memory.facts.current()
        if wanted and wanted <= {*words_of(fact.statement), *words_of(fact.value or "")}
    ]
    return tuple(Related(fact, "ends", 1.0) for fact in named)


def is_repeat(old: str, new: str) -> bool:
    """Say whether a statement says hardly more than an older one."""
    language = language_of(new)
    said, again = set(words_of(old, language)), set(words_of(new, language))
    return len(again & said) >= _REPEATED * len(again)


def remainder(old: str, new: str, told: str = "") -> str | None:
    """Return what of an older statement still holds, where the new one changes a part of it.

    `Closing at 7 from now on` leaves `We open at 8` of `We open at 8 and close at 6`, and whole
    sentences that it does not speak of. A part without a subject of its own stays with the one
    that is named first. Where a value changes in the midst of others, all but that value holds:
    `Theo is … and in second grade`. What else was `told` with the new one may speak of a part, too.
    """
    language = language_of(f"{old} {new}")
    words, kinds = set(words_of(f"{new} {told}", language)), _kinds(new)
    if (still := _without_changed(old, new, words, language)) is not None:
        return still
    sentences = split_sentences(old)
    touched = [_is_touched(each, words, kinds, language) for each in sentences]
    if not any(touched):  # only the sense says so
        touched = [True] * len(sentences)
    parts = [
        _rest_of_sentence(each, words, kinds, language) if is_touched else each
        for each, is_touched in zip(sentences, touched, strict=True)
    ]
    still = " ".join(part.strip(" ,;") for part in parts if part)
    return still if len(words_of(still, language)) > 1 else None


def _rest_of_sentence(sentence: str, words: set[str], kinds: set[str], language: str) -> str | None:
    """Return the parts of a sentence that share nothing with a new statement."""
    head, *rest = _parts(sentence, language)
    parts = list(zip(rest[::2], rest[1::2], strict=True))
    kept = [(seam, part) for seam, part in parts if not _is_touched(part, words, kinds, language)]
    if not _is_touched(head, words, kinds, language):
        return None if len(kept) == len(parts) else head + _run(kept)
    if not kept:
        return None
    first = kept[0][1]
    if (label := head.partition(":")[0]) != head:
        return f"{label}: {first}{_run(kept[1:])}"
    if len(first.split()) >= _OWN_STATEMENT and has_subject(first, language):
        return first + _run(kept[1:])
    if (subject := _subject(head, words, language)) and starts_with_verb(first, language):
        return f"{subject} …{_run(kept)}"
    nameless = _without_names(head, words, language)
    return nameless + _run(kept) if nameless != head else None


def _without_names(text: str, words: set[str], language: str) -> str:
    """Return a text without the names that a new statement speaks of."""
    named = names_in(text) if shows_names(language) else frozenset()
    return re.sub(
        r"\w+",
        lambda word: (
            "…"
            if word[0].casefold() in named
            and not word[0].isupper()
            and words & set(words_of(word[0], language))
            else word[0]
        ),
        text,
    )


def _parts(sentence: str, language: str) -> list[str]:
    """Return the parts of a sentence, and between them how they are joined."""
    return _SEAMS.get(language, _SEAMS["en"]).split(sentence)


def _run(parts: Sequence[tuple[str, str]]) -> str:
    return "".join(map("".join, parts))


def _subject(head: str, words: set[str], language: str) -> str:
    """Return what a sentence is about, if a new statement names that: `My brother Pablo`."""
    opening = head.split()[:_OPENING]
    named = [n for n, word in enumerate(opening, 1) if words & set(words_of(word, language))]
    return " ".join(opening[: named[-1]]) if named else ""


def _without_changed(old: str, new: str, words: set[str], language: str) -> str | None:
    """Return an older statement without the values that the new one changes, if it says more.

    Who or what is gone is gone with all that was said of them; a part of which the value is all
    that the new one does not say itself goes with it.
    """
    from memory_graph.language.supersession import cues_in, denied  # noqa: PLC0415 — numpy

    named = names_in(old)
    if "end" in cues_in(new, language) and not named.isdisjoint(names_in(new, named)):
        return None
    gone = denied(new, language)
    changed = [v for v in changed_values(old, new, gone) if _is_contested(v, old, words, language)]
    still = old
    for start, end in sorted({(each.start, each.end) for each in changed}, reverse=True):
        first, last = unfolded(old, start), unfolded(old, end)
        gap = " " if old[first:last].endswith(" ") else ""
        still = f"{still[:first]}…{gap}{still[last:]}"
    head, *rest = _parts(still, language)
    parts = [
        (seam, part)
        for seam, part in zip(rest[::2], rest[1::2], strict=True)
        if gone.isdisjoint(words_of(part, language))
    ]
    says_nothing = "…" in head and len({*words_of(head, language)} - words) <= 1
    is_own = parts and says_nothing and has_subject(parts[0][1], language)
    still = parts[0][1] + _run(parts[1:]) if is_own else head + _run(parts)
    return still if changed and says_more(still, new) else None


def _is_contested(value: Value, old: str, words: set[str], language: str) -> bool:
    """Say whether a new statement speaks of the part that a value stands in, or of nothing else."""
    about = {word for word in words if not word.isdigit()}
    if len(about) <= _FEW_WORDS:
        return True
    start, end = unfolded(old, value.start), 0
    for part in _parts(old, language):
        end += len(part)
        if start < end:
            return not about.isdisjoint(words_of(part, language))
    return False


def _is_touched(part: str, words: set[str], kinds: set[str], language: str) -> bool:
    """Say whether a part of a statement shares a telling word or a kind of value with a new one."""
    return bool(words & set(words_of(part, language))) or bool(kinds & _kinds(part))


def _kinds(text: str) -> set[str]:
    """Return the kinds of value in a text that say what they are of; a bare number does not."""
    return {each.kind for each in values_in(text)} - {"number"}


def _may_change(known: Fact, candidate: FactCandidate, message_id: str) -> bool:
    if known.valid_to is not None or message_id in known.source.message_ids:
        return False
    return candidate.own_words or known.own_words or known.id == candidate.replaces


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


def apply_admission(
    admission: Admission, candidate: FactCandidate, said: Utterance, changed: dict[str, Fact]
) -> MemoryDecision:
    """Return a decision as it is kept, after putting the fact it makes into `changed`.

    What the same turn has changed already is changed further.
    """
    before = admission.target
    after: Fact | None = None
    if admission.action == "create" or _waits(admission, candidate):
        fact_id = _new_id(candidate, said)
        before = changed.get(fact_id, before)
        after = _told(before, fact_id, candidate, said)
    elif before is not None and admission.action in {"update", "verify", "retract"}:
        before = changed.get(before.id, before)
        after = apply(before, candidate, at=_moment(before, said), source=said.source)
    if after is not None:
        after = after.model_copy(update=_details(after, candidate, said))
        changed[after.id] = after
    return _decision(admission, before, after)


def _details(after: Fact, candidate: FactCandidate, said: Utterance) -> dict[str, object]:
    """Return what a fact takes over from the statement that it now makes."""
    details: dict[str, object] = {"extractor": said.extractor}
    if after.statement == candidate.statement:
        details |= {"own_words": candidate.own_words, "event_date": candidate.event_date}
    return details


def still_holds(admission: Admission, candidate: FactCandidate, told: str) -> str | None:
    """Return what stays of a statement that another one changes, after all that was told."""
    known = admission.target
    if known is None or admission.reason != "supersedes" or not known.own_words:
        return None
    return remainder(known.statement, candidate.statement, told)


def keep_remainder(
    known: Fact | None, left: str | None, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Keep what a change leaves of a statement as a fact of its own, as old as it was."""
    if known is None or left is None:
        return []
    fact_id = unkeyed_id(known.id, left)
    update = {"id": fact_id, "key": None, "statement": left, "value": None, "history": ()}
    after = changed[fact_id] = known.model_copy(update=update)
    return [decision_for("create", "remainder", before=None, after=after)]


def end_superseded(
    facts: Sequence[Fact], said: Utterance, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Return the decisions that end facts which another statement made past."""
    decisions = []
    for known in facts:
        before = changed.get(known.id, known)
        ending = FactCandidate(statement=before.statement, retracts=True)
        after = apply(before, ending, at=_moment(before, said), source=said.source)
        changed[after.id] = after
        decisions.append(decision_for("retract", "superseded", before=before, after=after))
    return decisions


def _lost_value(admission: Admission, evidence: Evidence) -> Fact | None:
    """Return the fact with a key that loses the value it had, if one does."""
    known, value = admission.target, evidence.candidate.value
    if known is None or known.key is None or not known.value:
        return None
    is_other = admission.action == "update" and normalise(value or "") != normalise(known.value)
    return known if is_other or admission.action == "retract" else None


def withdraw_values(
    past: Sequence[Fact], beside: Sequence[Fact], said: Utterance, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Take a value that is past out of the words it was told in: a key and they say the same."""
    decisions = []
    for known in past:
        for fact in beside:
            if fact.id in changed or not _tells_too(fact, known):
                continue
            decisions += end_superseded([fact], said, changed)
            left = re.sub(_value_in(known), "…", fact.statement)
            decisions += keep_remainder(fact, left if says_more(left, "") else None, changed)
    return decisions


def _tells_too(fact: Fact, known: Fact) -> bool:
    """Say whether a fact is in words of the message that gave a key its value, with that value."""
    is_of_it = not set(fact.source.message_ids).isdisjoint(known.source.message_ids)
    return fact.own_words and is_of_it and re.search(_value_in(known), fact.statement) is not None


def _value_in(known: Fact) -> str:
    return rf"(?i)(?<!\w){re.escape(known.value or '')}(?!\w)"


_TICK = timedelta(microseconds=1)


def _moment(known: Fact, said: Utterance) -> datetime:
    """Return when something counts as said: after what the store held already.

    Clocks go back, stand still and differ between workers; the order of a thread does not, and
    nor does that in which threads reach the store. What is made up for was said before.
    """
    latest = max(known.updated_at, known.last_verified_at)
    is_same_message = said.message_id in known.source.message_ids
    if said.is_late or is_same_message or said.at > latest:
        return said.at
    return latest + _TICK


def _waits(admission: Admission, candidate: FactCandidate) -> bool:
    """Say whether a retraction ended nothing, and may yet end what is heard of later."""
    key, target = fact_key(candidate), admission.target
    is_its_fact = target is None or target.key == key
    return key is not None and is_its_fact and admission.reason == "nothing_to_retract"


def _new_id(candidate: FactCandidate, said: Utterance) -> str:
    return fact_key(candidate) or unkeyed_id(said.message_id, candidate.statement)


def _told(known: Fact | None, fact_id: str, candidate: FactCandidate, said: Utterance) -> Fact:
    if known is not None:
        return apply(known, candidate, at=_moment(known, said), source=said.source)
    key = fact_key(candidate)
    return new_fact(candidate, fact_id=fact_id, key=key, at=said.at, source=said.source)


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
    said: Utterance,
    policy: AdmissionPolicy,
    judge: SameFactJudge,
) -> Admitted:
    """Compare candidates with what is known and decide each: update over insert.

    Reads the store, writes nothing: the caller commits `puts` with its receipt.
    """
    if not candidates:
        return Admitted()
    new = {(each.statement.casefold(), each.retracts): each for each in reversed(candidates)}
    weightiest = sorted([*new.values()][::-1], key=lambda c: -c.importance)[: policy.max_facts]
    evidence = await _gather(memory, await _resolved(memory, weightiest), said, policy)
    admissions, usage = await _decide(evidence, said, policy, judge)
    changed: dict[str, Fact] = {}
    decisions: list[MemoryDecision] = []
    told = " ".join(each.statement for each in candidates)
    for admission, each in zip(admissions, evidence, strict=True):
        if _says_it_again(each.candidate, admission.target, decisions):
            continue
        left = still_holds(admission, each.candidate, told)
        decisions.append(apply_admission(admission, each.candidate, said, changed))
        decisions += keep_remainder(admission.target, left, changed)
        decisions += end_superseded(superseded_by(each, admission), said, changed)
    pairs = zip(admissions, evidence, strict=True)
    past = [known for admission, each in pairs if (known := _lost_value(admission, each))]
    if past:
        beside = await memory.facts.told_in({i for each in past for i in each.source.message_ids})
        decisions += withdraw_values(past, beside, said, changed)
    is_full = await memory.facts.may_be_full(policy.max_per_category, len(changed))
    evicted = _evicted(await memory.facts.current() if is_full else [], changed, policy)
    decisions += [
        decision_for("evict", "category_full", before=fact, after=None) for fact in evicted
    ]
    return Admitted(tuple(decisions), await _writes(memory, changed, evicted, said), usage)


def _says_it_again(
    candidate: FactCandidate, fact: Fact | None, decisions: Sequence[MemoryDecision]
) -> bool:
    """Say whether own words only tell of a fact what the same message did to it by its key.

    `I no longer live there` and `I moved back to Lisbon` are no facts of their own; `I quit the
    bank, I'm a baker now` tells more.
    """
    if fact is None or not candidate.own_words:
        return False
    done = {each.memory_id: each for each in decisions if each.action in {"retract", "update"}}
    if fact.id not in done:
        return False
    said = str((done[fact.id].after or {}).get("statement", fact.statement))
    new = set(words_of(candidate.statement)) - set(words_of(f"{fact.statement} {said}"))
    return len(new) <= _LITTLE_MORE[done[fact.id].action]


_LITTLE_MORE = {"retract": 1, "update": 2}
"""Words that say no more than that something ended (`longer`), or changed (`moved back`)."""


async def _decide(
    evidence: Sequence[Evidence], said: Utterance, policy: AdmissionPolicy, judge: SameFactJudge
) -> tuple[list[Admission], Usage]:
    """Decide each candidate; all ambiguous ones are judged in one call.

    Rules judge those beside a fact that the model named none to replace when it read the message.
    """
    admissions = [decide_admission(each, policy) for each in evidence]
    unsure = {
        n: _pair(evidence[n], each)
        for n, each in enumerate(admissions)
        if each.reason == "ambiguous"
    }
    asked = [n for n in unsure if not _was_judged(admissions[n], said)]
    answers, usage = await judge.same([unsure[n] for n in asked]) if asked else ([], Usage())
    told = dict(zip(asked, answers, strict=True))
    for n, pair in unsure.items():
        same = told[n] if n in told else is_same_fact(*pair)
        admissions[n] = decide_admission(replace(evidence[n], same_fact=same), policy)
    return admissions, usage


async def _resolved(memory: UserMemory, candidates: Sequence[FactCandidate]) -> list[FactCandidate]:
    """Return candidates under their usual names, with the kind of whom facts already know."""
    names_somebody = any(candidate.entity != "user" for candidate in candidates)
    known = await memory.facts.entities() if names_somebody else {}
    return [canonical(resolve_entity(candidate, known)) for candidate in candidates]


async def _gather(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    said: Utterance,
    policy: AdmissionPolicy,
) -> list[Evidence]:
    keys = [fact_key(candidate) for candidate in candidates]
    wanted = [key for key in keys if key]
    archived, kept = await asyncio.gather(memory.archive.find(wanted), memory.facts.find(wanted))
    keyed = {**archived, **kept}
    evidence = []
    for candidate, key in zip(candidates, keys, strict=True):
        same_key = keyed.get(key) if key else None
        is_compared = same_key is None and not candidate.own_words
        neighbours = await _neighbours(memory, candidate, policy) if is_compared else ()
        related = () if same_key else await relate(memory, candidate, said, policy)
        evidence.append(
            Evidence(
                candidate=candidate,
                message_id=said.message_id,
                keyed=same_key,
                neighbours=neighbours,
                related=related,
            )
        )
    return evidence


async def _neighbours(
    memory: UserMemory, candidate: FactCandidate, policy: AdmissionPolicy
) -> tuple[Neighbour, ...]:
    similar = await memory.facts.similar(candidate.statement, policy.neighbours)
    return tuple(Neighbour(fact, similarity) for fact, similarity in similar)


def _was_judged(admission: Admission, said: Utterance) -> bool:
    return admission.target is not None and admission.target.id in said.judged


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
    memory: UserMemory, changed: Mapping[str, Fact], evicted: Sequence[Fact], said: Utterance
) -> list[PutOp]:
    """Return the writes; what is told again comes back from the archive.

    What never held waits there, where nobody looks for facts.
    """
    told = [fact for fact in changed.values() if not is_pending_retraction(fact)]
    aside = [*evicted, *(fact for fact in changed.values() if is_pending_retraction(fact))]
    puts = await memory.facts.puts(told, said.at) if told else []
    puts += memory.archive.deletions(fact.id for fact in told)
    puts += memory.facts.deletions(fact.id for fact in evicted)
    return puts + (await memory.archive.puts(aside, said.at) if aside else [])


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


def _after(known: Fact, moment: datetime) -> datetime:
    """Return a moment, or the one right after what is corrected: clocks go back and differ."""
    return max(moment, max(known.updated_at, known.last_verified_at, known.valid_from) + _TICK)


def restated(fact: Fact, value: str) -> str | None:
    """Return what a fact says with another value; nothing where its sentence does not name it."""
    if not fact.value or fact.statement.count(fact.value) != 1:
        return None
    return fact.statement.replace(fact.value, value)


def value_in(fact: Fact, statement: str) -> str | None:
    """Return the new value in a sentence that says what a fact says, with another one."""
    before, _, after = (restated(fact, "\0") or "").partition("\0")
    if not before or not (statement.startswith(before) and statement.endswith(after)):
        return None
    return statement[len(before) : len(statement) - len(after)] or None


async def correction(
    fact: Fact, statement: str, value: str | None, now: datetime, zone: ZoneInfo
) -> FactCandidate:
    """Return a new statement of a fact with its value, read off the words where none is given."""
    value = value or value_in(fact, statement)
    if value is None and fact.key:
        read = await read_without_model([statement], await read_message(statement), now, zone)
        same = (each for each in map(canonical, read) if fact_key(each) == fact.key)
        return next(same, FactCandidate(statement=statement))
    return FactCandidate(statement=statement, value=value)


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
        after = apply(fact, candidate, at=_after(fact, told.at), source=_source(told))
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
            whole = restored(known, added(before, Fact.model_validate(each.after)))
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
