from datetime import timedelta

import pytest

from memory_graph.patterns.evidence import with_observations
from memory_graph.patterns.learning import (
    Trial,
    group_trials,
    judge_group,
    match_known,
    proposal,
    trials_of,
)
from memory_graph.policies import LearningPolicy
from memory_graph.records import Decision, Observation
from tests.examples import NOON, a_pattern, an_episode

POLICY = LearningPolicy()


def tried(number, success=True, trigger="the deploy token expired", action="renew the token"):
    seen = Observation(
        id=f"ep-{number}:d001",
        success=success,
        at=NOON + timedelta(days=number),
        episode_id=f"ep-{number}",
    )
    return Trial(trigger, action, seen)


@pytest.mark.parametrize(
    ("decision", "episode", "success"),
    [
        pytest.param("failure", "success", False, id="its own outcome counts first"),
        pytest.param("unknown", "success", True, id="else the episode's"),
        pytest.param("partial", "failure", False, id="a half success says too little"),
        pytest.param("unknown", "ongoing", None, id="nobody knows yet"),
    ],
)
def test_a_decision_is_a_trial_once_its_outcome_is_known(decision, episode, success):
    made = Decision(id="d001", context="the token expired", chosen="renew it", outcome=decision)
    trials = trials_of(an_episode(outcome=episode, decisions=(made,)))

    assert [trial.seen.success for trial in trials] == ([] if success is None else [success])


def test_a_decision_without_context_is_about_the_episodes_topic():
    made = Decision(id="d001", chosen="renew the token", outcome="success")
    [trial] = trials_of(an_episode(title="fixing the deploy", decisions=(made,)))

    assert trial.trigger == "fixing the deploy"


def test_like_actions_in_like_situations_belong_together():
    trials = [
        tried(1),
        tried(2, trigger="the deploy token had expired again", action="renew the token first"),
        tried(3, trigger="the bread was pale"),
        tried(4, action="ask the owner"),
    ]

    assert [len(group) for group in group_trials(trials, POLICY)] == [2, 1, 1]


def test_doing_something_and_not_doing_it_are_different_actions():
    trials = [tried(1, action="retry the call"), tried(2, action="do not retry the call")]

    assert len(group_trials(trials, POLICY)) == 2


@pytest.mark.parametrize(
    ("trials", "reason"),
    [
        pytest.param([tried(1), tried(2)], "too_few", id="twice"),
        pytest.param([tried(1), tried(1), tried(1)], "too_few", id="three times in one episode"),
        pytest.param([tried(1), tried(2), tried(3)], "works", id="three times"),
        pytest.param([tried(1, False), tried(2, False), tried(3, False)], "fails", id="failures"),
        pytest.param([tried(1), tried(2), tried(3, False)], "mixed", id="two of three"),
    ],
)
def test_judge_group(trials, reason):
    assert judge_group(trials, POLICY) == reason


def test_a_proposal_carries_its_evidence_and_waits():
    pattern = proposal([tried(1), tried(2), tried(3, False)], "pattern", NOON)

    assert pattern.name == "renew-token-when-deploy-token-expired"
    assert (pattern.status, pattern.successes, pattern.occurrences) == ("proposed", 2, 3)
    assert [each.episode_id for each in pattern.evidence] == ["ep-1", "ep-2", "ep-3"]
    assert with_observations(pattern, [tried(2).seen]) == pattern


def test_trials_belong_to_the_pattern_that_has_most_of_them_as_evidence():
    pattern = proposal([tried(1), tried(2)], "pattern", NOON)
    reworded = [tried(2, trigger="credentials"), tried(1, trigger="credentials")]

    assert match_known(reworded, [pattern], POLICY) is pattern


def test_trials_belong_to_a_pattern_in_the_same_words():
    stated = a_pattern(trigger="The deploy token expired.", action="Renew the token.")

    assert match_known([tried(1)], [stated], POLICY) is stated
    assert match_known([tried(1)], [a_pattern()], POLICY) is None
