"""What the killing benchmark takes for lost and doubled."""

import pytest

from benchmarks.kills import compare_cities

SAID = ["Aveiro", "Braga", "Coimbra"]


@pytest.mark.parametrize(
    ("line", "kept", "lost", "doubled"),
    [
        (SAID, SAID, [], []),
        (SAID, ["Aveiro", "Coimbra"], [], []),
        (["Aveiro", "Coimbra"], SAID, ["city Braga"], []),
        (["Aveiro", "Aveiro", "Braga", "Coimbra"], SAID, [], ["city Aveiro"]),
        (["Braga", "Aveiro", "Coimbra"], SAID, ["the order of the cities"], []),
    ],
    ids=["all", "written by a run that died", "lost", "doubled", "out of order"],
)
def test_a_history_holds_what_the_thread_kept_and_nothing_that_was_not_said(
    line, kept, lost, doubled
) -> None:
    assert compare_cities(line, kept, SAID) == (lost, doubled)
