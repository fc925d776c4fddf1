from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from memory_graph.language.times import find_time_phrase
from memory_graph.policies import RecallPolicy
from memory_graph.recall.search import plan_recall, plan_stages
from memory_graph.recall.verdict import judge_recall
from tests.examples import NOON

UTC_ZONE = ZoneInfo("UTC")

GRADES = ("none", "implicit", "explicit")
POLICY = RecallPolicy(found_min=0.4, weak_min=0.2)


@pytest.mark.parametrize(
    ("best", "found"),
    [
        pytest.param(0.4, "found", id="at the bound"),
        pytest.param(0.396, "found", id="shown as the bound"),
        pytest.param(0.39, "weak", id="just below"),
        pytest.param(0.2, "weak", id="at the lower bound"),
        pytest.param(0.19, "none", id="below both"),
        pytest.param(0.0, "none", id="nothing at all"),
    ],
)
def test_the_best_hit_decides(best, found):
    verdict = judge_recall(best, POLICY)

    assert (verdict.found, verdict.threshold, verdict.reason) == (found, 0.4, "relevance")
    assert verdict.best == round(best, 2)


@pytest.mark.parametrize(
    ("reach", "found"),
    [("asked", "found"), ("around", "weak"), ("anytime", "none")],
)
def test_without_a_topic_only_the_time_decides(reach, found):
    verdict = judge_recall(0.0, POLICY, at_the_time=reach)

    assert (verdict.found, verdict.reason) == (found, "time")


def test_the_more_the_past_is_asked_for_the_more_the_recent_counts():
    weights = [plan_recall(grade, RecallPolicy()).recency_weight for grade in GRADES]

    assert weights == sorted(weights)
    assert len(set(weights)) == len(GRADES)


def test_a_time_asked_about_without_a_topic_is_widened_step_by_step():
    phrase = find_time_phrase("What did we discuss yesterday?", now=NOON, zone=UTC_ZONE)

    asked, around, anytime = plan_stages(phrase, is_for_anything=True)

    assert (asked.filters, around.filters, anytime.filters) == (True, True, False)
    assert around.start == asked.start - timedelta(days=1)
    assert around.end == asked.end + timedelta(days=1)
    assert (anytime.start, anytime.end) == (asked.start, asked.end)


@pytest.mark.parametrize("text", ["Who did I meet in March?", "What can I watch tonight?"])
def test_any_other_time_only_boosts(text):
    phrase = find_time_phrase(text, now=NOON, zone=UTC_ZONE)

    [stage] = plan_stages(phrase)

    assert not stage.filters
    assert stage.start is not None


def test_without_a_time_one_looks_everywhere():
    [stage] = plan_stages(None)

    assert (stage.start, stage.end, stage.filters) == (None, None, False)
