"""Sentences: splitting, and the words that carry meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import content_words, shorten, spelt_out


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("It works. Thanks!", ("It works.", "Thanks!"), id="two sentences"),
        pytest.param("Ask Dr. Okafor at 9.30.", ("Ask Dr. Okafor at 9.30.",), id="title, time"),
        pytest.param("- milk\n2. eggs", ("- milk", "2. eggs"), id="list items"),
        pytest.param("Run\n```\nrm -rf x\n```\nnow", ("Run", "now"), id="code block"),
        pytest.param("See\n```python\nx = 1", ("See",), id="code block without an end"),
        pytest.param("👍 … !", (), id="no words"),
    ],
)
def test_split_sentences(text: str, sentences: tuple[str, ...]) -> None:
    assert split_sentences(text) == sentences


def test_words_of_chat_are_spelt_out_in_english_alone():
    assert spelt_out("wot car do i drive") == "what car do i drive"
    assert spelt_out("whens ur bday") == "when's your birthday"
    assert spelt_out("wer ist im haus") == "wer ist im haus"


def test_content_words_leave_out_the_small_ones() -> None:
    assert content_words("I don't like the OLD kitchen's floor") == ("old", "kitchen's", "floor")


@given(st.text(), st.integers(2, 40))
def test_shortening_keeps_to_the_limit_and_to_whole_characters(text: str, limit: int) -> None:
    short = shorten(text, limit)

    assert len(short) <= limit
    assert short == text or text.startswith(short[:-1])


def test_shortening_cuts_between_words() -> None:
    assert shorten("ein wunderschöner Morgen", 20) == "ein wunderschöner…"
