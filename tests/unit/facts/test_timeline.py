from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_graph.facts.timeline import already_said, apply, as_of, is_pending_retraction, new_fact
from memory_graph.records import Fact, FactCandidate, Source

MONDAY = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def said(value: str, *, retracts: bool = False) -> FactCandidate:
    return FactCandidate(
        statement=f"The user lives in {value}.",
        entity="user",
        attribute="city",
        value=value,
        retracts=retracts,
    )


def source(day: int) -> Source:
    return Source(message_ids=(f"m{day}",))


def told(days: list[tuple[int, FactCandidate]]) -> Fact:
    """Return the fact after statements were heard in the given order, each of its own day."""
    (first, candidate), *rest = days
    fact = new_fact(
        candidate,
        fact_id="profile:city",
        key="profile:city",
        at=MONDAY + timedelta(days=first),
        source=source(first),
    )
    for day, later in rest:
        fact = apply(fact, later, at=MONDAY + timedelta(days=day), source=source(day))
    return fact


def test_the_newer_statement_wins_and_the_older_stays_in_the_history() -> None:
    fact = told([(0, said("Lisbon")), (1, said("Porto"))])

    assert (fact.value, fact.statement) == ("Porto", "The user lives in Porto.")
    assert [(v.value, v.valid_from, v.valid_to) for v in fact.history] == [
        ("Lisbon", MONDAY, MONDAY + timedelta(days=1))
    ]
    assert fact.updated_at == fact.last_verified_at == MONDAY + timedelta(days=1)


def test_a_late_older_statement_goes_into_the_past() -> None:
    fact = told([(5, said("Porto")), (0, said("Lisbon"))])

    assert fact.value == "Porto"
    assert [version.value for version in fact.history] == ["Lisbon"]
    assert fact.created_at == MONDAY


def test_a_repeated_statement_only_verifies() -> None:
    fact = told([(0, said("Lisbon")), (3, said("lisbon"))])

    assert fact.history == ()
    assert fact.valid_from == MONDAY
    assert fact.last_verified_at == MONDAY + timedelta(days=3)


def test_a_retraction_ends_the_fact_and_a_new_statement_revives_it() -> None:
    ended = told([(0, said("Lisbon")), (1, said("", retracts=True))])
    revived = apply(ended, said("Porto"), at=MONDAY + timedelta(days=2), source=source(2))

    assert ended.valid_to == MONDAY + timedelta(days=1)
    assert revived.valid_to is None
    assert [version.reason for version in revived.history] == ["stated", "retracted"]


@pytest.mark.parametrize(
    ("day", "value"), [(-1, None), (0, "Lisbon"), (1, None), (2, "Porto"), (9, "Porto")]
)
def test_time_travel(day: int, value: str | None) -> None:
    fact = told([(0, said("Lisbon")), (1, said("", retracts=True)), (2, said("Porto"))])

    version = as_of(fact, MONDAY + timedelta(days=day))

    assert (version.value if version else None) == value


def test_the_same_message_is_recognised() -> None:
    fact = told([(0, said("Lisbon")), (1, said("Porto"))])

    assert already_said(fact, "m0", said("Lisbon"))
    assert already_said(fact, "m1", said("Porto"))
    assert not already_said(fact, "m2", said("Porto"))


def test_a_retraction_heard_first_keeps_an_older_statement_from_coming_alive() -> None:
    waiting = told([(5, said("", retracts=True))])
    late = apply(waiting, said("Lisbon"), at=MONDAY, source=source(0))

    assert is_pending_retraction(waiting)
    assert as_of(waiting, MONDAY + timedelta(days=5)) is None
    assert not is_pending_retraction(late)
    assert (late.value, late.valid_to) == ("Lisbon", MONDAY + timedelta(days=5))


def test_a_newer_statement_holds_whatever_was_retracted_before_it() -> None:
    waiting = told([(0, said("", retracts=True))])
    stated = apply(waiting, said("Porto"), at=MONDAY + timedelta(days=1), source=source(1))

    assert (stated.value, stated.valid_to, stated.history) == ("Porto", None, ())
    assert stated.created_at == MONDAY + timedelta(days=1)


def test_a_retraction_ends_only_the_value_it_names() -> None:
    fact = told([(0, said("Lisbon")), (1, said("Porto", retracts=True))])
    late = apply(fact, said("Porto"), at=MONDAY + timedelta(hours=1), source=source(9))

    assert fact.valid_to is None
    assert (late.value, late.valid_to) == ("Porto", MONDAY + timedelta(days=1))


