import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.patterns.evidence import Resolution, normalise_name, resolve_name

NAMES = ["retry-on-timeout", "retry-on-refusal", "cache-warm-up"]


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        pytest.param("Retry on timeout", "retry-on-timeout", id="words"),
        pytest.param("retry_on__timeout!", "retry-on-timeout", id="underscores and signs"),
        pytest.param("PATTERN-retry-on-timeout", "retry-on-timeout", id="title of a note"),
        pytest.param("ANTIPATTERN-skip-tests", "skip-tests", id="title of a warning"),
        pytest.param("pattern-matching", "pattern-matching", id="a name that sounds like one"),
        pytest.param("Größe prüfen", "grösse-prüfen", id="other letters stay letters"),
        pytest.param(" -- ", "", id="nothing left"),
    ],
)
def test_normalise_name(name, normal):
    assert normalise_name(name) == normal


@given(st.text(max_size=40))
def test_a_normal_name_stays_as_it_is(name):
    assert normalise_name(normalise_name(name)) == normalise_name(name)


@pytest.mark.parametrize(
    ("asked", "name", "choices"),
    [
        pytest.param("Retry on timeout", "retry-on-timeout", (), id="in other spelling"),
        pytest.param("timeout", "retry-on-timeout", (), id="the only one with this part"),
        pytest.param("retry", None, ("retry-on-refusal", "retry-on-timeout"), id="two have it"),
        pytest.param("rollback", None, (), id="nobody has it"),
        pytest.param("??", None, (), id="no letters"),
    ],
)
def test_resolve_name(asked, name, choices):
    assert resolve_name(asked, NAMES) == Resolution(name, choices)


def test_an_exact_name_wins_over_longer_ones_that_contain_it():
    assert resolve_name("retry", [*NAMES, "retry"]).name == "retry"
