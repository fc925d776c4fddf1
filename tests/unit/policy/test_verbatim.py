from datetime import timedelta

import pytest

from memory_graph.policy.verbatim import VerbatimPolicy, outdated_turns, who_echoes
from memory_graph.records import TurnRecord
from tests.examples import NOON

TURNS = [
    TurnRecord(
        id=f"turn-{day}",
        text="Hello.",
        speaker="user",
        session="t",
        position=-day,
        said_at=NOON - timedelta(days=day),
    )
    for day in range(20)
]


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (VerbatimPolicy(), 20),
        (VerbatimPolicy(max_age_days=5), 6),
        (VerbatimPolicy(max_turns=12), 12),
        (VerbatimPolicy(max_age_days=5, max_turns=12), 6),
    ],
    ids=["defaults", "by age", "by count", "by both"],
)
def test_the_newest_turns_stay(policy: VerbatimPolicy, kept: int) -> None:
    outdated = outdated_turns(TURNS, policy, NOON)

    assert sorted(turn.id for turn in outdated) == sorted(turn.id for turn in TURNS[kept:])


@pytest.mark.parametrize(
    ("asked", "echoing"),
    [
        pytest.param("Where did I park?", {"user", "assistant"}, id="nothing but a question"),
        pytest.param(
            "Hey! Where did I park?", {"user", "assistant"}, id="a greeting tells nothing"
        ),
        pytest.param(
            "My grandma died last week. When did I last see her?",
            {"assistant"},
            id="tells, then asks",
        ),
        pytest.param("What is the capital of Peru?", set(), id="not about the past"),
        pytest.param("I parked at the harbour.", set(), id="no question"),
    ],
)
def test_only_words_that_tell_nothing_new_echo(asked, echoing):
    assert who_echoes(asked) == echoing
