"""What a statement makes past: facts that it ends, values that they lose, what is left of them."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from langgraph.store.base import PutOp

from memory_graph.facts import timeline
from memory_graph.facts.admission import (
    Admission,
    Evidence,
    Utterance,
)
from memory_graph.facts.remainder import remainder, value_changes, without_value
from memory_graph.keys import (
    TASTES,
    normalise,
    unkeyed_id,
)
from memory_graph.language.sentences import (
    to_forget,
    words_about_forgetting,
)
from memory_graph.language.words import language_of, words_of
from memory_graph.records import (
    REMAINDER,
    Fact,
    FactCandidate,
    MemoryDecision,
)
from memory_graph.store.changes import decision_for
from memory_graph.store.scope import UserMemory

_CHANGING = frozenset({"create", "update", "retract"})

_TICK = timedelta(microseconds=1)


async def forget_with(
    memory: UserMemory,
    candidates: Sequence[FactCandidate],
    changed: Iterable[Fact],
    at: datetime,
) -> tuple[list[MemoryDecision], list[PutOp]]:
    """Return what happens to the rest that tells what is to be forgotten, if anything is.

    Episodes that name it go. The words that told it stay, and are not found any more.
    """
    requests = [each.statement for each in candidates if _is_request(each)]
    if not requests:
        return [], []
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
    puts = await memory.turns.puts(silenced, at) if silenced else []
    puts += memory.episodes.deletions(each.id for each in gone)
    evicted = (decision_for("evict", "told_what_to_forget", before=e, after=None) for e in gone)
    return [*evicted], puts


def _is_request(candidate: FactCandidate) -> bool:
    return candidate.retracts and to_forget(candidate.statement) is not None


def consequences(
    admission: Admission, evidence: Evidence, said: Utterance, told: str, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Return what else a candidate ends, and what it leaves of the words that it changes."""
    candidate, known = evidence.candidate, admission.target
    also = _also_past(admission, evidence)
    asked = candidate.statement if _is_request(candidate) else None
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


def past_values(admission: Admission, evidence: Evidence) -> list[tuple[Fact, str, str | None]]:
    """Return the values that known facts lose by a candidate, each with what is true instead."""
    known = [admission.target] if admission.target and admission.action != "create" else []
    facts = [*known, *_also_past(admission, evidence)] if admission.action in _CHANGING else []
    return [lost for fact in facts for lost in lost_values(fact, evidence.candidate)]


def facts_to_forget(request: str, known: Sequence[Fact]) -> list[Fact]:
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


_REASON = re.compile(r"[,;:(–—]| - |\s(?:because|since|weil|porque|parce que|perché)\s")


def _wanted(request: str, language: str) -> set[str]:
    """Return the words of what is to be forgotten, without why."""
    asked = _REASON.split(to_forget(request) or request)[0]
    return {*words_of(asked, language)} - words_about_forgetting()


def moment_of(known: Fact, said: Utterance) -> datetime:
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
    update |= {"extractor": REMAINDER}
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
        after = timeline.apply(before, ending, at=moment_of(before, said), source=said.source)
        changed[after.id] = after
        decisions.append(decision_for("retract", reason, before=before, after=after))
    return decisions


def lost_values(known: Fact, candidate: FactCandidate) -> list[tuple[Fact, str, str | None]]:
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


async def withdraw_values(
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
