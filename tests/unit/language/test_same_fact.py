import pytest

from memory_graph.language.likeness import is_same_fact


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            "The user's landlord is Mr Costa.", "The user's landlord is Ms Reis.", id="one value"
        ),
        pytest.param(
            "The user drinks two coffees.", "The user drinks one coffee.", id="another number"
        ),
        pytest.param(
            "The user is learning chess.", "The user is no longer learning chess.", id="an end"
        ),
        pytest.param("The user likes rain.", "The user hates rain.", id="the opposite"),
        pytest.param(
            "The user is writing a novel.", "The user is writing a novel about bees.", id="more"
        ),
    ],
)
def test_the_same_fact_is_said_again_changed_or_ended(old, new):
    assert is_same_fact(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("The user's sister sings.", "The user's brother sings.", id="another person"),
        pytest.param(
            "The user's son Leo swims.", "The user's son Max swims.", id="another person's name"
        ),
        pytest.param("The user visited Rome in 2023.", "The user visited Rome in 2025.", id="date"),
        pytest.param("The user collects stamps.", "The user collects coins.", id="another object"),
        pytest.param("The user reads comics.", "The user draws comics.", id="another verb"),
        pytest.param(
            "The user's printer is broken.", "The user's monitor is broken.", id="another thing"
        ),
        pytest.param("The user met Anna.", "The user met Tom.", id="another name"),
        pytest.param("", "The user met Tom.", id="nothing said"),
    ],
)
def test_what_merely_sounds_alike_is_another_fact(old, new):
    assert not is_same_fact(old, new)
