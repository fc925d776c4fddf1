import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.language.words import MAX_WORDS, words_of
from memory_graph.store.index import Context, LexicalIndex

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)
CHANGES = st.lists(st.tuples(st.integers(0, 9), st.none() | WORDS), max_size=40)


def scores(documents, query):
    index = LexicalIndex()
    for row, text in enumerate(documents):
        index.put({row: words_of(text)})
    return index.scores(words_of(query), Context.alone(len(documents)))


def test_a_score_is_the_textbook_bm25():
    index = LexicalIndex(k1=1.2, b=0.75)
    index.put({0: ["cat", "cat", "dog"]})
    index.put({1: ["dog"]})

    rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    assert index.scores(["cat"], Context.alone(2)) == pytest.approx([expected, 0])


def test_a_rare_word_counts_more_than_a_frequent_one():
    documents = ["tea cup", "tea leaf", "tea time", "zebra"]

    found = scores(documents, "tea zebra")

    assert found.argmax() == 3


@pytest.mark.parametrize("query", ["", "the of and", "unknown"])
def test_a_query_without_known_words_scores_nothing(query):
    assert not scores(["tea cup", "zebra"], query).any()


def test_rows_may_leave_gaps():
    index = LexicalIndex()
    index.put({500: ["tea"]})

    found = index.scores(["tea"], Context.alone(501))

    assert found[500] > 0
    assert not found[:500].any()


def test_a_very_long_text_is_indexed_by_its_beginning():
    assert len(words_of("word " * (MAX_WORDS + 10))) == MAX_WORDS


def test_coverage_reads_low_where_most_of_the_query_is_unknown():
    index = LexicalIndex()
    index.put({0: ["tea"]})
    index.put({1: ["cup"]})

    full = index.coverage(["tea"], Context.alone(2))
    partial = index.coverage(["tea", "zebra", "boat"], Context.alone(2))

    assert 0.5 < full[0] <= 1
    assert partial[0] < full[0] / 2
    assert not index.coverage([], Context.alone(2)).any()


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_through_ascii_text_finds_the_same_words(text):
    assert [*words_of(text, "en"), "e"] == words_of(f"{text} é", "en")
