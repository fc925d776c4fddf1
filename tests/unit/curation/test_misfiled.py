import pytest

from memory_graph.curation.misfiled import in_first_person, may_be_fact
from memory_graph.records import Decision
from tests.examples import an_episode


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("The user lives in Lisbon.", "I live in Lisbon."),
        ("The user said: I live in Lisbon.", "I live in Lisbon."),
        ("The user's cat Luna is 4 years old.", "My cat Luna is 4 years old."),
        ("User has two children.", "I have two children."),
        ("The user does not eat meat.", "I do not eat meat."),
        ("The user no longer eats meat.", "I no longer eat meat."),
        ("The user watches films.", "I watch films."),
    ],
)
def test_in_first_person(told, said):
    assert in_first_person(told) == said


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"summary": "The user lives in Lisbon."}, True, id="a plain statement"),
        pytest.param({"summary": "The user fixed the login bug."}, False, id="something done"),
        pytest.param(
            {
                "summary": "The user lives in Lisbon.",
                "decisions": (Decision(id="d001", chosen="moving"),),
            },
            False,
            id="something decided",
        ),
    ],
)
async def test_may_be_fact(given, expected):
    assert await may_be_fact(an_episode(**given)) is expected
