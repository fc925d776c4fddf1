import pytest

from memory_graph.policy.answer_kinds import NUMBER, TIME, kinds_asked


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        pytest.param("When did I move to Porto?", (TIME,), id="when"),
        pytest.param("do you know WHAT YEAR that was", (TIME,), id="what year"),
        pytest.param("How long ago did we meet?", (TIME,), id="how long ago"),
        pytest.param("How many cats do I have?", (NUMBER,), id="how many"),
        pytest.param("How old was she when we met?", (TIME, NUMBER), id="both"),
        pytest.param("What did I think of it?", (), id="anything might answer"),
        pytest.param("Whenever I run, my knee hurts.", (), id="a word inside a word"),
        pytest.param("", (), id="empty"),
    ],
)
def test_a_question_says_what_kind_of_thing_answers_it(question, kinds):
    assert kinds_asked(question) == kinds
