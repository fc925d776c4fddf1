from datetime import timedelta
from itertools import pairwise

import pytest

from memory_graph.patterns.briefing import Briefing, open_steps, render_briefing, task_of
from tests.examples import NOON, a_fact, a_pattern, an_episode

BRIEFING = Briefing(
    failures=(an_episode("ep-1", lessons=("Check the token first.",)),),
    antipatterns=(a_pattern("deploy-on-friday", kind="antipattern", occurrences=4),),
    patterns=(a_pattern("check-the-token", successes=9, occurrences=10),),
    next_steps=("Rotate the key",),
    facts=(a_fact(),),
)


def test_steps_of_an_episode_that_was_continued_are_not_open():
    first = an_episode("ep-1", next_steps=("write it",))
    second = an_episode(
        "ep-2",
        parent_episode_id="ep-1",
        ended_at=NOON + timedelta(hours=1),
        next_steps=("test it", "ship it"),
    )

    assert open_steps([first, second], 5) == ("test it", "ship it")
    assert open_steps([first, second], 1) == ("test it",)


def test_a_briefing_starts_with_warnings():
    lines = render_briefing(BRIEFING, budget=1000, count=len).splitlines()

    assert [line for line in lines if line.endswith(":")] == [
        "Failed recently:",
        "Failed more often than not:",
        "Worked before:",
        "Still to do:",
        "Who this is for:",
    ]
    assert "Lesson: Check the token first." in lines[2]


def test_a_briefing_keeps_to_its_budget_and_has_no_heading_alone():
    for budget in range(10, 900, 7):
        told = render_briefing(BRIEFING, budget=budget, count=len)
        lines = told.splitlines()

        assert len(told) <= budget
        assert not any(a.endswith(":") and not b.startswith("- ") for a, b in pairwise(lines))


def test_nothing_to_say_is_nothing():
    assert render_briefing(Briefing(), budget=1000, count=len) == ""


@pytest.mark.parametrize(
    ("request_", "task"),
    [
        ("deploy the service", "deploy the service"),
        ("Please, can you help deploy the service?", "deploy the service?"),
        ("I'd like to deploy now.", "to deploy"),
        ("Help, please!", "Help, please!"),
    ],
)
def test_the_words_that_only_ask_are_no_part_of_the_task(request_, task):
    assert task_of(request_) == task
