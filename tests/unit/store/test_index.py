import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_graph.embedding import Scale
from memory_graph.language.voices import Voices
from memory_graph.policies import RankingWeights
from memory_graph.ranking import score_recency
from memory_graph.store.index import NamespaceIndex
from memory_graph.store.values import Document, Query, Window

NOW = 1_800_000_000.0
DAY_S = 86_400.0
SCALE = Scale(0.2, 0.5, 0.8)
PLAIN = RankingWeights(importance=0, recency=0, pinned=0)


def document(key, text="tea", **fields):
    return Document(**({"key": key, "text": text, "said_at": NOW} | fields))


def index_of(*documents):
    index = NamespaceIndex(SCALE)
    index.upsert(documents)
    return index


def keys(index, text="tea", limit=10, **fields):
    return [hit.key for hit in index.search(asked(text, **fields), limit)]


def asked(text, **fields):
    return Query(**({"text": text, "now": NOW, "weights": PLAIN} | fields))


def test_the_item_with_the_words_asked_for_comes_first():
    index = index_of(document("a", "We moved to Lisbon."), document("b", "Luna is a cat."))

    assert keys(index, "Where is the cat?") == ["b", "a"]


def test_the_parts_of_a_hit_add_up_to_its_score():
    index = index_of(document("a", vector=[1.0, 0.0], pinned=True))
    query = asked("tea", vector=[1.0, 0.0], weights=RankingWeights())

    hit = index.search(query, 1)[0]

    assert hit.score == pytest.approx(sum(hit.parts.values()))
    assert hit.parts["vector"] == pytest.approx(RankingWeights().vector)
    assert hit.parts["pinned"] == pytest.approx(RankingWeights().pinned)


def test_a_vector_finds_what_words_do_not():
    index = index_of(
        document("a", "Henrik is my manager.", vector=[1.0, 0.0]),
        document("b", "The fence is white.", vector=[0.0, 1.0]),
    )

    assert keys(index, "boss", vector=[0.9, 0.1]) == ["a", "b"]


def test_cosines_of_a_store_take_the_place_of_the_vector():
    index = index_of(document("a"), document("b"), document("c"))

    assert keys(index, cosines={"c": 0.9, "b": 0.4, "gone": 1.0}) == ["c", "b", "a"]


def test_an_unrelated_namespace_scores_low_even_for_its_best_item():
    index = index_of(document("a", "We painted the fence.", vector=[0.0, 1.0]))

    hit = index.search(asked("boss", vector=[1.0, 0.0]), 1)[0]

    assert hit.score == pytest.approx(0.0)


def test_the_answer_to_a_question_is_found_by_the_words_of_the_question():
    turns = ["Where did you adopt the dog?", "In a shelter near Porto!", "Nice.", "See you."]
    index = index_of(
        *[document(str(i), text, group="s", position=i) for i, text in enumerate(turns)],
        document("x", "In a bakery near Porto!"),
    )

    found = keys(index, "dog from Porto")

    assert found.index("1") < found.index("x")


def test_a_long_turn_is_not_found_by_the_words_of_its_neighbour():
    long_text = " ".join(f"word{number}" for number in range(200))
    index = index_of(
        document("0", "The dog is ill.", group="s", position=0),
        document("1", long_text, group="s", position=1),
    )

    hits = {hit.key: hit.parts["lexical"] for hit in index.search(asked("dog"), 2)}

    assert hits["1"] == 0
    assert hits["0"] > 0


def test_the_words_of_the_one_named_come_first():
    index = index_of(document("a", speaker="Ana"), document("t", speaker="tom"))

    assert keys(index, "Tom's tea", voices=Voices(participants=("Ana", "Tom"))) == ["t", "a"]


def test_a_soft_window_puts_its_time_first_and_keeps_the_rest():
    times = {"old": NOW - 90 * DAY_S, "asked": NOW - 30 * DAY_S, "new": NOW}
    index = index_of(*[document(key, said_at=at) for key, at in times.items()])
    window = Window(start=NOW - 33 * DAY_S, end=NOW - 28 * DAY_S)

    assert keys(index, window=window)[0] == "asked"
    assert len(keys(index, window=window)) == 3


def test_a_hard_window_leaves_the_rest_out():
    times = {"before": 9.0, "start": 10.0, "end": 20.0}
    index = index_of(*[document(key, said_at=at) for key, at in times.items()])

    assert keys(index, window=Window(start=10, end=20, mode="hard")) == ["start"]


def test_of_equals_the_latest_comes_first():
    index = index_of(document("old", said_at=NOW - 5), document("new", said_at=NOW))

    assert keys(index) == ["new", "old"]


@pytest.mark.parametrize(
    "better",
    [{"importance": 5}, {"pinned": True}],
    ids=["important", "pinned"],
)
def test_importance_and_pin_decide_between_equals(better):
    index = index_of(document("a", **better), document("b"))

    assert keys(index, weights=RankingWeights()) == ["a", "b"]


def test_what_tells_nothing_is_not_found_and_lends_no_words():
    index = index_of(
        document("asks", "tea?", group="t", position=1, tells=False),
        document("tells", "biscuits", group="t", position=2),
    )

    [hit] = index.search(asked("tea"), 5)

    assert (hit.key, hit.relevance, hit.words) == ("tells", 0.0, 0.0)


