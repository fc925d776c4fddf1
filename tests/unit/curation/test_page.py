"""A page of memory, by whom or what it is about."""

import pytest
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory
from memory_graph.curation.page import without_subject
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import NOON, a_fact


async def test_facts_are_grouped_by_whom_they_are_about() -> None:
    store = InMemoryStore()
    memory = memory_of(Owner("ana"), store)
    about = {"entity": "Andreas", "entity_kind": "husband"}
    facts = [
        a_fact("1", "The user's husband Andreas is allergic to nuts.", **about),
        a_fact("2", "The user lives in Lisbon."),
        a_fact("3", "Andreas works as a baker.", **about),
        a_fact("4", "The user's cat Luna is 4 years old.", entity="Luna", entity_kind="cat"),
    ]
    await memory.commit(await memory.facts.puts(facts, NOON))

    page = await Memory(store, user_id="ana").apage()

    assert [notes.title for notes in page] == ["You", "Andreas (husband)", "Luna (cat)"]
    assert {note.text for note in page[1].notes} == {"allergic to nuts", "works as a baker"}
    assert str(page[2]) == "Luna (cat): 4 years old."


async def test_each_line_says_which_words_it_came_of() -> None:
    store = InMemoryStore()
    ana = Memory(store, user_id="ana")
    await ana.aadd("My cat Luna is 3 years old.")

    [luna] = [notes for notes in await ana.apage() if notes.about == "Luna"]

    assert [turn.text for note in luna.notes for turn in note.said][:1] == [
        "My cat Luna is 3 years old."
    ]


@pytest.mark.parametrize(
    ("statement", "about", "kind", "text"),
    [
        ("The user's sister Eva lives in Ulm.", "Eva", "sister", "lives in Ulm"),
        ("Eva\u2019s birthday is in May.", "Eva", "", "birthday is in May"),
        ("The user is called Ana.", "user", "", "Ana"),
        ("Am Montag kommt Eva.", "Eva", "", "Am Montag kommt Eva"),
        ("Eva", "Eva", "", "Eva"),
    ],
)
def test_a_line_leaves_out_whom_it_is_about(
    statement: str, about: str, kind: str, text: str
) -> None:
    assert without_subject(statement, about, kind) == text
