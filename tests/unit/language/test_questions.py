import pytest

from memory_graph.language.questions import asks_yes_or_no, split_question, topic_of
from memory_graph.language.relatives import put_name, relatives_asked
from memory_graph.language.requests import asks_to_remember, wants_to_look_back
from memory_graph.language.words import language_of
from memory_graph.reading import read_message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("How old is Luna?", ["How old is Luna?"]),
        ("How old is Luna, and where do I live?", ["How old is Luna", "where do I live?"]),
        ("Who came? When did they leave?", ["Who came? When did they leave?"]),
        ("What did Tom and Ann decide?", ["What did Tom and Ann decide?"]),
        ("I moved to Rome and how are you?", ["I moved to Rome and how are you?"]),
        ("Which is it, red or blue?", ["Which is it, red or blue?"]),
    ],
    ids=str,
)
def test_a_message_is_split_only_into_questions(text: str, parts: list[str]) -> None:
    assert split_question(text) == parts


@pytest.mark.parametrize(
    ("text", "phrase", "topic"),
    [
        ("What did we decide yesterday?", "yesterday", ""),
        ("What did you tell me about the deploy last week?", "last week", "deploy"),
        ("Remind me what we talked about on Monday", "on Monday", ""),
        ("What was the name of that hotel?", None, "name hotel"),
        ("I forgot which hotel we booked", None, "hotel booked"),
    ],
    ids=str,
)
def test_the_topic_is_what_is_left_of_a_question(text: str, phrase: str, topic: str) -> None:
    assert topic_of(text, phrase) == topic


def test_a_relative_is_called_by_name_and_nothing_else_is():
    brother = relatives_asked("Where does my brother work?")[0]
    assert put_name("Where does my brother work?", brother, "Callum") == "Where does Callum work?"
    assert put_name("Where does Callum work?", brother, "Callum") == "Where does Callum work?"


@pytest.mark.parametrize(
    "text",
    [
        "is #88 still open",
        "is the john deere workin again",
        "has the deploy been fixed",
        "ok, are we still on for friday",
        "am I allergic to peanuts",
        "do I work in Turku",
        "have I told you about Elisa",
        "ist der Fehler noch offen",
        "est-ce que le ticket est encore ouvert",
        "is de oven al gemaakt",
    ],
)
def test_the_order_of_words_makes_a_question(text):
    assert asks_yes_or_no(text)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lisbon",
        "was the best day ever",
        "will be in Rome till Friday",
        "can't eat gluten",
        "do it for all of them",
        "have a dog called Rex",
        "Bin Tischlermeisterin in Flensburg",
    ],
)
def test_a_statement_without_its_subject_is_no_question(text):
    assert not asks_yes_or_no(text)


@pytest.mark.parametrize(
    "text",
    [
        "Remember what we talked about?",
        "summarise the decisions so far",
        "fass die Entscheidungen zusammen",
        "resume las decisiones",
        "résume les décisions",
        "riassumi le decisioni",
        "resume as decisões até agora",
        "vat de beslissingen samen",
        "总结一下目前的决定",
        "決定事項をまとめて",
    ],
)
def test_what_was_said_is_asked_for_without_a_question_mark(text):
    assert wants_to_look_back(text)
    assert not asks_to_remember(text, language_of(text))


@pytest.mark.parametrize(
    "text",
    ["summarise this article for me", "Remember that the code is 4711", "recuerda que es 4711"],
)
def test_a_request_that_needs_no_memory_looks_back_on_nothing(text):
    assert not wants_to_look_back(text)


async def test_the_form_of_a_question_counts_more_than_its_letters():
    for text in ("is #88 still open", "summarise the decisions so far"):
        heads = (await read_message(text)).whole
        assert heads.question >= 0.9
        assert max(heads.durable, heads.outcome) <= 0.2
