"""Which known facts a model's answer may change: those that the user's words bear on."""

import pytest

from memory_graph.facts.claims import BEARS, BEARS_ON_KEY, Claim, decide_claim, settle
from memory_graph.reading import read_message
from memory_graph.records import FactCandidate
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import a_fact

CITY = a_fact("profile:city", "The user lives in Lisbon.", key="profile:city", value="Lisbon")
OWN = a_fact("fact-1", "I am living with two flatmates, Giulia and Tomasz.", own_words=True)
PORTO = FactCandidate(
    statement="The user lives in Porto.", attribute="city", value="Porto", words="via Porto"
)
INES = FactCandidate(statement="The user's flatmate is Ines.", words="In his place comes Ines")
OVER = FactCandidate(statement="The user left.", words="left", retracts=True)


def past(chance):
    return {CITY.id: chance, OWN.id: chance}


def test_a_fact_that_nothing_known_stands_against_is_as_it_was():
    assert decide_claim(Claim(candidate=PORTO)) == (PORTO, "changes_nothing")


@pytest.mark.parametrize(
    ("chance", "replaces", "reason"),
    [(BEARS, OWN.id, "bears_on_it"), (BEARS - 0.01, None, "replaces_unrelated")],
)
def test_what_a_model_names_is_replaced_if_the_words_bear_on_it(chance, replaces, reason):
    found, why = decide_claim(Claim(candidate=INES, named=OWN, past=past(chance)))

    assert (found, why) == (INES.model_copy(update={"replaces": replaces}), reason)


@pytest.mark.parametrize(
    ("chance", "attribute", "reason"),
    [(BEARS_ON_KEY, "city", "bears_on_it"), (0.0, None, "replaces_unrelated")],
)
def test_a_key_gets_another_value_if_the_words_bear_on_it(chance, attribute, reason):
    claim = Claim(candidate=PORTO, named=CITY, taken=CITY, past=past(chance))
    found, why = decide_claim(claim)

    assert (found.attribute, why) == (attribute, reason)
    assert found.statement == (PORTO.statement if attribute else PORTO.words)


def test_a_key_that_the_model_did_not_see_keeps_its_value():
    found, _ = decide_claim(Claim(candidate=PORTO, taken=CITY, is_new=True, past=past(0.9)))

    assert (found.attribute, found.statement) == (None, PORTO.words)


def test_facts_with_two_keys_are_about_two_things():
    job = FactCandidate(statement="The user is a cook.", attribute="job", value="cook")

    assert decide_claim(Claim(candidate=job, named=CITY, past=past(0.9))) == (
        job,
        "replaces_unrelated",
    )


def test_a_fact_ends_if_the_words_bear_on_it():
    over = PORTO.model_copy(update={"retracts": True, "value": "Lisbon"})

    assert decide_claim(Claim(candidate=over, taken=CITY, past=past(0.9))) == (over, "bears_on_it")
    unrelated = Claim(candidate=over, named=CITY, taken=CITY, past=past(0.0))
    assert decide_claim(unrelated) == (None, "replaces_unrelated")


def test_words_of_the_user_are_changed_and_not_ended_whole():
    found, _ = decide_claim(Claim(candidate=OVER, named=OWN, past=past(0.9)))

    assert (found.retracts, found.replaces) == (False, OWN.id)


@pytest.mark.parametrize(
    ("text", "ends"),
    [("Tomasz moved out of the flat, I only live with Giulia now.", 1), ("I love sushi.", 0)],
)
async def test_the_users_own_sentence_is_what_bears_on_a_fact(store, now, text, ends):
    memory = memory_of(Owner("ana"), store)
    await memory.commit(await memory.facts.puts([OWN, CITY], now()))
    claimed = FactCandidate(statement="The user lives with Giulia.", words=text, replaces="1")

    [found], refused = await settle([claimed], await read_message(text), [OWN], memory)

    assert (found.replaces, refused) == ((OWN.id, 0) if ends else (None, 1))


async def test_whoever_asks_to_forget_bears_on_whatever_the_model_names(store, now):
    memory = memory_of(Owner("ana"), store)
    await memory.commit(await memory.facts.puts([CITY], now()))
    text = "Please forget where I live."
    over = PORTO.model_copy(update={"retracts": True, "words": text, "value": "Lisbon"})

    found, refused = await settle([over], await read_message(text), [CITY], memory)

    assert (len(found), refused) == (1, 0)
