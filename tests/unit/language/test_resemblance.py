import pytest

from memory_graph.language.likeness import gist_of, shares_name_or_number


def test_a_statement_is_taken_apart():
    gist = gist_of("The user did not visit Rome with two friends in May 2024.")

    assert gist.names == {"rome"}
    assert gist.numbers == {"2"}
    assert gist.dates == {"may", "2024"}
    assert gist.words == {"visit", "friend"}
    assert gist.negated


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The user owes Pedro money.", "Pedro was paid back by the user's friend Pedro.", True),
        ("The user pays 900 euros.", "Rent is 900.", True),
        ("The user has two cats.", "There are 2 of them.", True),
        ("The user owes Pedro money.", "The user owes Rita money.", False),
        ("The user likes tea.", "The user likes coffee.", False),
    ],
)
def test_shares_name_or_number(one, other, expected):
    assert shares_name_or_number(one, other) is expected
