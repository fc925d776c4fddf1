import pytest

from memory_graph.llm.offline.reply import NO_MODEL, NOTHING, compose_reply, second_person


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("The user lives in Porto.", "You live in Porto."),
        ("The user's cat Luna is 4 years old.", "Your cat Luna is 4 years old."),
        ("The user is allergic to peanuts.", "You are allergic to peanuts."),
        ("The user studies law.", "You study law."),
        ("The user teaches maths.", "You teach maths."),
        ("Eva is the user's sister.", "Eva is your sister."),
        ("No longer true: The user likes olives.", "No longer true: You like olives."),
    ],
)
def test_a_statement_is_said_to_the_user(statement: str, said: str) -> None:
    assert second_person(statement) == said


@pytest.mark.parametrize(
    ("noted", "answers", "asks", "found", "reply"),
    [
        pytest.param([], [], False, "none", NO_MODEL, id="nothing to say"),
        pytest.param([], ["The user lives in Rome."], True, "none", NOTHING, id="no memory"),
        pytest.param([], [], True, "found", NOTHING, id="nothing to quote"),
        pytest.param(
            ["The user lives in Rome."], [], False, "none", "Noted: You live in Rome.", id="noted"
        ),
    ],
)
def test_compose_reply(noted, answers, asks, found, reply) -> None:
    assert compose_reply(noted, answers, asks=asks, found=found) == reply


def test_a_weak_hit_is_called_one() -> None:
    reply = compose_reply([], ["The user lives in Rome."], asks=True, found="weak")

    assert reply == "I have no memory of that; the closest I know is: You live in Rome."
