"""A request to forget ends the key and the words beside it, in any language."""

import pytest
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory


@pytest.mark.parametrize(
    ("told", "request_", "left"),
    [
        (["I can't stand coriander"], "forget that I can't stand coriander", []),
        (
            ["My colleague Jules is annoying. He keeps stealing my lunch.", "Jules is moving away"],
            "Forget about Jules",
            [],
        ),
        (
            ["I'm allergic to penicillin, found out the hard way at 12"],
            "forget that I'm allergic to penicillin",
            [],
        ),
        (
            ["I work at Siemens as a welder, night shifts mostly"],
            "please forget where I work",
            ["I work as a welder, night shifts mostly", "The user works as a welder."],
        ),
        (
            ["Ich kann Koriander nicht ausstehen"],
            "Vergiss, dass ich Koriander nicht ausstehen kann",
            [],
        ),
        (
            ["Ich wohne in Hamburg mit meiner Frau Lena"],
            "Vergiss, dass ich in Hamburg wohne",
            ["Ich wohne mit meiner Frau Lena"],
        ),
        (["Mein Sohn Jules spielt Cello und ist 7"], "Vergiss Jules", []),
        (["No soporto el cilantro"], "Olvida que no soporto el cilantro", []),
        (
            ["Vivo en Sevilla con mi hermana Carmen"],
            "Olvida que vivo en Sevilla",
            ["Vivo con mi hermana Carmen"],
        ),
        (["Mi hijo Julio toca el violín"], "Olvida a Julio", []),
    ],
)
def test_a_request_to_forget_leaves_nothing_of_what_it_names(told, request_, left):
    with Memory(InMemoryStore(), user_id="mia") as memory:
        for text in told:
            assert memory.add(text, thread_id="1")
        assert memory.facts()

        memory.add(request_, thread_id="1")

        assert sorted(fact.statement for fact in memory.facts()) == left


def test_a_request_to_forget_a_key_leaves_what_only_shares_a_word_with_it():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add("I work at Siemens.", thread_id="1")
        memory.add("My sister Ana works at Bosch.", thread_id="1")

        memory.add("forget where I work", thread_id="1")

        known = [fact.statement for fact in memory.facts()]
        assert any("Bosch" in each for each in known)
        assert not any("Siemens" in each for each in known)


def test_a_change_of_one_s_age_is_none_of_another_number():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add("My son Milo is 7 and I have 7 rabbits in the garden.", thread_id="1")
        memory.add("Milo is 8 now.", thread_id="1")

        assert any("7 rabbits" in fact.statement for fact in memory.facts())
