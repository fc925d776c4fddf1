"""A change only counts where memory ends with what was said last."""

import pytest

from evals.suites.fact_cases import Pair
from evals.suites.updates import ends_right

MOVED = Pair(id="x", old="I live in Lisbon.", new="I moved to Porto.", relation="correct")


@pytest.mark.parametrize(
    ("told", "right"),
    [
        ("The user lives in Porto.", True),
        ("The user lives in Lisbon.", False),
        ("The user lives in Lisbon. The user lives in Porto.", False),
        ("The user's cat moved.", False),
    ],
)
def test_memory_must_end_with_the_new_value_and_without_the_old(told, right):
    assert ends_right(MOVED, told) is right


def test_an_ending_has_no_new_value_to_look_for():
    ended = Pair(id="x", old="I live in Lisbon.", new="Forget my city.", relation="retraction")

    assert ends_right(ended, "")
