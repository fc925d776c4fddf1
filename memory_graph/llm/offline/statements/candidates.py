"""How does a reading about somebody become a fact candidate?"""

from collections.abc import Sequence
from datetime import date

from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.sentences import sentence
from memory_graph.llm.offline.statements.subjects import USER, Subject
from memory_graph.policy.attributes import Attribute
from memory_graph.policy.keys import attribute_rule, fact_key, normalise
from memory_graph.records import FactCandidate

SURE = 0.8
NAMED_BUT_UNKNOWN = 0.6
"""Confidence in a fact about a name nobody introduced (`Luna turned 4`)."""


def candidate(subject: Subject, reading: Reading, day: date | None = None) -> FactCandidate:
    """Build the candidate; a fact about somebody else is always part of the user's profile."""
    rule = attribute_rule(reading.attribute)
    is_name = reading.attribute == "name" and subject != USER
    return FactCandidate(
        statement=sentence(subject, reading),
        category=rule.category if rule and subject == USER else "profile",
        entity=subject.entity,
        entity_kind=subject.kind,
        attribute=reading.attribute,
        value=subject.entity if is_name else reading.value,
        importance=_importance(subject, rule),
        event_date=day,
        retracts=reading.retracts,
        confidence=NAMED_BUT_UNKNOWN if subject != USER and subject.kind is None else SURE,
    )


def naming(person: Subject) -> FactCandidate:
    """Build the candidate that somebody exists and is called so."""
    return candidate(person, Reading("name", person.entity))


def unnaming(person: Subject) -> FactCandidate:
    """Build the candidate that somebody is gone, or never was called so."""
    if person.entity == person.kind:
        return candidate(USER, Reading(f"has:{person.kind}", None, retracts=True))
    return candidate(person, Reading("name", person.entity, retracts=True))


def with_value(fact: FactCandidate, value: str) -> tuple[FactCandidate, ...]:
    """Give a fact its right value; somebody's other name is filed under that name."""
    subject = _subject(fact)
    if fact.attribute != "name" or subject == USER:
        return (candidate(subject, Reading(fact.attribute or "", value)),)
    renamed = naming(Subject(value, subject.kind))
    if normalise(value) == normalise(subject.entity):
        return (renamed,)
    return (unnaming(subject), renamed)


def forgotten(fact: FactCandidate) -> FactCandidate:
    """Turn a statement into the wish to forget it; `taste:olives` needs no value for that."""
    rule = attribute_rule(fact.attribute or "")
    value = None if rule and rule.arity == "path" else fact.value
    return candidate(_subject(fact), Reading(fact.attribute or "", value, retracts=True))


def with_told_value(fact: FactCandidate, told: Sequence[FactCandidate]) -> FactCandidate:
    """Name what has ended when only `there` was said and the place was told before."""
    if not fact.retracts or fact.value is not None:
        return fact
    values = [old.value for old in told if old.value and fact_key(old) == fact_key(fact)]
    if not values:
        return fact
    return candidate(_subject(fact), Reading(fact.attribute or "", values[-1], retracts=True))


def _importance(subject: Subject, rule: Attribute | None) -> int:
    """Weigh a fact: what concerns somebody else matters less, unless it is their health."""
    if rule is None:
        return 3
    if subject == USER or rule.category == "health":
        return rule.importance
    return min(rule.importance, 4)


def _subject(fact: FactCandidate) -> Subject:
    return Subject(fact.entity, fact.entity_kind)
