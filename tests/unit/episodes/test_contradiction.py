"""Contradiction: which older statements a newer one replaces."""

import pytest

from memory_graph.episodes.building import is_superseded, standing


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param("Porto it is.", "Lisbon it is.", id="one bare choice after another"),
        pytest.param("We fly on Friday.", "We fly on Saturday.", id="only the day differs"),
        pytest.param("The budget is 80 a week.", "The budget is 95 a week.", id="only the number"),
        pytest.param(
            "Postgres for the event log.", "DynamoDB for the event log instead.", id="same subject"
        ),
        pytest.param("Call Tom.", "Call Tom.", id="repeated"),
    ],
)
def test_a_newer_statement_on_the_same_subject_replaces_the_older(older: str, newer: str) -> None:
    assert is_superseded(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param("Call the doctor.", "Call the bank.", id="same verb, another object"),
        pytest.param("Oak for the kitchen floor.", "Tiles for the bathroom wall.", id="two rooms"),
        pytest.param("One Postgres partition per account.", "Postgres it is.", id="more detail"),
    ],
)
def test_statements_on_other_subjects_stay(older: str, newer: str) -> None:
    assert not is_superseded(older, newer)


def test_what_still_stands_keeps_its_order() -> None:
    older = ("Call the doctor.", "We fly on Friday.", "Pack the tent.")

    assert standing(older, ["We fly on Sunday."]) == ("Call the doctor.", "Pack the tent.")
