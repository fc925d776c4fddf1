"""Questions that share words with what is known, and ask for something else."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph

TOLD = (
    "Hi, I'm Tom and I live in Leeds.",
    "My sister Kate lives in Hull.",
    "We got a dog called Biscuit, he's a beagle.",
    "I sold the van, got 3900 for it.",
    "My supplier of jeans is Textiles Romero.",
)


@pytest.fixture(scope="module")
def ask():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "tom", "thread_id": "1"}}

    def say(text):
        said = {"messages": [HumanMessage(text)]}
        return graph.invoke(said, config)["messages"][-1].text

    for text in TOLD:
        say(text)
    return say


@pytest.mark.parametrize(
    "question",
    ["What's my brother's name?", "What's my cat called?", "What is my blood type?"],
)
def test_what_was_never_told_is_not_answered_with_something_else(ask, question):
    assert ask(question) == "I don't know that yet."


def test_a_relative_of_a_relative_is_not_the_relative(ask):
    assert ask("What's my sister's husband called?").startswith("I'm not sure")


def test_somebody_elses_name_is_not_asked_for_as_the_users(ask):
    assert "Tom" not in ask("What is my friend called?")
    assert ask("Do you remember what I'm called?") == "You are called Tom."


def test_a_relative_who_is_only_mentioned_is_not_what_is_asked_of(ask):
    asked = "My aunt is visiting, what must she know about my supplier of jeans?"

    assert "Romero" in ask(asked)


def test_what_was_told_is_still_answered(ask):
    assert "Kate" in ask("What is my sister's name?")
    assert "Tom" in ask("What is my name?")
    assert "Leeds" in ask("Where do I live?")


@pytest.mark.parametrize("text", ["How are you doing today?", "Wie geht es dir heute?"])
def test_small_talk_with_a_time_in_it_recalls_nothing(ask, text):
    assert "told" not in ask(text)


def test_pets_are_told_whatever_they_are_called():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "ina", "thread_id": "1"}}

    def say(text):
        return graph.invoke({"messages": [HumanMessage(text)]}, config)["messages"][-1].text

    say("Ich hab zwei Meerschweinchen, Krümel und Flocke, und einen Wellensittich namens Hansi.")
    say("Meine Schwester Lea studiert Tiermedizin in Gießen.")
    assert "Krümel" in say("Welche Haustiere habe ich?")
    say("Flocke ist gestern leider gestorben.")
    assert "Hansi" in say("Welche Haustiere habe ich noch?")


def test_work_is_told_that_is_not_called_work():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "nell", "thread_id": "1"}}

    def say(text):
        return graph.invoke({"messages": [HumanMessage(text)]}, config)["messages"][-1].text

    say("I'm Nell, I run a little flower shop on Gloucester Road in Bristol.")
    say("I can't eat gluten, coeliac since I was nine.")
    assert "flower shop" in say("and what do i do for work")


def test_a_relative_is_also_known_by_name():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "jo", "thread_id": "1"}}

    def say(text):
        return graph.invoke({"messages": [HumanMessage(text)]}, config)["messages"][-1].text

    say("Meine Schwester Lea studiert Tiermedizin in Gießen.")
    say("Lea hat übrigens am 3. September Geburtstag, da wird sie 23.")
    say("Ich fahre jeden Tag mit dem Rad.")
    assert "23" in say("Wie alt ist meine Schwester?")


RELATIVES = (
    "My brother Sam lives in Ghent with his girlfriend.",
    "My dad is allergic to penicillin.",
    "Ma belle-mère Odile arrive samedi.",
)


@pytest.fixture(scope="module")
def ask_of_relatives():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "eva", "thread_id": "1"}}

    def say(text):
        return graph.invoke({"messages": [HumanMessage(text)]}, config)["messages"][-1].text

    for text in RELATIVES:
        say(text)
    return say


@pytest.mark.parametrize(
    "question",
    [
        "What's Sam's girlfriend called?",
        "What is Sam's wife called?",
        "What was my dad's job?",
        "Comment s'appelle ma mère ?",
    ],
)
def test_a_relative_who_was_not_named_is_not_given_a_name(ask_of_relatives, question):
    doubts = ("I'm not sure", "I don't know", "Je ne suis pas sûr", "Je ne le sais pas")
    assert ask_of_relatives(question).startswith(doubts)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What is my brother called?", "Sam"), ("What is my dad allergic to?", "penicillin")],
)
def test_a_relative_who_was_named_is_still_told(ask_of_relatives, question, answer):
    told = ask_of_relatives(question)
    assert answer in told
    assert not told.startswith("I'm not sure")
