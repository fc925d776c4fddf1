import pytest

from memory_graph.language.sentences import (
    put_name,
    relatives_asked,
    split_question,
    topic_of,
)


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
