"""Episodes in lines."""

from memory_graph.episodes.rendering import render_detail, render_line
from tests.examples import an_episode


def test_the_line_of_the_source_names_day_quality_goal_and_outcome() -> None:
    known = an_episode(
        "ep-1", "CI repair", goal="Get CI green again", quality="high", outcome="success"
    )
    untold = an_episode("ep-2", "CI repair")

    line = f"- ({known.date_iso}, episode, high) Get CI green again. Outcome: success"
    assert render_line(known) == line
    assert line in render_detail(known)
    assert "(2026-11-16, episode, medium) CI repair. Outcome: unknown" in render_line(untold)
