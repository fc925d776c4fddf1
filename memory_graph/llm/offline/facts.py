"""Which lasting facts does the user's last message state? Rules only: no model, no network."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memory_graph.llm.offline.statements.clauses import split_clauses
from memory_graph.llm.offline.statements.corrections import corrected
from memory_graph.llm.offline.statements.events import read_event
from memory_graph.llm.offline.statements.introductions import (
    introduced,
    introduced_children,
    read_unnamed,
)
from memory_graph.llm.offline.statements.patterns import Reading, read_predicate
from memory_graph.llm.offline.statements.possessions import (
    read_inverted_favourite,
    read_possession,
)
from memory_graph.llm.offline.statements.predicates import plain_predicate, split_predicates
from memory_graph.llm.offline.statements.requests import forgotten_clause, read_request
from memory_graph.llm.offline.statements.sentences import sentence
from memory_graph.llm.offline.statements.subjects import USER, Cast, Subject, Told, find_subject
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
            facts, cast = _read_clause(clause, cast, (*told, *found), today)
            found.extend(facts)
    return _latest_per_key(found)


def _read_clause(
    clause: str, cast: Cast, told: Sequence[FactCandidate], today: date
) -> tuple[list[FactCandidate], Cast]:
    if correction := corrected(clause, told):
        return [_replace_value(*correction)], cast
    if forgotten := forgotten_clause(clause):
        facts, _ = _read_clause(forgotten, cast, (), today)
        return [
            fact.model_copy(update={"retracts": True, "value": _kept(fact)}) for fact in facts
        ], cast
    if readings := (*read_request(clause), *read_inverted_favourite(clause)):
        return [_candidate(USER, reading) for reading in readings], cast
    if children := introduced_children(clause):
        return [_naming(child) for child in children], cast
    subject = find_subject(clause, cast)
    return ([], cast) if subject is None else _read_told(subject, cast, today)


def _read_told(told: Told, cast: Cast, today: date) -> tuple[list[FactCandidate], Cast]:
    cast = cast.mention(told.subject)
    facts: list[FactCandidate] = []
    people = introduced(told)
    for person in people:
        cast = cast.mention(person)
        facts.append(_naming(person))
    if event := read_event(told, today):
        reading = Reading(f"event:{event.name}", event.day.isoformat())
        return [_candidate(told.subject, reading, event.day)], cast
    subject = people[-1] if people and told.subject != USER else told.subject
    facts.extend(_candidate(subject, reading) for reading in _readings(told, named=bool(people)))
    return facts, cast


def _readings(told: Told, *, named: bool) -> Iterator[Reading]:
    """Yield what is told apart from names already introduced."""
    if told.form == "possession":
        yield from (r for r in read_possession(told.rest) if not (named and r.attribute == "name"))
        return
    for part in split_predicates(told.rest):
        predicate = plain_predicate(part)
        if predicate is None:
            continue
        for reading in (
            *read_predicate(predicate),
            *read_unnamed(predicate.text, predicate.negated),
        ):
            if not (named and reading.attribute == "name"):
                yield reading


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


def _kept(fact: FactCandidate) -> str | None:
    """Keep the value where the key needs it; a forgotten taste has none."""
    rule = attribute_rule(fact.attribute or "")
    return None if rule and rule.arity == "path" else fact.value


def _latest_per_key(facts: Iterable[FactCandidate]) -> tuple[FactCandidate, ...]:
    latest: dict[str, FactCandidate] = {}
    for fact in facts:
        key = fact_key(fact) or f"{fact.entity}:{fact.attribute}"
        latest.pop(key, None)
        latest[key] = fact
    return tuple(latest.values())
