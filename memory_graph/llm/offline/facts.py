"""Which lasting facts does the user's last message state? Rules only: no model, no network."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memory_graph.llm.offline.statements.clauses import split_clauses
from memory_graph.llm.offline.statements.corrections import corrected, resolve_it
from memory_graph.llm.offline.statements.events import read_event
from memory_graph.llm.offline.statements.introductions import (
    introduced,
    presented,
    read_unnamed,
    relative_clause,
)
from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.possessions import (
    read_inverted_favourite,
    read_pastime,
    read_possession,
)
from memory_graph.llm.offline.statements.predicates import plain_predicate, split_predicates
from memory_graph.llm.offline.statements.reading import read_predicate
from memory_graph.llm.offline.statements.requests import forgotten_clause, read_request
from memory_graph.llm.offline.statements.sentences import sentence
from memory_graph.llm.offline.statements.subjects import (
    USER,
    Cast,
    Subject,
    Told,
    find_subject,
    mentions,
)
from memory_graph.policy.keys import attribute_rule, fact_key
from memory_graph.records import FactCandidate

NAMED_BUT_UNKNOWN = 0.6
"""Confidence in a fact about a name nobody introduced (`Luna turned 4`)."""


def extract_facts(texts: Sequence[str], *, today: date) -> tuple[FactCandidate, ...]:
    """Extract the facts of the last user message.

    Args:
        texts: The last user messages, oldest first; the earlier ones only tell who `she` is and
            what is being corrected.
        today: The user's current day, for dates told without a year.

    Returns:
        The facts in the order they were told; of two values for one key, the later.
    """
    told: tuple[FactCandidate, ...] = ()
    found: list[FactCandidate] = []
    cast = Cast()
    for text in texts:
        told += tuple(found)
        found = []
        for clause in split_clauses(text):
            facts, cast = _read_clause(resolve_it(clause, found), cast, (*told, *found), today)
            found.extend(facts)
    return _latest_per_key(found)


def _read_clause(
    clause: str, cast: Cast, told: Sequence[FactCandidate], today: date
) -> tuple[list[FactCandidate], Cast]:
    """Read one clause, given who and what was told before it."""
    for somebody in mentions(clause):
        cast = cast.mention(somebody)
    if correction := corrected(clause, told):
        return [_replace_value(*correction)], cast
    if forgotten := forgotten_clause(clause):
        facts, _ = _read_clause(forgotten, cast, (), today)
        return [_forget(fact) for fact in facts], cast
    if readings := _set_phrases(clause):
        return [_candidate(USER, reading) for reading in readings], cast
    if people := presented(clause):
        for person in people:
            cast = cast.mention(person)
        return [_naming(person) for person in people], cast
    statement = find_subject(clause, cast)
    if statement is None:
        return [], cast
    facts, cast = _read_statement(statement, cast, today)
    return [_with_told_value(fact, told) for fact in facts], cast


def _set_phrases(clause: str) -> tuple[Reading, ...]:
    """Read the phrases that need no subject."""
    return (*read_request(clause), *read_inverted_favourite(clause), *read_pastime(clause))


def _read_statement(told: Told, cast: Cast, today: date) -> tuple[list[FactCandidate], Cast]:
    cast = cast.mention(told.subject)
    if event := read_event(told, today):
        reading = Reading(f"event:{event.name}", event.day.isoformat())
        return [_candidate(told.subject, reading, event.day)], cast
    people = introduced(told)
    for person in people:
        cast = cast.mention(person)
    facts = [_naming(person) for person in people]
    subject = people[-1] if people and told.subject != USER else told.subject
    readings = [
        reading for reading in _readings(told) if not (people and reading.attribute == "name")
    ]
    facts.extend(_candidate(*_about_owner(subject, reading)) for reading in readings)
    return facts, cast


def _readings(told: Told) -> Iterator[Reading]:
    if told.form == "possession":
        yield from read_possession(told.rest)
        return
    for predicate in filter(None, map(plain_predicate, split_predicates(told.rest))):
        yield from read_predicate(predicate)
        yield from read_unnamed(predicate)


def _about_owner(subject: Subject, reading: Reading) -> tuple[Subject, Reading]:
    """Say of the user that they no longer have a pet which never had a name here."""
    if reading.attribute == "name" and reading.retracts and subject.entity == subject.kind:
        return USER, Reading(f"has:{subject.kind}", None, retracts=True)
    return subject, reading


def _naming(person: Subject) -> FactCandidate:
    return _candidate(person, Reading("name", person.entity))


def _candidate(subject: Subject, reading: Reading, day: date | None = None) -> FactCandidate:
    rule = attribute_rule(reading.attribute)
    is_name = reading.attribute == "name" and subject != USER
    return FactCandidate(
        statement=sentence(subject, reading),
        category=rule.category if rule and subject == USER else "profile",
        entity=subject.entity,
        entity_kind=subject.kind,
        attribute=reading.attribute,
        value=subject.entity if is_name else reading.value,
        importance=rule.importance if rule else 3,
        event_date=day,
        retracts=reading.retracts,
        confidence=NAMED_BUT_UNKNOWN if subject != USER and subject.kind is None else 0.8,
    )


def _replace_value(fact: FactCandidate, value: str) -> FactCandidate:
    subject = Subject(fact.entity, fact.entity_kind)
    return _candidate(subject, Reading(fact.attribute or "", value))


def _forget(fact: FactCandidate) -> FactCandidate:
    """Turn a statement into the wish to forget it; `taste:olives` needs no value for that."""
    rule = attribute_rule(fact.attribute or "")
    value = None if rule and rule.arity == "path" else fact.value
    reading = Reading(fact.attribute or "", value, retracts=True)
    return _candidate(Subject(fact.entity, fact.entity_kind), reading)


def _with_told_value(fact: FactCandidate, told: Sequence[FactCandidate]) -> FactCandidate:
    """Name what has ended when only `there` was said and the place was told before."""
    if not fact.retracts or fact.value is not None:
        return fact
    values = [old.value for old in told if old.value and fact_key(old) == fact_key(fact)]
    if not values:
        return fact
    reading = Reading(fact.attribute or "", values[-1], retracts=True)
    return _candidate(Subject(fact.entity, fact.entity_kind), reading)


def _latest_per_key(facts: Iterable[FactCandidate]) -> tuple[FactCandidate, ...]:
    latest: dict[str, FactCandidate] = {}
    for fact in facts:
        key = fact_key(fact) or f"{fact.entity}:{fact.attribute}"
        latest.pop(key, None)
        latest[key] = fact
    return tuple(latest.values())
