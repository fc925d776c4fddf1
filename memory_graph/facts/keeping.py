"""Keep what was read of a message: compare it with what is known, and return the writes."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from langgraph.store.base import PutOp

from memory_graph.facts import timeline
from memory_graph.facts.forgetting import facts_to_forget, requests_in, silence
from memory_graph.facts.quotations import judged_same, outdated_by
from memory_graph.facts.reading import Message, ReadResult
from memory_graph.facts.reconcile import Known, Utterance, Verdict, reconcile
from memory_graph.instructions.wishes import ends_wish, keep_wishes
from memory_graph.keys import canonical, fact_key, resolve_entity, unkeyed_id
from memory_graph.language.sentences import split_sentences
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Fact, FactCandidate, MemoryDecision, Named, Source
from memory_graph.safety.own_voice import own_voice
from memory_graph.store.changes import decision_for
from memory_graph.store.scope import UserMemory

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Admitted:
    """What was decided about everything that was read, and the writes that carry it out."""

    decisions: tuple[MemoryDecision, ...] = ()
    puts: list[PutOp] = field(default_factory=list)


async def keep(
    memory: UserMemory,
    result: ReadResult,
    message: Message,
    source: Source,
    policy: AdmissionPolicy,
) -> Admitted:
    """Return what becomes of everything that was read, and the writes that carry it out.

    Called inside `facts_lock`; the caller commits the writes with the turn's record.
    """
    said = Utterance(at=message.at, source=source, extractor=result.by, is_late=message.is_late)
    is_wish_over = result.is_by_rules and bool(result.ended)
    asked = [
        each
        for each in requests_in(split_sentences(own_voice(message.text)))
        if not (is_wish_over and ends_wish(each, message.language))
    ]
    facts = await admit(
        memory,
        result.facts,
        said,
        policy,
        ended=result.ended,
        asked=asked,
        is_shown=not result.is_by_rules,
    )
    wishes, wished = await keep_wishes(
        memory,
        result.wishes,
        result.ended,
        message.at,
        source,
        result.by,
        most=policy.max_instructions,
        sensitive=policy.sensitive,
    )
    outdated = await outdated_by(memory, message, source) if result.is_by_rules else []
    marked = await memory.turns.puts(outdated, message.at) if outdated else []
    return Admitted((*facts.decisions, *wishes), [*facts.puts, *wished, *marked])


async def admit(  # noqa: PLR0913 — what was said, by whom, and how it was read
    memory: UserMemory,
    stated: Sequence[FactCandidate],
    said: Utterance,
    policy: AdmissionPolicy,
    *,
    ended: Sequence[Named] = (),
    asked: Sequence[str] = (),
    is_shown: bool = False,
) -> Admitted:
    """Compare statements with what is known and decide each: update over insert.

    `asked` are the user's requests to forget. Reads the store, writes nothing.
    """
    if not (stated or ended or asked):
        return Admitted()
    stated, known = await _gather(memory, stated, ended, policy, is_shown=is_shown)
    changed: dict[str, Fact] = {}
    decisions: list[MemoryDecision] = []
    for verdict in reconcile(known, stated, ended, said, policy):
        decisions += _carry_out(verdict, said, changed, asked)
    by_words = [each for each in asked if not _is_done(each, changed)]
    decisions += await _forget(memory, by_words, said, changed)
    decisions += await _plans(memory, said, changed)
    puts = await _writes(memory, changed, said.at)
    also, silenced = (
        await silence(memory, by_words, changed.values(), said.at) if asked else ([], [])
    )
    return Admitted((*decisions, *also), [*puts, *silenced])


def _is_done(request: str, changed: Mapping[str, Fact]) -> bool:
    """Say whether a request to forget named a key, and ended its fact."""
    held = (each for each in changed.values() if not timeline.is_pending_retraction(each))
    return any(each.retractions[-1].statement == request for each in held if each.retractions)


async def _gather(
    memory: UserMemory,
    stated: Sequence[FactCandidate],
    ended: Sequence[Named],
    policy: AdmissionPolicy,
    *,
    is_shown: bool,
) -> tuple[list[FactCandidate], Known]:
    """Return the weightiest statements, none twice, and what is known beside them.

    They get their usual names, with the kind of whom facts already know.
    """
    new = {(e.statement.casefold(), e.retracts, e.entity, e.attribute): e for e in reversed(stated)}
    ranked = sorted([*new.values()][::-1], key=lambda c: -c.importance)[: policy.max_facts]
    names_somebody = any(each.entity != "user" for each in ranked)
    entities = await memory.facts.entities() if names_somebody else {}
    weightiest = [
        each if each.key else canonical(resolve_entity(each, entities)) for each in ranked
    ]
    keys = [key for each in weightiest if (key := each.key or fact_key(each))]
    ids = [each.id for one in (*(c.replaces for c in weightiest), ended) for each in one]
    archived, kept = await asyncio.gather(
        memory.archive.find(keys), memory.facts.find([*keys, *ids])
    )
    facts = {**archived, **kept}
    likeness: list[Mapping[str, float]] = []
    for candidate in weightiest:
        near = (
            []
            if candidate.retracts
            else await memory.facts.near(candidate.statement, policy.candidates)
        )
        facts |= {each.record.id: each.record for each in near if each.record.id not in facts}
        likeness.append({each.record.id: each.similarity for each in near})
    same = set() if is_shown else await judged_same(weightiest, facts, likeness, policy)
    return weightiest, Known(facts=facts, likeness=likeness, same=same, is_shown=is_shown)


def _carry_out(
    verdict: Verdict, said: Utterance, changed: dict[str, Fact], asked: Sequence[str]
) -> list[MemoryDecision]:
    """Return a verdict as decisions, after putting the facts that it makes into `changed`.

    What the same message has changed already is changed further. A retraction that ended nothing
    may yet end what is heard of later.
    """
    before, candidate = verdict.target, verdict.candidate
    if before is not None:
        before = changed.get(before.id, before)
    after: Fact | None = None
    waits = verdict.reason == "nothing_to_retract" and verdict.key is not None
    if verdict.action == "retract" and before is not None:
        statement = (asked or [before.statement])[0]
        after = _applied(before, candidate or _ending(statement), said)
    elif candidate is not None and (verdict.action != "skip" or waits):
        after = _stated(verdict, candidate, before, said)
    decisions = [_decision(verdict, before, after)]
    if after is not None:
        changed[after.id] = after
        decisions += _end_others(verdict, after, said, changed)
    return decisions


def _stated(
    verdict: Verdict, candidate: FactCandidate, before: Fact | None, said: Utterance
) -> Fact:
    """Return the fact that a statement makes: a new one, or the next of a known one's line."""
    if before is None:
        after = timeline.new_fact(
            candidate,
            fact_id=verdict.key or unkeyed_id(said.message_id, candidate.statement),
            key=verdict.key,
            at=said.at,
            source=said.source,
        )
        return after.model_copy(update={"extractor": said.extractor})
    after = _applied(before, candidate, said)
    if after.statement != candidate.statement:
        return after
    same = {"own_words", "event_date", "profile", "precision"}
    if before.key is None:
        same |= {"entity", "entity_kind", "attribute", "category"}
    details = candidate.model_dump(include=same)
    return after.model_copy(update={**details, "extractor": said.extractor, "by_hand": False})


