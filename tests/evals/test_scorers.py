import pytest

from evals.harness.scorers import (
    Counts,
    at_most,
    found_among,
    same_label,
    same_set,
)


@pytest.mark.parametrize(
    ("wanted", "got", "value", "counts"),
    [
        ("keep", "keep", 1.0, Counts(1, 1, 1)),
        ("skip", "keep", 0.0, Counts(0, 1, 0)),
        ("keep", "skip", 0.0, Counts(0, 0, 1)),
        ("skip", "skip", 1.0, Counts()),
    ],
    ids=["hit", "false alarm", "miss", "rightly nothing"],
)
def test_a_label_is_right_or_wrong_and_counts_towards_precision_and_recall(
    wanted, got, value, counts
) -> None:
    verdict = same_label(wanted, got, positive="keep")

    assert (verdict.value, verdict.counts) == (value, counts)


def test_a_wrong_label_says_which_was_wanted() -> None:
    assert same_label("keep", "skip").why == "wanted keep, got skip"


@pytest.mark.parametrize(
    ("wanted", "got", "value", "why"),
    [
        (set(), set(), 1.0, "as labelled"),
        ({"a"}, set(), 0.0, "missing a"),
        (set(), {"b"}, 0.0, "extra b"),
        ({"a", "c"}, {"a", "b"}, 0.5, "missing c; extra b"),
    ],
    ids=["both empty", "missed", "made up", "half"],
)
def test_sets_are_compared_by_f1_and_their_difference_is_named(wanted, got, value, why) -> None:
    verdict = same_set(wanted, got)

    assert (verdict.value, verdict.why) == (value, why)


def test_retrieval_is_the_share_found_within_the_cut_and_says_where_the_rest_is() -> None:
    verdict = found_among({"a", "b", "z"}, ["x", "a", "y", "b"], cut=2)

    assert verdict.value == pytest.approx(1 / 3)
    assert verdict.why == "a at 2, b at 4, z nowhere"


def test_a_ratio_passes_up_to_its_limit_and_falls_in_proportion_above() -> None:
    assert at_most(2.0, 2.0, "turns").passed
    assert at_most(4.0, 2.0, "turns").value == 0.5


@pytest.mark.parametrize(
    ("beta", "better"), [(0.5, "precise"), (2.0, "complete")], ids=["precision", "recall"]
)
def test_beta_says_whether_a_false_alarm_or_a_miss_costs_more(beta, better) -> None:
    scores = {
        "precise": Counts(5, 5, 10).f_score(beta),
        "complete": Counts(10, 20, 10).f_score(beta),
    }

    assert max(scores, key=scores.__getitem__) == better
