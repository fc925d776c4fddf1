from memory_graph.language.likeness import gist_of


def test_a_statement_is_taken_apart():
    gist = gist_of("The user did not visit Rome with two friends in May 2024.")

    assert gist.names == {"rome"}
    assert gist.numbers == {"2"}
    assert gist.dates == {"may", "2024"}
    assert gist.words == {"visit", "friend"}
    assert gist.negated
