"""What rules and a model read in one message, joined."""

import pytest

from memory_graph.facts.extraction import join_readings
from memory_graph.records import FactCandidate


def read(statement, **given):
    return FactCandidate(statement=statement, **given)


def unless_it_changes(words):
    """Return words of the user that are kept only if they change something known."""
    return words.model_copy(update={"kind": "episodic"})


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
    assert join_readings([own], [study, school]) == (study, school, unless_it_changes(own))


@pytest.mark.parametrize(
    "by_model",
    [
        [],
        [read("The user lives in Porto.", attribute="city", value="Porto")],
        [read("The user's mother exists.", entity="mum", attribute="relation", value="mum")],
    ],
)
def test_a_model_that_reads_less_never_costs_the_words_of_the_user(by_model):
    own = read("living w my mum in ince till i get a deposit together", own_words=True)

    assert join_readings([own], by_model)[-1] == own


def test_words_make_room_for_a_fact_that_tells_all_of_them():
    own = read("Saturdays I take the kids to the climbing wall in Almada.", own_words=True)
    told = "The user takes the kids to a climbing wall in Almada on Saturdays."
    fact = read(told, attribute="hobby", value="climbing wall")

    assert join_readings([own], [fact]) == (fact, unless_it_changes(own))


@pytest.mark.parametrize(
    ("quoted", "makes_room"),
    [("samstags geh ich mit den Kindern in Almada klettern", True), ("in Almada klettern", False)],
)
def test_a_fact_in_another_language_tells_what_it_quotes(quoted, makes_room):
    own = read("samstags geh ich mit den Kindern in Almada klettern", own_words=True)
    told = "The user climbs in Almada with the kids on Saturdays."
    fact = read(told, attribute="hobby", value="klettern", words=quoted)

    assert join_readings([own], [fact]) == (fact, unless_it_changes(own) if makes_room else own)


def test_what_a_model_says_without_a_key_stays_behind_the_words_that_hold_it():
    own = read("startd at a bakery depot in bolton, days not nights", own_words=True)
    plain = read("The user started at a bakery depot.")
    other = read("The user's sister sings.")

    assert join_readings([own], [plain, other]) == (other, own)


def test_that_a_girlfriend_is_a_girlfriend_is_no_news():
    given = {"entity": "girlfriend", "entity_kind": "girlfriend"}
    fact = read("x", attribute="relationship-status", value="girlfriend", **given)

    assert join_readings([], [fact]) == ()


def test_words_that_a_models_fact_repeats_are_kept_beside_it_only_if_they_change_something():
    statement = "The user's daily supervisor is a postdoc, he is called Johann."
    fact = FactCandidate(
        statement=statement,
        entity="Johann",
        entity_kind="person",
        attribute="relationship-status",
        value="postdoc",
    )
    own = FactCandidate(statement="he is called Johann.", own_words=True)

    assert join_readings([own], [fact]) == (fact, unless_it_changes(own))


def test_words_are_told_by_a_fact_that_holds_their_end_too():
    beginning = "I ought to introduce myself: Rosalind Ketterman, thirty-four years of geography"
    own = read(f"{beginning} to teenagers, and now retired in Brattleboro.", own_words=True)
    fact = read(f"{beginning}.", attribute="job", value="geography")

    assert join_readings([own], [fact]) == (fact, own)


def test_what_rules_say_beside_their_keys_they_say_with_a_model_too():
    own = read("We live in Kings Heath, me, my wife Marcia and the twins.", own_words=True)
    city = read("The user lives in Kings Heath.", attribute="city", value="Kings Heath")
    wife = read("The user has a wife called Marcia.", attribute="has:wife", value="Marcia")

    assert join_readings([city, wife, own], []) == (city, wife, own)


def test_what_only_ends_something_does_not_hold_words():
    own = read("moved up to hull last month, welding at a boatyard now", own_words=True)
    over = read("The user moved up to hull last month, welding at a boatyard now.", retracts=True)

    assert own in join_readings([own], [over])


def test_the_words_of_the_user_replace_what_a_model_says_is_replaced():
    own = read("I left the bank and work at Acme now", own_words=True)
    words = "work at Acme now"
    fact = read(
        "The user works at Acme.", attribute="employer", value="Acme", words=words, replaces="f1"
    )
    plain = fact.model_copy(update={"replaces": None})

    assert join_readings([own], [fact]) == (plain, own.model_copy(update={"replaces": "f1"}))


def test_words_make_room_only_for_what_is_kept():
    flat = "I am living with two flatmates, Giulia from Italy and Tomasz."
    rent = "Each one of us pays 620 euro for so small rooms with one window."
    own = [FactCandidate(statement=text, own_words=True) for text in (flat, rent)]
    plain = FactCandidate(
        statement="The user is living with two flatmates, Giulia from Italy and Tomasz.",
        words=flat,
    )

    assert join_readings(own, [plain]) == tuple(own)
