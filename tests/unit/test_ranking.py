import pytest
from pydantic import ValidationError

from memory_graph.policies import RankingWeights
from memory_graph.ranking import score, score_fit, score_importance, score_recency
from memory_graph.records import SIGNALS

WEIGHTS = RankingWeights(lexical=0.6, vector=0.5, pinned=0.1, half_life_days=10)


def test_the_parts_add_up_to_the_score():
    scored = score({"lexical": 0.5, "vector": 0.25, "pinned": 1.0}, WEIGHTS)

    assert scored.parts == pytest.approx({"lexical": 0.3, "vector": 0.125, "pinned": 0.1})
    assert scored.score == pytest.approx(sum(scored.parts.values()))


def test_without_vectors_words_take_their_weight_over():
    assert score({"lexical": 1.0}, WEIGHTS).score == pytest.approx(1.1)
    assert score({"lexical": 1.0, "vector": 0.0}, WEIGHTS).score == pytest.approx(0.6)


@pytest.mark.parametrize("signal", [s for s in SIGNALS if s != "asks"])
def test_more_of_a_signal_never_lowers_a_score(signal):
    low, high = ({"vector": 0.0, signal: value} for value in (0.2, 0.8))

    assert score(low, WEIGHTS).score < score(high, WEIGHTS).score


def test_a_question_ranks_below_a_statement_that_matches_as_well():
    asked, told = ({"lexical": 0.5, "asks": value} for value in (1.0, 0.0))

    assert score(asked, WEIGHTS).score < score(told, WEIGHTS).score


def test_importance_recency_and_pin_together_do_not_outweigh_a_full_match():
    eager = {"lexical": 0.0, "vector": 0.0, "importance": 1.0, "recency": 1.0, "pinned": 1.0}
    exact = {"lexical": 0.8, "vector": 0.8}

    assert score(eager, WEIGHTS).score < score(exact, WEIGHTS).score


@pytest.mark.parametrize(
    ("age_days", "recency"),
    [
        pytest.param(0, 1.0, id="just now"),
        pytest.param(10, 0.5, id="one half-life"),
        pytest.param(20, 0.25, id="two half-lives"),
    ],
)
def test_recency_halves_with_every_half_life(age_days, recency):
    assert score_recency(age_days, WEIGHTS) == pytest.approx(recency)


@pytest.mark.parametrize(("importance", "share"), [(1, 0.0), (3, 0.5), (5, 1.0)])
def test_importance_becomes_a_share(importance, share):
    assert score_importance(importance) == share


@pytest.mark.parametrize(
    "setting",
    [{"lexical": -0.1}, {"asks": 0.1}, {"half_life_days": 0}, {"unknown": 1}],
    ids=["negative weight", "reward for questions", "no half-life", "unknown signal"],
)
def test_weights_that_make_no_sense_are_refused(setting):
    with pytest.raises(ValidationError):
        RankingWeights.model_validate(setting)


def test_memories_of_different_kinds_are_compared_by_their_own_words_and_meaning():
    assert score_fit(1.0, 1.0, 1.0) == pytest.approx(1.0)
    assert score_fit(1.0, 0.8, 0.0) > score_fit(0.0, 0.3, 1.0)
