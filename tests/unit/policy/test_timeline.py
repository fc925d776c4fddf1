from datetime import UTC, datetime, timedelta
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.policy.timeline import already_said, apply, as_of, new_fact
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


statements = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from(["Lisbon", "Porto", "Rome", ""])),
    min_size=2,
    max_size=5,
    unique_by=lambda each: each[0],
).filter(lambda line: min(line)[1] != "")


@given(statements)
def test_any_order_of_the_same_statements_ends_in_the_same_current_fact(line) -> None:
    days = [(day, said(value, retracts=not value)) for day, value in line]
    started = min(days, key=lambda each: each[0])
    rest = [each for each in days if each is not started]
    latest_day, latest = max(days, key=lambda each: each[0])

    for order in permutations(rest):
        fact = told([started, *order])
        assert (fact.valid_to is not None) == latest.retracts
        assert latest.retracts or fact.value == latest.value
        assert fact.last_verified_at == MONDAY + timedelta(days=latest_day)


@given(statements)
def test_history_neither_overlaps_nor_leaves_gaps(line) -> None:
    days = [(day, said(value, retracts=not value)) for day, value in sorted(line)]
    fact = told(days)

    starts_and_ends = [(v.valid_from, v.valid_to) for v in fact.history]
    line_of_ends = [*starts_and_ends, (fact.valid_from, fact.valid_to)]
    assert all(one[1] == other[0] for one, other in pairwise(line_of_ends))
