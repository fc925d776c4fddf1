import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.patterns.evidence import (
    MOST_EVIDENCE,
    find_problem,
    judge_antipattern,
    observe,
    reassign,
    success_rate,
    take_in,
    trust,
    with_observations,
    withdraw,
    without_observations,
)
from memory_graph.policies import CausalityPolicy
from memory_graph.records import Observation, PatternDraft, Relation
from tests.examples import NOON, a_pattern


def seen(observation_id="o1", success=True, episode_id=None):
    return Observation(id=observation_id, success=success, at=NOON, episode_id=episode_id)


def test_a_pattern_never_tried_has_no_success_rate_and_no_trust():
    assert success_rate(a_pattern()) is None
    assert trust(a_pattern()) == 0


def test_nine_of_ten_is_trusted_more_than_one_of_one():
    lucky = a_pattern(successes=1, occurrences=1)
    proven = a_pattern(successes=9, occurrences=10)

    assert success_rate(lucky) > success_rate(proven)
    assert trust(lucky) < trust(proven)


def test_trust_is_the_wilson_lower_bound():
    assert trust(a_pattern(successes=9, occurrences=10)) == pytest.approx(0.596, abs=0.001)
    assert trust(a_pattern(successes=0, occurrences=10)) == pytest.approx(0, abs=1e-9)


@given(st.integers(1, 500), st.data())
def test_trust_never_exceeds_the_success_rate(tries, data):
    worked = data.draw(st.integers(0, tries))
    pattern = a_pattern(successes=worked, occurrences=tries)

    assert 0 <= trust(pattern) <= success_rate(pattern)


@pytest.mark.parametrize(
    ("given_", "reason"),
    [
        pytest.param({"occurrences": 1}, "too_few", id="one failure may be bad luck"),
        pytest.param({"successes": 3, "occurrences": 10}, "fails", id="at the bound"),
        pytest.param({"successes": 4, "occurrences": 10}, "works", id="above the bound"),
        pytest.param({"kind": "antipattern", "occurrences": 2}, "declared", id="declared"),
        pytest.param(
            {"kind": "antipattern", "successes": 2, "occurrences": 2},
            "works",
            id="declared, but the evidence says otherwise",
        ),
    ],
)
def test_judge_antipattern(given_, reason):
    assert judge_antipattern(a_pattern(**given_), CausalityPolicy()) == reason


def test_an_observation_moves_the_counts_once():
    once = observe(a_pattern(), seen("o1", success=False))

    assert (once.successes, once.occurrences) == (0, 1)
    assert once.last_validated_at == NOON
    assert observe(once, seen("o1", success=False)) == once


def test_the_oldest_evidence_stays_only_in_the_counts():
    pattern = a_pattern()
    for number in range(MOST_EVIDENCE + 1):
        pattern = observe(pattern, seen(f"o{number}"))

    assert pattern.occurrences == MOST_EVIDENCE + 1
    assert len(pattern.evidence) == MOST_EVIDENCE


def test_deleting_an_episode_takes_its_observations_back():
    imported = a_pattern(successes=5, occurrences=6)
    pattern = observe(imported, seen("o1", success=True, episode_id="ep-1"))
    pattern = observe(pattern, seen("o2", success=False, episode_id="ep-1"))
    pattern = observe(pattern, seen("o3", success=True, episode_id="ep-2"))

    left = withdraw(pattern, "ep-1")

    assert (left.successes, left.occurrences) == (6, 7)
    assert [each.id for each in left.evidence] == ["o3"]
    assert withdraw(pattern, "ep-9") is pattern


@pytest.mark.parametrize(
    ("draft", "known", "problem"),
    [
        pytest.param({"name": "!?"}, None, "no_name", id="nothing left of the name"),
        pytest.param({"name": "new"}, None, "no_trigger", id="new without a trigger"),
        pytest.param({"name": "new", "trigger": "t"}, None, "no_action", id="new without action"),
        pytest.param({"name": "new", "trigger": "t", "action": "a"}, None, None, id="complete"),
        pytest.param({"name": "retry-on-timeout"}, a_pattern(), None, id="known by its name"),
        pytest.param(
            {
                "name": "Retry on timeout",
                "relations": (Relation(type="causes", target="retry_on_timeout"),),
            },
            a_pattern(),
            "relates_to_itself",
            id="its own cause",
        ),
    ],
)
def test_find_problem(draft, known, problem):
    assert find_problem(PatternDraft(**draft), known) == problem


def test_a_draft_changes_what_it_says_and_leaves_the_rest():
    known = a_pattern(relations=(Relation(type="causes", target="slow-page"),), occurrences=3)
    draft = PatternDraft(
        name="retry on timeout",
        action="retry twice",
        relations=(
            Relation(type="prevents", target="User Complaint"),
            Relation(type="causes", target="slow page"),
        ),
    )

    after = take_in(draft, known, NOON)

    assert (after.trigger, after.action) == (known.trigger, "retry twice")
    assert after.occurrences == 3
    assert after.relations == (
        Relation(type="causes", target="slow-page"),
        Relation(type="prevents", target="user-complaint"),
    )


def test_counts_come_apart_from_observations_and_together_again():
    pattern = observe(a_pattern(successes=5, occurrences=6), seen("o1", success=False))
    bare = without_observations(pattern)

    assert (bare.successes, bare.occurrences, bare.evidence) == (5, 6, ())
    assert with_observations(bare, pattern.evidence) == pattern


def test_a_merged_episode_takes_the_evidence_with_it():
    pattern = observe(a_pattern(), seen("o1", success=True, episode_id="ep-1"))
    merged = reassign(pattern, "ep-1", "ep-2")

    assert [each.episode_id for each in merged.evidence] == ["ep-2"]
    assert (merged.successes, merged.occurrences) == (1, 1)
    assert reassign(pattern, "ep-9", "ep-2") == pattern