def _applied(before: Fact, candidate: FactCandidate, said: Utterance) -> Fact:
    at = moment_of(before, said)
    return timeline.apply(before, candidate, at=at, source=said.source)


def _end_others(
    verdict: Verdict, heir: Fact, said: Utterance, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Return the decisions that end other facts: now, or on the day on which the new one begins."""
    candidate, decisions = verdict.candidate, []
    assert candidate is not None or not verdict.ends
    for fact in verdict.ends:
        before = changed.get(fact.id, fact)
        if candidate is not None and candidate.starts:
            after = timeline.ends_then(before, candidate.starts, heir.id, said.at)
            decisions.append(
                decision_for("update", "will_be_superseded", before=before, after=after)
            )
        else:
            was_wrong = candidate is not None and candidate.was_wrong
            after = superseded(before, said, was_wrong=was_wrong)
            decisions.append(decision_for("retract", "superseded", before=before, after=after))
        changed[after.id] = after
    return decisions


def superseded(known: Fact, said: Utterance, *, was_wrong: bool = False) -> Fact:
    """Return a fact that another statement made past."""
    return _applied(known, _ending(known.statement, was_wrong=was_wrong), said)


def _ending(statement: str, *, was_wrong: bool = False) -> FactCandidate:
    return FactCandidate(statement=statement, retracts=True, was_wrong=was_wrong)


async def _forget(
    memory: UserMemory, asked: Sequence[str], said: Utterance, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """End the facts that requests to forget name by their words."""
    decisions: list[MemoryDecision] = []
    known = await memory.facts.all() if asked else []
    turns = await memory.turns.all() if asked else []
    for request in asked:
        for fact in facts_to_forget(request, known, turns):
            if fact.id in changed:
                continue
            after = changed[fact.id] = _applied(fact, _ending(request), said)
            decisions.append(decision_for("retract", "retracted_by_user", before=fact, after=after))
    return decisions


async def _plans(
    memory: UserMemory, said: Utterance, changed: dict[str, Fact]
) -> list[MemoryDecision]:
    """Move the end of what a plan was to replace, where the plan itself moved, or is off."""
    moved = {
        each.id: each
        for each in changed.values()
        if (each.history and each.history[-1].valid_from > said.at)
        or (timeline.is_over(each, said.at) and each.valid_from > said.at)
    }
    if not moved:
        return []
    decisions = []
    for before in await memory.facts.current():
        plan = moved.get(before.heir)
        if plan is None or before.id in changed:
            continue
        is_off = timeline.is_over(plan, said.at)
        after = timeline.ends_then(before, None if is_off else plan.valid_from, plan.id, said.at)
        changed[after.id] = after
        decisions.append(decision_for("update", "will_be_superseded", before=before, after=after))
    return decisions


def moment_of(known: Fact, said: Utterance) -> datetime:
    """Return when something counts as said: after what the store held already.

    Clocks go back, stand still and differ between workers; the order of a thread does not, and
    nor does that in which threads reach the store. What is made up for was said before.
    """
    latest = max(known.updated_at, known.last_verified_at, timeline.said_at(known))
    is_same_message = said.message_id in known.source.message_ids
    if said.is_late or is_same_message or said.at > latest:
        return said.at
    return latest + _TICK


def _decision(verdict: Verdict, before: Fact | None, after: Fact | None) -> MemoryDecision:
    touched = after or before
    return MemoryDecision(
        kind="fact",
        action=verdict.action,
        reason=verdict.reason,
        memory_id=touched.id if touched else None,
        scores=verdict.scores,
        thresholds=verdict.thresholds,
        before=before.model_dump(mode="json") if after and before else None,
        after=after.model_dump(mode="json") if after else None,
    )


async def _writes(memory: UserMemory, changed: Mapping[str, Fact], at: datetime) -> list[PutOp]:
    """Return the writes; what is told again comes back from the archive.

    What never held waits there, where nobody looks for facts.
    """
    told = [fact for fact in changed.values() if not timeline.is_pending_retraction(fact)]
    aside = [fact for fact in changed.values() if timeline.is_pending_retraction(fact)]
    puts = await memory.facts.puts(told, at) if told else []
    puts += memory.archive.deletions(fact.id for fact in told)
    return puts + (await memory.archive.puts(aside, at) if aside else [])
