"""Which lasting facts does the user's last message state? Rules only: no model, no network."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from memory_graph.llm.offline.statements.candidates import (
    candidate,
    forgotten,
    naming,
    unnaming,
    with_told_value,
    with_value,
)
from memory_graph.llm.offline.statements.clauses import split_clauses
from memory_graph.llm.offline.statements.corrections import corrected, resolve_it
from memory_graph.llm.offline.statements.events import read_event
from memory_graph.llm.offline.statements.introductions import (
    acquired,
    introduced,
    presented,
    relative_clause,
    struck_out,
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
from memory_graph.llm.offline.statements.subjects import (
    USER,
    Cast,
    Subject,
    Told,
    find_subject,
    mentions,
)
from memory_graph.policy.keys import fact_key
from memory_graph.records import FactCandidate


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
        if cast.last is None:
            cast = cast.mention(*mentions(text)[:1])
        for clause in split_clauses(text):
            clause = resolve_it(clause, found)
            facts, cast = _read_clause(clause, cast, (*told, *found), today)
            found.extend(facts)
    return _latest_per_key(found)


def _read_clause(
    clause: str, cast: Cast, told: Sequence[FactCandidate], today: date
) -> tuple[list[FactCandidate], Cast]:
    """Read one clause, given who and what was told before it."""
    statement = find_subject(clause, cast)
    cast = cast.mention(*mentions(clause))
    if correction := corrected(clause, told):
        return list(with_value(*correction)), cast
    if unwanted := forgotten_clause(clause):
        facts, _ = _read_clause(unwanted, cast, (), today)
        return [forgotten(fact) for fact in facts], cast
    if readings := _set_phrases(clause):
        return [candidate(USER, reading) for reading in readings], cast
    if people := presented(clause):
        return [naming(person) for person in people], cast.mention(*people)
    if statement is None:
        return [], cast
    facts, cast = _read_statement(statement, cast.mention(statement.subject), today)
    return [with_told_value(fact, told) for fact in facts], cast


def _set_phrases(clause: str) -> tuple[Reading, ...]:
    """Read the phrases that need no subject."""
    return (*read_request(clause), *read_inverted_favourite(clause), *read_pastime(clause))


def _read_statement(told: Told, cast: Cast, today: date) -> tuple[list[FactCandidate], Cast]:
    if event := read_event(told, today):
        reading = Reading(f"event:{event.name}", event.when)
        return [candidate(told.subject, reading, event.day)], cast
    people = introduced(told)
    facts = [*map(unnaming, struck_out(told)), *map(naming, people)]
    if not people:
        return facts + _facts_about(told.subject, told), cast.mention(*acquired(told))
    about = told.subject if told.subject == USER else people[-1]
    facts += [fact for fact in _facts_about(about, told) if fact.attribute != "name"]
    if more := relative_clause(told.rest):
        facts += _facts_about(people[-1], Told(people[-1], "predicate", more))
    return facts, cast.mention(*people)


def _facts_about(subject: Subject, told: Told) -> list[FactCandidate]:
    return [
        unnaming(subject)
        if subject != USER and reading.attribute == "name" and reading.retracts
        else candidate(subject, reading)
        for reading in _readings(told)
    ]


def _readings(told: Told) -> Iterator[Reading]:
    if told.form == "possession":
        yield from read_possession(told.rest)
        return
    for predicate in map(plain_predicate, split_predicates(told.rest)):
        if predicate is not None:
            yield from read_predicate(predicate)


def _latest_per_key(facts: Iterable[FactCandidate]) -> tuple[FactCandidate, ...]:
    latest: dict[str, FactCandidate] = {}
    for fact in facts:
        key = fact_key(fact) or f"{fact.entity}:{fact.attribute}"
        latest.pop(key, None)
        latest[key] = fact
    return tuple(latest.values())
