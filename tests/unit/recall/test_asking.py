from zoneinfo import ZoneInfo

import pytest
from langgraph.store.memory import InMemoryStore

from memory_graph.recall.questions import Asked, read_question
from memory_graph.recall.search import by_name
from memory_graph.records import FactVersion
from memory_graph.store.collection import Found
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import NOON, a_fact


async def read(text: str) -> Asked:
    memory = memory_of(Owner("ana"), InMemoryStore())
    query = await memory.query(text, NOON)
    return await read_question(query, memory.scope.embedder, NOON, ZoneInfo("UTC"))


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("what's my name?", "name"),
        ("¿Cómo me llamo?", "name"),
        ("Where do I live?", "city"),
        ("Worauf bin ich allergisch?", "allergy"),
        ("wat do u know abt me", "me"),
        ("Who am I?", "me"),
        ("¿Qué sabes de mí?", "me"),
        ("What is my mum allergic to?", None),
        ("What did we decide about the roof?", None),
    ],
)
async def test_a_question_about_the_profile_is_known_in_any_language(text, attribute):
    assert (await read(text)).attribute == attribute


@pytest.mark.parametrize(
    ("text", "is_for_anything"),
    [
        ("What did we do yesterday?", True),
        ("Recap last week", True),
        ("¿De qué hablamos la semana pasada?", True),
        ("Was hab ich dir gestern erzählt?", True),
        ("What did the doctor change last month?", False),
        ("What did we decide about the roof yesterday?", False),
    ],
)
async def test_a_time_without_a_topic_asks_for_whatever_was_said_then(text, is_for_anything):
    asked = await read(text)

    assert asked.phrase is not None
    assert asked.is_for_anything == is_for_anything


@pytest.mark.parametrize("text", ["I moved to Hamburg last week.", "lol ok thx", ""])
async def test_a_message_that_asks_nothing_has_no_phrase_and_no_topic_asked(text):
    asked = await read(text)

    assert not asked.asks
    assert asked.phrase is None


def test_a_relative_is_called_by_a_name_that_was_told_with_what_is_past():
    told = FactVersion(statement="My husband Omar works at Ford.", valid_from=NOON, valid_to=NOON)
    fact = a_fact(statement="Omar was laid off.", own_words=True, history=(told,))

    assert by_name("Where does my husband work?", [Found(fact, 0.5, {})]) == "Where does Omar work?"
