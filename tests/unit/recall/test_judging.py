from dataclasses import replace

import pytest

from memory_graph.policies import RecallPolicy
from memory_graph.recall.lines import Line
from memory_graph.recall.questions import Asked, Sought
from memory_graph.recall.verdict import Signs, judge_recall, read_signs
from tests.examples import NOON, a_turn

TANK = Line(
    record=a_turn("I have a 20-gallon tank with ten neon tetras."),
    fit=0.7,
    relevance=0.7,
    words=0.8,
    meaning=0.6,
    at=NOON,
)


def signs(question: str, lines: list[Line]) -> Signs:
    return read_signs(Sought.of(question, Asked(text=question, grade="implicit")), lines)


def verdict(question: str, lines: list[Line]) -> str:
    return judge_recall(signs(question, lines).confidence, RecallPolicy()).found


def test_a_question_whose_words_are_shown_is_answered():
    own = replace(TANK, outdone=0)

    assert verdict("How many tetras are in my 20-gallon tank?", [own]) == "found"


@pytest.mark.parametrize(
    "question",
    ["How many fish are in my 30-gallon tank?", "Which fish did Marta put into her tank?"],
)
def test_a_near_miss_is_not_found(question: str):
    near = replace(TANK, fit=0.5, relevance=0.5)

    assert signs(question, [near]).is_beside
    assert verdict(question, [near]) == "weak"


def test_nothing_that_bears_on_it_is_none():
    far = replace(TANK, fit=0.05, relevance=0.05, words=0.0, meaning=0.1)

    assert verdict("What is my blood type?", [far]) == "none"
    assert verdict("What is my blood type?", []) == "none"


def test_more_of_the_question_never_makes_less_sure():
    assert Signs(fit=0.5, words=1.0).confidence > Signs(fit=0.5, words=0.5).confidence
    assert Signs(fit=0.9, words=1.0, is_beside=True).confidence <= 0.5


def test_a_question_about_a_relative_nobody_told_of_is_not_answered_with_something_else():
    me = Line(record=a_turn("Hi, I am Ana."), fit=0.9, relevance=0.9, meaning=0.5, at=NOON)

    assert verdict("What is my brother called?", [me]) == "none"
    assert verdict("Wie heißt mein Bruder?", [me]) == "none"
    assert verdict("What kind of music do I like?", [me]) != "none"


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("When is the wedding?", "The wedding is on 12 June.", "The wedding will be small."),
        ("¿Cuánto pago de alquiler?", "Pago 650 de alquiler.", "Pago el alquiler tarde."),
        ("Who lodges with me?", "Ask Ignatius, he lodges with me.", "My lodger is late again."),
    ],
)
def test_what_has_no_value_of_the_kind_asked_for_is_less_sure(question, told, untold):
    sure, unsure = (
        replace(TANK, record=a_turn(text), fit=0.5, relevance=0.5) for text in (told, untold)
    )

    assert signs(question, [sure]).value > signs(question, [unsure]).value


def test_what_is_so_now_does_not_answer_what_was_so_before():
    now = replace(TANK, record=a_turn("I live in Bristol."), fit=0.9, relevance=0.9)
    then = replace(now, over_since=NOON)

    assert verdict("Where did I live before Bristol?", [now]) == "weak"
    assert verdict("Where did I live before?", [then]) == "found"


def test_what_fits_many_other_questions_better_is_less_sure():
    near = replace(TANK, fit=0.2, relevance=0.2, words=0.0, meaning=0.3)

    assert verdict("What is my blood type?", [replace(near, outdone=20)]) == "none"
    assert verdict("What is my blood type?", [replace(near, outdone=0)]) == "weak"
