import pytest

from memory_graph.language.frames import second_person


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("The user lives in Porto.", "You live in Porto."),
        ("The user's cat Luna is 4 years old.", "Your cat Luna is 4 years old."),
        ("The user is called Ana.", "You are called Ana."),
        ("The user watches birds.", "You watch birds."),
    ],
)
def test_a_statement_about_the_user_is_said_to_them(statement, said):
    assert second_person(statement) == said
