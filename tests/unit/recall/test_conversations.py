"""Short conversations without a model, as new users have them."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph


def talk(*said: str) -> str:
    """Say everything in one thread, and return the last reply."""
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "ana", "thread_id": "one"}}
    for text in said:
        state = graph.invoke({"messages": [HumanMessage(text)]}, config)
    return str(state["messages"][-1].text)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param(
            ("I live in Porto.", "I've moved to Lisbon now.", "Where did I live before?"),
            "Porto",
            id="before",
        ),
        pytest.param(
            (
                "Ich wohne in Leipzig.",
                "Wir sind nach Halle gezogen.",
                "Wo habe ich vorher gewohnt?",
            ),
            "Leipzig",
            id="before, in German",
        ),
        pytest.param(
            ("meine Frau Katrin ist Lehrerin", "What's my wife called?"),
            "Katrin",
            id="another language",
        ),
        pytest.param(
            ("i drive a old corsa", "hate mondays", "wot car do i drive"),
            "corsa",
            id="chat spelling",
        ),
        pytest.param(
            ("miete is 380 warm", "ne warte, 410 warm, die 380 waren kalt", "was zahl ich warm"),
            "410",
            id="a correction of what was just said",
        ),
        pytest.param(
            (
                "doc says my cholesterol is 6.8",
                "cholesterol down to 5.9",
                "what's my cholesterol now?",
                "what was it before?",
            ),
            "6.8",
            id="a question that goes on from the one before",
        ),
        pytest.param(
            (
                "I live in Porto.",
                "I've moved to Lisbon now.",
                "Where do I live?",
                "and before that?",
            ),
            "You lived in Porto.",
            id="only what was before",
        ),
        pytest.param(
            ("my missus Karen's a dental nurse", "what's my wife called?"),
            "Karen",
            id="another word for a relative",
        ),
        pytest.param(
            ("We're marrying at the town hall on 3 April.", "when are we getting married?"),
            "3 April",
            id="a marriage is no wife",
        ),
    ],
)
def test_a_question_is_answered(said: tuple[str, ...], told: str):
    assert told in talk(*said)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("thanks, bye", "You're welcome. Goodbye!"),
        ("danke, tschüss", "Gern geschehen. Tschüss!"),
        ("gracias, hasta mañana", "De nada. ¡Hasta luego!"),
    ],
)
def test_small_talk_is_not_noted(said: str, reply: str):
    assert talk("I live in Porto.", said) == reply


def test_a_statement_about_a_birthday_is_not_taken_for_a_question():
    assert talk("hola, soy Marta", "el sábado que viene es el cumple de mi madre") == "Anotado."


def test_a_message_without_a_language_is_answered_in_that_of_those_before():
    assert talk("Wir haben die Wohnung bekommen!", "Kaltmiete 890") == "Notiert."


def test_who_introduces_themselves_at_length_is_not_told_that_nothing_is_known():
    told = (
        "So I was told to introduce myself: I'm Patrick, originally from Cork but based in Leeds"
        " these days, where I teach woodwork to teenagers at a comprehensive called Roundhay."
    )

    assert "Roundhay" in talk(told, "where do I work?")


@pytest.mark.parametrize("question", ["When is the dentist's deadline?", "whens my bday"])
def test_what_no_line_tells_is_told_as_uncertain_at_most(question: str):
    told = (
        "The dentist is a pain, he wants comic sans.",
        "Hannah moved the deadline of the logo to the 24th.",
        "hate mondays",
    )

    assert talk(*told, question).startswith(("I'm not sure", "I don't know"))


def test_who_asks_for_the_family_is_told_of_all_who_are_known():
    reply = talk(
        "My sister Ruth lives in Fargo.", "My brother is called Raj.", "Who is in my family?"
    )

    assert ["Ruth" in reply, "Raj" in reply] == [True, True]


def test_what_is_left_out_of_a_profile_is_counted():
    facts = (
        "I'm Priya.",
        "I live in Bath.",
        "I work as a nurse.",
        "My sister is called Anu.",
        "My brother is called Raj.",
        "I am allergic to nuts.",
        "I play the cello in an orchestra.",
        "My car is a green Mini from 1998.",
        "We get married on 14 August.",
        "My father grows tomatoes on his balcony.",
    )

    assert " more; ask me about anything in particular." in talk(
        *facts, "What do you know about me?"
    )


def test_a_changed_half_of_a_message_does_not_hide_the_other():
    reply = talk(
        "meine Frau Katrin ist Lehrerin, wir haben zwei Kinder, Emil und Frieda",
        "Emil ist 7 und spielt Fußball, Frieda ist 4",
        "Wie heißt meine Frau?",
    )

    assert "Du hast mir gesagt" in reply
    assert "Katrin" in reply


@pytest.mark.parametrize(
    ("told", "question", "reply"),
    [
        ("My sister Kate lives in Hull.", "Which film did I see last?", "I don't know that yet."),
        ("I sold the van, got 3900 for it.", "Who's my landlord?", "I don't know that yet."),
        ("Vendí la Paloma ayer.", "¿Qué libro estoy leyendo?", "Eso todavía no lo sé."),
        (
            "Die Miete beträgt jetzt nur noch 850 Euro.",
            "Was für ein Handy habe ich?",
            "Das hast du mir noch nicht gesagt.",
        ),
    ],
)
def test_what_was_never_told_is_not_answered_with_what_is_nearest(told, question, reply):
    assert talk(told, question).endswith(reply)


def test_an_answer_without_a_word_of_the_question_is_still_told():
    told = ("I have a 2009 Tacoma.", "We moved to Leeds in March.", "I sold the piano.")

    assert "Tacoma" in talk(*told, "What car do I drive?")
