import pytest

from memory_graph.cli.output import decision_line, event_line
from memory_graph.records import MemoryDecision


@pytest.mark.parametrize(
    ("decision", "line"),
    [
        pytest.param(
            MemoryDecision(kind="fact", action="update", reason="key_match", memory_id="a:b"),
            "updated a:b (key_match)",
            id="by key",
        ),
        pytest.param(
            MemoryDecision(
                kind="fact",
                action="update",
                reason="similar_fact",
                memory_id="fact-1",
                scores={"similarity": 0.95},
                thresholds={"auto": 0.92, "low": 0.7},
            ),
            "updated fact-1 (similar_fact; similarity 0.95 ≥ 0.92)",
            id="by similarity",
        ),
        pytest.param(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason="cooldown",
                scores={"notability": 0.6, "turns_since_last": 1, "minutes_since_last": 2},
                thresholds={"cooldown_turns": 3, "cooldown_minutes": 10},
            ),
            "episode skipped: cooldown (turns_since_last 1 < 3, minutes_since_last 2 < 10)",
            id="cooling down",
        ),
        pytest.param(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason="quota",
                scores={"captured_today": 5},
                thresholds={"max_per_day": 5},
            ),
            "episode skipped: quota (5 of 5 today)",
            id="quota",
        ),
        pytest.param(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason="pure_fact_update",
                scores={"notability": 0.5},
                thresholds={"notability_min": 0.5},
            ),
            "episode skipped: pure_fact_update",
            id="notable enough, and skipped for what it is",
        ),
        pytest.param(
            MemoryDecision(kind="fact", action="skip", reason="question_only"),
            "fact skipped: question_only",
            id="without scores",
        ),
    ],
)
def test_a_decision_shows_the_scores_it_was_based_on(decision, line):
    assert decision_line(decision) == line


def test_an_outage_names_the_node_that_failed():
    event = {"event": "memory.gave_up", "node": "memory_context", "error": "TimeoutError"}

    assert event_line(event) == (
        "memory_context failed (TimeoutError); the reply continues without it"
    )


def test_internal_events_have_no_line():
    assert event_line({"event": "something.else"}) is None


@pytest.mark.parametrize(
    ("judged", "why"),
    [
        ({"found": "found", "best": 0.41}, "found 0.41 ≥ 0.41"),
        ({"found": "weak", "best": 0.4}, "weak 0.40 < 0.41"),
        ({"found": "found", "best": 0.16, "reason": "time"}, "found by its time"),
    ],
    ids=["relevant", "not relevant enough", "said at the time asked about"],
)
def test_a_search_shows_what_decided_it(judged, why):
    event = {"event": "memory.search", "facts": 2, "episodes": 1, "milliseconds": 12.0}

    line = event_line({**event, "threshold": 0.41, **judged})

    assert line == f"recalled 2 facts, 1 episode: {why} in 12 ms"
