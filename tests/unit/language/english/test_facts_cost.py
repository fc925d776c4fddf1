"""Reading takes time in proportion to the message, whatever it holds."""

from time import process_time

import pytest

from memory_graph.language.english.facts import LONGEST_MESSAGE, read_english

PIECES = [
    " ", "7", "-", "\n", "\t", ". ", ", ", "'", '"', "`", "(", "_", "> ", "I ", "my ", "Aa ",
    "Aa, ", "and I ", "my sister ", "my sister Aa, ", "I have a ", "write a ", "Aa: I ",
    "\n        ", "I live in Berlin and my sister Eva is 4, so I hate olives. ",
]  # fmt: skip


def spent(text: str) -> float:
    start = process_time()
    read_english([text])
    return process_time() - start


def cheapest(text: str) -> float:
    return min(spent(text) for _ in range(3))


@pytest.mark.parametrize("piece", PIECES)
def test_the_time_grows_with_the_message_and_no_faster(piece: str) -> None:
    quarter, whole = LONGEST_MESSAGE // 4, LONGEST_MESSAGE

    assert cheapest((piece * whole)[:whole]) < 9 * cheapest((piece * quarter)[:quarter]) + 0.05


@pytest.mark.parametrize("piece", PIECES)
def test_more_than_is_read_costs_no_more(piece: str) -> None:
    read, given = LONGEST_MESSAGE, 100_000

    assert cheapest((piece * given)[:given]) < 3 * cheapest((piece * read)[:read]) + 0.05


def test_twice_the_message_takes_about_twice_the_time() -> None:
    sentence = "I live in Berlin and my sister Eva is 4, so I hate olives. "
    spent(sentence)
    half = min(spent(sentence * 45) for _ in range(3))
    whole = min(spent(sentence * 90) for _ in range(3))

    assert whole < 4 * half + 0.01
