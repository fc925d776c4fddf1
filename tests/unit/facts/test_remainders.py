"""A correction takes its own part of a statement, and leaves the rest."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph
from memory_graph.facts.remainder import remainder
from memory_graph.facts.timeline import in_full
from memory_graph.records import FactVersion
from tests.examples import NOON, a_fact


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (
            "Our Nora is 5 and goes to the forest kindergarten in Ulm",
            "Nora is not 5, she turned 6 on Sunday",
            "Our Nora is … and goes to the forest kindergarten in Ulm",
        ),
        (
            "Das große Fest ist am 3. Mai im Garten bei Oma Lotte",
            "Wir feiern doch erst am 10. Mai",
            "Das große Fest ist … im Garten bei Oma Lotte",
        ),
        (
            "draft by the 20th for Ines and her whole advisory board in Porto, slides on the 27th",
            "Ines wants the draft on the 24th, slides stay the 27th",
            "draft by the … for Ines and her whole advisory board in Porto, slides on the 27th",
        ),
        ("Our budget is 14000 euros.", "The budget is 18000 euros now.", None),
        (
            "the oven is paid off in 12 instalments of 180 thousand, the fourth is due",
            "I looked it up, it's not 12 instalments for the oven, it's 18",
            "the oven is paid off in … instalments of 180 thousand, the fourth is due",
        ),
        (
            "Every Tuesday at 16:00 I have choir, and our rehearsal room is on Wednesdays closed",
            "Choir is not on Tuesday any more, it is on Mondays at 10:00",
            "our rehearsal room is on Wednesdays closed",
        ),
    ],
)
def test_only_the_value_that_changed_goes(old, new, left):
    assert remainder(old, new) == left


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (
            "We met at a dance in Luton. He died in 2016, and I still set the table for two.",
            "I must correct myself: it was not Luton where Karl and I met, it was Dunstable.",
            "He died in 2016, and I still set the table for two.",
        ),
        (
            "Mi hermano Pablo vive en Bilbao y tiene dos niñas, Irene y Olaia.",
            "Pablo se ha mudado a Vitoria por trabajo.",
            "Mi hermano Pablo … y tiene dos niñas, Irene y Olaia.",
        ),
        (
            "contact at Kaffa is Rui, at Loopline it's Hannah, the founder",
            "Rui left Kaffa, the new one is Silvia",
            "contact at … is …, at Loopline it's Hannah, the founder",
        ),
        ("Ich wohne in einer WG, mit Sefa", "Ich bin aus der WG ausgezogen", None),
        (
            "we've got two, Zosia who's nine and Kuba, six",
            "Kuba turned seven yesterday, had a dinosaur cake",
            "we've got two, Zosia who's nine",
        ),
        (
            "bring: tent for three, gas stove, two lamps at least",
            "the tent is broken, Ola brings hers",
            "bring: gas stove, two lamps at least",
        ),
    ],
)
def test_what_a_change_does_not_speak_of_still_holds(old, new, left):
    assert remainder(old, new) == left


def test_other_words_of_the_message_may_end_what_a_change_leaves():
    old = "Recorded in March in the old mill, the producer is Matti"

    assert remainder(old, "Not in the mill any more but at her place", "Matti is out") is None


def test_an_old_value_is_searched_for_and_no_part_of_the_new_statement():
    first = FactVersion(
        statement="next appointment at the clinic is nov 18",
        value=None,
        valid_from=NOON,
        valid_to=NOON,
    )
    fact = a_fact("f1", "its the 23rd now", own_words=True, history=(first,))

    assert in_full(fact) == "its the 23rd now (earlier: “next appointment at the clinic is nov 18”)"
    assert fact.statement == "its the 23rd now"


def test_what_a_key_loses_goes_from_the_words_it_was_told_in():
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "lea", "thread_id": "1"}}
    for text in (
        "My son Milo is 7 and in second grade at Linden School.",
        "Milo is 8 now.",
    ):
        graph.invoke({"messages": [HumanMessage(text)]}, config)
    facts = [
        item.value["statement"]
        for ns in store.list_namespaces()
        if ns[-1] == "facts"
        for item in store.search(ns, limit=50)
        if not item.value.get("valid_to")
    ]
    assert any("second grade" in fact for fact in facts)
    assert not any("7" in fact for fact in facts)


def test_a_value_that_a_new_statement_does_not_speak_of_stays():
    old = "I have a 6 year old dachshund, Frytka."
    new = "We took the flat for 1450 a month, because the other one had no garden for Frytka."

    assert remainder(old, new) == "I have a 6 year old dachshund"