def test_a_document_that_comes_to_tell_nothing_leaves_the_index():
    index = index_of(document("a", "tea"))

    index.upsert([document("a", "tea", tells=False)])

    assert index.search(asked("tea"), 5) == []


def test_a_window_finds_what_was_said_in_it_and_what_speaks_of_it():
    day = Window(start=NOW - 3 * DAY_S, end=NOW - 2 * DAY_S, mode="hard")
    index = index_of(
        document("said", said_at=NOW - 2.5 * DAY_S),
        document("spoken of", said_at=NOW, about=(NOW - 3 * DAY_S, NOW - 2 * DAY_S)),
        document("before", said_at=NOW, about=(NOW - 4 * DAY_S, NOW - 3 * DAY_S)),
        document("neither", said_at=NOW),
    )

    hits = index.search(asked("tea", window=day), 5)

    assert {hit.key for hit in hits} == {"said", "spoken of"}


def test_recency_is_what_the_policy_says():
    weights = RankingWeights(recency=0.5, half_life_days=3)
    index = index_of(document("a", said_at=NOW - 7 * DAY_S))

    hit = index.search(asked("tea", weights=weights), 1)[0]

    assert hit.parts["recency"] == pytest.approx(0.5 * score_recency(7.0, weights))


def test_a_pasted_page_is_searched_by_its_rarest_known_words():
    page = " ".join(f"filler{number}" for number in range(500))
    index = index_of(document("a", "zebra"), document("b", "cat"))

    hit = index.search(asked(f"{page} zebra"), 1)[0]

    assert hit.key == "a"
    assert hit.parts["lexical"] > 0.5


def test_a_replaced_item_is_found_by_its_new_text_only():
    index = index_of(document("a", "cat", vector=[1.0, 0.0]), document("b", "bird"))

    index.upsert([document("a", "dog")])

    hit = index.search(asked("cat", vector=[1.0, 0.0]), 1)[0]
    assert hit.score == 0
    assert keys(index, "dog")[0] == "a"
    assert len(index) == 2


def test_a_removed_item_is_gone_and_its_place_is_used_again():
    index = index_of(document("a", "cat"), document("b", "dog"))

    index.remove(["a", "unknown"])
    index.upsert([document("c", "bird")])

    assert sorted(keys(index, "cat")) == ["b", "c"]
    assert keys(index, "bird")[0] == "c"


@pytest.mark.parametrize("vector", [None, [1.0, 0.0]])
def test_an_empty_index_finds_nothing(vector):
    assert keys(NamespaceIndex(SCALE), vector=vector) == []


def test_the_limit_is_kept():
    index = index_of(*[document(str(number)) for number in range(200)])

    assert len(keys(index, limit=7)) == 7


def test_a_vector_of_another_length_is_refused_before_anything_changes():
    index = index_of(document("a", vector=[1.0, 0.0]))

    with pytest.raises(ValueError, match="length 2, got 3"):
        index.upsert([document("b", vector=[1.0, 0.0, 0.0])])

    assert len(index) == 1


WORDS = st.lists(st.sampled_from(["cat", "dog", "tea", "rain", "boat"]), max_size=6).map(" ".join)
DOCUMENTS = st.builds(
    lambda key, text, **fields: document(key, text, position=ord(key), **fields),
    st.sampled_from("abcdef"),
    WORDS,
    vector=st.sampled_from([None, [1.0, 0.0], [0.0, 1.0]]),
    speaker=st.sampled_from([None, "Ana"]),
    group=st.sampled_from([None, "s"]),
    said_at=st.integers(0, 10**9).map(float),
)


@settings(deadline=None)
@given(st.lists(DOCUMENTS | st.sampled_from("abcdef"), max_size=20), WORDS)
def test_an_index_changed_step_by_step_answers_like_a_fresh_one(changes, text):
    changed, documents = NamespaceIndex(SCALE), {}
    for change in changes:
        if isinstance(change, str):
            changed.remove([change])
            documents.pop(change, None)
        else:
            changed.upsert([change])
            documents[change.key] = change
    fresh = index_of(*documents.values())
    query = asked(text, vector=[1.0, 0.0], weights=RankingWeights())

    before, after = ({h.key: h.score for h in i.search(query, 10)} for i in (changed, fresh))

    assert before.keys() == after.keys()
    for key, value in before.items():
        np.testing.assert_allclose(value, after[key], atol=1e-6)


@settings(deadline=None)
@given(st.lists(st.lists(DOCUMENTS, max_size=8), max_size=4), WORDS)
def test_many_documents_at_once_answer_as_one_by_one(batches, text):
    at_once, one_by_one = NamespaceIndex(SCALE), NamespaceIndex(SCALE)
    for batch in batches:
        at_once.upsert(batch)
        for each in batch:
            one_by_one.upsert([each])
    query = asked(text, vector=[1.0, 0.0], weights=RankingWeights())

    assert at_once.search(query, 10) == one_by_one.search(query, 10)
    assert at_once.nearest([0.0, 1.0], 10) == one_by_one.nearest([0.0, 1.0], 10)
    assert at_once.latest(10) == one_by_one.latest(10)
    assert at_once.speakers() == one_by_one.speakers()
