"""A correction takes its own part of a statement, and leaves the rest."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory, build_graph
from memory_graph.facts.remainder import remainder, value_changes, without_value
from memory_graph.facts.timeline import in_full
from memory_graph.records import FactVersion
from tests.examples import NOON, a_fact


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (
            "Our Nora is 5 and goes to the forest kindergarten in Ulm",
            "Nora is not 5, she turned 6 on Sunday",
            "Our Nora goes to the forest kindergarten in Ulm",
        ),
        (
            "Das große Fest ist am 3. Mai im Garten bei Oma Lotte",
            "Wir feiern doch erst am 10. Mai",
            "Das große Fest ist am 10. Mai im Garten bei Oma Lotte",
        ),
        (
            "draft by the 20th for Ines and her whole advisory board in Porto, slides on the 27th",
            "Ines wants the draft on the 24th, slides stay the 27th",
            "draft by the 24th for Ines and her whole advisory board in Porto, slides on the 27th",
        ),
        ("Our budget is 14000 euros.", "The budget is 18000 euros now.", None),
        (
            "the oven is paid off in 12 instalments of 180 thousand, the fourth is due",
            "I looked it up, it's not 12 instalments for the oven, it's 18",
            "the oven is paid off in 18 instalments of 180 thousand, the fourth is due",
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
            "Mi hermano Pablo tiene dos niñas, Irene y Olaia.",
        ),
        (
            "contact at Kaffa is Rui, at Loopline it's Hannah, the founder",
            "Rui left Kaffa, the new one is Silvia",
            "at Loopline it's Hannah, the founder",
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


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        (
            "I've got a dog, a grumpy 9 year old beagle called Otto",
            "Otto is 10 now",
            "I've got a dog, a grumpy 10 year old beagle called Otto",
        ),
        (
            "My mum Gerda is 71, lives alone in Kiel and has a bad hip",
            "Mum is 72 now",
            "My mum Gerda lives alone in Kiel and has a bad hip",
        ),
        (
            "Team meeting is Mondays at 10 with Anna, Raj and Tim",
            "Team meeting is on Tuesday now",
            "Team meeting is Tuesdays at 10 with Anna, Raj and Tim",
        ),
        (
            "the home aide starts today - Gloria, mon/wed/fri 9 to 1, $28 an hour",
            "gloria can only do mon and thu from now on, her own mother is sick",
            "the home aide starts today - Gloria, $28 an hour",
        ),
        (
            "Mein Bruder Jonas ist 31, Tischler und wohnt in Bremen",
            "Jonas ist nach Kiel gezogen",
            "Mein Bruder Jonas ist 31, Tischler",
        ),
        (
            "Meine Freundin Sofie studiert Medizin in Wien und hat eine Katze",
            "Sofie studiert jetzt in Graz",
            "Meine Freundin Sofie hat eine Katze",
        ),
        (
            "Tengo un perro, un beagle gruñón de 9 años llamado Otto",
            "Otto tiene ahora 10 años",
            "Tengo un perro, un beagle gruñón de 10 años llamado Otto",
        ),
        (
            "La boda es el 14 de junio en la finca de mis padres en Ronda",
            "La boda es ahora el 21 de junio",
            "La boda es el 21 de junio en la finca de mis padres en Ronda",
        ),
        (
            "My daughter Chiara starts helping on Saturdays, she's 16.",
            "We now open on Sundays too, 10 to 2, starting this week.",
            None,
        ),
        ("Our cat Minka is 14, deaf and lives mostly on the sofa", "Minka died last night", None),
    ],
)
def test_what_is_left_names_its_subject_and_reads_as_somebody_would_write_it(old, new, left):
    assert remainder(old, new) == left


@pytest.mark.parametrize(
    ("text", "value", "instead", "left"),
    [
        (
            "I live in Berlin with my partner Ana and two cats",
            "Berlin",
            None,
            "I live with my partner Ana and two cats",
        ),
        (
            "I work at Siemens as a welder, night shifts mostly",
            "Siemens",
            None,
            "I work as a welder, night shifts mostly",
        ),
        ("I can't stand coriander", "coriander", None, None),
        (
            "I'm Tom, 41, I live in Ghent and I build furniture",
            "Ghent",
            "Bruges",
            "I'm Tom, 41 and I build furniture",
        ),
        (
            "Vivo en Sevilla con mi hermana Carmen",
            "Sevilla",
            None,
            "Vivo con mi hermana Carmen",
        ),
        (
            "Ich wohne in Hamburg mit meiner Frau Lena",
            "Hamburg",
            "Kiel",
            "Ich wohne in Kiel mit meiner Frau Lena",
        ),
    ],
)
def test_a_value_that_is_past_leaves_a_whole_sentence(text, value, instead, left):
    assert without_value(text, value, instead, "user") == left


def test_what_a_change_left_changes_with_the_next_one():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        for text in (
            "Our wedding is on 14 June at the old mill near Kendal",
            "The wedding is now on 21 June",
            "The wedding moved again, it's 28 June now",
        ):
            memory.add(text, thread_id="1")
        known = [fact.statement for fact in memory.facts()]

    assert "Our wedding is on 28 June at the old mill near Kendal" in known
    assert not any("14" in each or "21" in each for each in known)


def test_an_age_given_by_name_is_past_in_the_words_that_told_it():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        for text in ("I've got a dog, a grumpy 9 year old beagle called Otto", "Otto is 10 now"):
            memory.add(text, thread_id="1")
        known = [fact.statement for fact in memory.facts()]

    assert "I've got a dog, a grumpy 10 year old beagle called Otto" in known
    assert not any("9" in each for each in known)


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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Der Traktor ist ein Fendt 312, Baujahr 2016.",
            "Den Fendt hab ich verkauft, wir haben jetzt einen Deutz-Fahr 6130.",
        ),
        (
            "Mein Rad ist ein Canyon Endurace 7, das hab ich gebraucht gekauft",
            "Das Canyon ist verkauft, ich fahre jetzt ein Rose Reveal 6.",
        ),
        (
            "My phone is a Pixel 6, I bought it in Leeds.",
            "I lost it, my phone is a Galaxy 24 now",
        ),
    ],
)
def test_the_number_of_one_name_is_not_put_behind_another(old, new):
    assert value_changes(old, new) == []
    assert not any(
        each in (remainder(old, new) or "") for each in ("6130", "Endurace 6", "Pixel 24")
    )


def test_a_number_behind_the_same_name_changes():
    assert value_changes("We sit in Room 12 now", "We moved to Room 14") == [("12", "14")]


def test_a_list_that_loses_its_first_is_not_what_it_counted():
    old = "I have two boys, Finn who is 9 and Oisin who just turned 6"

    assert remainder(old, "Finn is 10 now") is None


async def test_what_is_left_of_a_statement_is_not_quoted():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "mia", "thread_id": "1"}}
    for text in ("Theo is 7 and in second grade.", "Theo is 8 now.", "Which grade is Theo in?"):
        state = await graph.ainvoke({"messages": [HumanMessage(text)]}, config)

    assert "Theo is 8 and in second grade" in state["messages"][-1].text
    assert "“Theo is 8" not in state["messages"][-1].text
