"""What `get_episode` shows of an episode."""

from memory_graph.episodes.rendering import render_detail
from memory_graph.records import Decision
from tests.examples import an_episode


def test_a_decision_is_shown_with_its_reasons():
    decision = Decision(
        id="d001",
        chosen="restart nightly",
        rationale="it buys a week",
        context="the worker leaks",
        options=("restart nightly", "rewrite the cache"),
    )

    shown = render_detail(an_episode(decisions=(decision,)))

    assert "because it buys a week" in shown
    assert "given the worker leaks" in shown
    assert "among restart nightly, rewrite the cache" in shown
