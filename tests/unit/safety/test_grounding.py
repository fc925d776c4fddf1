import pytest

from memory_graph.records import FactCandidate
from memory_graph.safety.own_voice import is_grounded

LUNA = {"entity": "Luna", "entity_kind": "cat", "attribute": "age", "value": "4"}


@pytest.mark.parametrize(
    ("given", "texts", "expected"),
    [
        pytest.param({"value": "Porto"}, ["I moved to Porto"], True, id="the value was said"),
        pytest.param({"value": "Lisbon"}, ["I moved to Porto"], False, id="another value"),
        pytest.param(LUNA, ["My cat is Luna", "she turned four"], True, id="named earlier"),
        pytest.param(LUNA, ["My cat turned 4"], False, id="a name nobody said"),
        pytest.param(
            {"statement": "It is 4.", "entity": "cat", "entity_kind": "cat", "value": "4"},
            ["My cat is 4"],
            True,
            id="somebody without a name",
        ),
        pytest.param(
            {"statement": "The user's dentist appointment.", "value": "2026-11-17"},
            ["I have a dentist appointment tomorrow"],
            True,
            id="a date that was worked out",
        ),
        pytest.param(
            {"statement": "The user no longer eats meat.", "value": "no meat"},
            ["I eat at noon"],
            False,
            id="one word in common is not enough",
        ),
        pytest.param(
            {"statement": "The user likes olives.", "value": "like"},
            ["I like jazz"],
            False,
            id="liking something else",
        ),
        pytest.param(
            {"statement": "The user lives in Porto.", "value": "Porto"},
            ["I live in Porto.", "I work as a nurse."],
            False,
            id="said earlier, not now",
        ),
        pytest.param(
            {"statement": "The user's manager is Dana.", "value": "Dana"},
            ["My manager is nice to the whole team."],
            False,
            id="a name that nobody said, in words that were",
        ),
        pytest.param(
            {"statement": "The user lives in Lisbon, Portugal.", "value": "Lisbon, Portugal"},
            ["I live in Lisbon."],
            True,
            id="a country added to its city",
        ),
        pytest.param(
            {"statement": "The user lives in Lisbon.", "value": "里斯本"},
            ["我现在住在里斯本"],
            True,
            id="without spaces between words",
        ),
    ],
)
def test_is_grounded(given, texts, expected):
    candidate = FactCandidate(**{"statement": "The user lives there.", **given})

    assert is_grounded(candidate, texts) is expected
