import numpy as np
import pytest
from hypothesis import strategies as st

from memory_graph.store.index import BRIEF_WORDS, DECAY, REACH, Neighbours, brevity

PLACES = st.tuples(st.sampled_from("ab"), st.integers(0, 5))
CHANGES = st.lists(st.tuples(st.integers(0, 9), st.none() | PLACES), max_size=30)


def placed(*places):
    neighbours = Neighbours()
    put(neighbours, dict(enumerate(places)))
    return neighbours


def put(neighbours, places, words=5):
    rows = np.array(list(places), dtype=np.intp)
    neighbours.put(rows, list(places.values()), np.full(len(rows), words))


def matrix(neighbours, size):
    """Return how much each row lends to each other row."""
    context = neighbours.context(size)
    lent = np.zeros((size, size))
    for row in range(size):
        np.add.at(lent[row], context.rows[row], context.weights[row])
    return lent


def test_an_item_leans_on_those_just_before_and_after_it():
    lent = matrix(placed(*[("a", position) for position in range(6)]), 6)

    assert lent[0] == pytest.approx([0, DECAY, DECAY**2, DECAY**3, 0, 0])
    assert REACH == 3


def test_order_follows_the_position_not_the_arrival():
    lent = matrix(placed(("a", 9), ("a", 1), ("a", 5)), 3)

    assert lent[1] == pytest.approx([DECAY**2, 0, DECAY])


def test_groups_do_not_lend_to_each_other():
    lent = matrix(placed(("a", 0), ("b", 1)), 2)

    assert not lent.any()


def test_the_gap_of_a_removed_item_closes():
    neighbours = placed(("a", 0), ("a", 1), ("a", 2))

    neighbours.remove(np.array([1]))

    lent = matrix(neighbours, 3)
    assert lent[0] == pytest.approx([0, 0, DECAY])
    assert not lent[1].any()


@pytest.mark.parametrize(
    ("words", "share"),
    [(0, 1.0), (BRIEF_WORDS, 1.0), (1.5 * BRIEF_WORDS, 0.5), (2 * BRIEF_WORDS, 0.0), (999, 0.0)],
)
def test_the_longer_an_item_the_less_it_leans_on_others(words, share):
    assert brevity(words) == pytest.approx(share)


def test_a_long_item_neither_lends_nor_borrows():
    neighbours = placed(("a", 0), ("a", 2))
    put(neighbours, {2: ("a", 1)}, words=10 * BRIEF_WORDS)

    lent = matrix(neighbours, 3)

    assert not lent[2].any()
    assert lent[0] == pytest.approx([0, DECAY**2, 0])


def test_an_average_keeps_the_value_of_equal_neighbours():
    context = placed(("a", 0), ("a", 1), ("a", 2)).context(3)

    assert context.average(np.full(3, 0.4, dtype=np.float32), 0.3) == pytest.approx([0.4] * 3)
