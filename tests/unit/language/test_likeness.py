import pytest

from memory_graph.language.likeness import overlap


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        pytest.param("renew the token", "Renew a token!", 1.0, id="the same words"),
        pytest.param("renew the token", "renew the lease", 1 / 3, id="one word of three"),
        pytest.param("retry the call", "never retry the call", 0.0, id="its negation"),
        pytest.param("don't retry the call", "never retry the call", 1.0, id="two ways to say no"),
        pytest.param("", "", 1.0, id="nothing at all, twice"),
        pytest.param("", "retry", 0.0, id="nothing and something"),
    ],
)
def test_overlap(one, other, share):
    assert overlap(one, other) == pytest.approx(share)