def test_a_fact_that_was_ended_before_retractions_were_listed_stays_ended() -> None:
    ended = told([(0, said("Lisbon")), (2, said("", retracts=True))])
    older = ended.model_copy(update={"retractions": (), "repeated_at": None})

    late = apply(older, said("Porto"), at=MONDAY + timedelta(days=1), source=source(1))

    assert (late.value, late.valid_to) == ("Porto", MONDAY + timedelta(days=2))
    assert already_said(older, "m2", said("", retracts=True))


events = st.tuples(
    st.integers(0, 20),
    st.sampled_from(["Lisbon", "Porto", "Rome"]),
    st.sampled_from("s r u".split()),
)
"""A day, a value, and whether it is stated, retracted by name, or retracted without one."""

lines = st.lists(events, min_size=2, max_size=5, unique_by=lambda each: each[0])


quick = settings(max_examples=40, deadline=None)
"""Up to 120 orders are told in each of them."""


def heard(event: tuple[int, str, str]) -> tuple[int, FactCandidate]:
    day, value, what = event
    return day, said("" if what == "u" else value, retracts=what != "s")


def expected(line: list[tuple[int, str, str]]) -> tuple[str, datetime | None] | None:
    """Return the last value stated and when it ended, told without any fact."""
    stated = [(day, value) for day, value, what in line if what == "s"]
    if not stated:
        return None
    last, value = max(stated)
    ends = [
        day
        for day, named, what in line
        if day > last and (what == "u" or (what, named) == ("r", value))
    ]
    return value, MONDAY + timedelta(days=min(ends)) if ends else None


@quick
@given(lines)
def test_any_order_of_statements_and_retractions_ends_in_the_same_current_fact(line) -> None:
    facts = [told([heard(each) for each in order]) for order in permutations(line)]

    for fact in facts:
        held = None if is_pending_retraction(fact) else (fact.value, fact.valid_to)
        assert held == expected(line)
        assert fact.last_verified_at == facts[0].last_verified_at


@quick
@given(st.lists(events, min_size=2, max_size=5, unique_by=(lambda e: e[0], lambda e: (e[1], e[2]))))
def test_without_repeats_any_order_ends_in_the_very_same_record(line) -> None:
    facts = [told([heard(each) for each in order]) for order in permutations(line)]

    assert all(fact == facts[0] for fact in facts)


@given(lines)
def test_hearing_everything_again_changes_nothing(line) -> None:
    fact = told([heard(each) for each in line])

    assert all(already_said(fact, f"m{each[0]}", heard(each)[1]) for each in line)


statements = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from(["Lisbon", "Porto", "Rome", ""])),
    min_size=2,
    max_size=5,
    unique_by=lambda each: each[0],
).filter(lambda line: any(value for _, value in line))


@given(statements)
def test_history_neither_overlaps_nor_leaves_gaps(line) -> None:
    days = [(day, said(value, retracts=not value)) for day, value in sorted(line)]
    fact = told(days)

    starts_and_ends = [(v.valid_from, v.valid_to) for v in fact.history]
    line_of_ends = [*starts_and_ends, (fact.valid_from, fact.valid_to)]
    assert all(one[1] == other[0] for one, other in pairwise(line_of_ends))


def since(day: int, value: str) -> FactCandidate:
    return said(value).model_copy(update={"since": MONDAY + timedelta(days=day)})


def test_a_fact_is_true_since_the_time_that_was_said() -> None:
    fact = told([(0, said("Lisbon")), (3, since(1, "Porto"))])

    assert (fact.valid_from, fact.said_at) == (MONDAY + timedelta(1), MONDAY + timedelta(3))
    assert fact.history[0].valid_to == MONDAY + timedelta(1)


def test_nothing_is_true_before_what_it_replaces() -> None:
    fact = told([(2, said("Lisbon")), (3, since(1, "Porto"))])

    assert (fact.value, fact.valid_from, fact.said_at) == ("Porto", MONDAY + timedelta(3), None)


def test_statements_with_times_of_their_own_end_in_the_same_fact_in_any_order() -> None:
    days = [(0, said("Faro")), (2, since(1, "Lisbon")), (4, since(0, "Porto")), (5, said("Braga"))]

    assert len({told(list(order)).model_dump_json() for order in permutations(days)}) == 1
