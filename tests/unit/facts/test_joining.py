"""What rules and a model read in one message, joined."""

from memory_graph.facts.extraction import join_readings
from memory_graph.records import FactCandidate


def read(statement, **given):
    return FactCandidate(statement=statement, **given)


AGE = read(
    "The user's cat Luna is 3.", entity="Luna", entity_kind="cat", attribute="age", value="3"
)


def test_what_a_rule_reads_goes_before_what_a_model_makes_of_the_same_words():
    mistaken = read("The user is 3.", attribute="age", value="3")

    assert join_readings([AGE], [mistaken]) == (AGE,)


def test_a_model_adds_what_no_rule_reads():
    city = read("The user lives in Porto.", attribute="city", value="Porto")

    assert join_readings([AGE], [city]) == (AGE, city)


def test_a_fact_without_a_value_states_nothing():
    empty = read("The user forgot their birthday.", attribute="birthday")

    assert join_readings([], [empty]) == ()


def test_words_that_name_more_than_any_value_are_kept_beside_the_facts():
    words = "I'm studying biology at the University of Leeds."
    study = read("The user studies biology.", attribute="study", value="biology")
    own = read(words, own_words=True)

    assert join_readings([own], [study]) == (study, own)
    school = read("x", attribute="school", value="University of Leeds")
    assert join_readings([own], [study, school]) == (study, school)


def test_words_that_the_user_wants_remembered_are_kept_whatever_the_model_says():
    asked = read("Remember that the locker code is on the fridge.", own_words=True, importance=4)
    other = read("It rained again.", own_words=True)

    assert join_readings([asked, other], []) == (asked,)
