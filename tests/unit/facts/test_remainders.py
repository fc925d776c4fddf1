"""A correction takes its own part of a statement, and leaves the rest."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph
from memory_graph.facts.writing import remainder


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
            "Das große Fest ist … Mai im Garten bei Oma Lotte",
        ),
        (
            "draft by the 20th for Ines and her whole advisory board in Porto, slides on the 27th",
            "Ines wants the draft on the 24th, slides stay the 27th",
            "draft by the … for Ines and her whole advisory board in Porto, slides on the 27th",
        ),
        ("Our budget is 14000 euros.", "The budget is 18000 euros now.", None),
    ],
)
def test_only_the_value_that_changed_goes(old, new, left):
    assert remainder(old, new) == left


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
