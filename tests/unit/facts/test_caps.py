from datetime import timedelta

import pytest

from memory_graph.facts.keeping import choose_evictions
from tests.examples import NOON, a_fact


def heard(fact_id, days_ago, **given):
    at = NOON - timedelta(days=days_ago)
    return a_fact(fact_id, last_verified_at=at, category="work", **given)


OLD, NEWER, NEW = heard("a", 9), heard("b", 5), heard("c", 1)


@pytest.mark.parametrize(
    ("facts", "just_told", "gone"),
    [
        pytest.param([OLD, NEWER], (), [], id="not full"),
        pytest.param([NEW, OLD, NEWER], (), ["a"], id="the longest unheard of"),
        pytest.param([NEW, heard("a", 9, pinned=True), NEWER], (), ["b"], id="pinned facts stay"),
        pytest.param([NEW, OLD, NEWER], ("a",), ["b"], id="what was just told stays"),
        pytest.param([NEW, OLD, a_fact("d", category="health")], (), [], id="each kind by itself"),
    ],
)
def test_choose_evictions(facts, just_told, gone):
    chosen = choose_evictions(facts, just_told=just_told, most=2)

    assert [fact.id for fact in chosen] == gone
