"""Capture: keep or skip, and the one reason for it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.episodes.capture import Evidence, KeepReason, SkipReason, decide_capture
from memory_graph.episodes.signals import Signals
from memory_graph.policies import CapturePolicy

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
POLICY = CapturePolicy()
DECIDED = Evidence(signals=Signals(outcome=1.0, eventful=1.0, decision=True), now=NOON)
DECLARED = Evidence(signals=Signals(user_declared=True), now=NOON)


def after(minutes: float, turns: int, evidence: Evidence = DECIDED) -> Evidence:
    """Return `evidence` as it is some time after an episode."""
    last = NOON - timedelta(minutes=minutes)
    return replace(evidence, last_captured_at=last, turns_since_last=turns)


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        pytest.param(DECIDED, "decision", id="first episode ever"),
        pytest.param(after(9, 2), "cooldown", id="neither turns nor minutes have passed"),
        pytest.param(after(10, 2), "decision", id="minutes end the cooldown exactly now"),
        pytest.param(after(9, 3), "decision", id="turns end the cooldown exactly now"),
        pytest.param(after(0, 0, DECLARED), "user_declared", id="the user's word beats cooldown"),
        pytest.param(replace(DECIDED, captured_today=4), "decision", id="one left today"),
        pytest.param(replace(DECIDED, captured_today=5), "quota", id="none left today"),
        pytest.param(
            replace(DECLARED, captured_today=5), "quota", id="quota beats the user's word"
        ),
        pytest.param(replace(DECIDED, nearest_similarity=0.9), "decision", id="just novel enough"),
        pytest.param(replace(DECIDED, nearest_similarity=0.91), "not_novel", id="told before"),
        pytest.param(
            replace(DECLARED, nearest_similarity=1.0), "user_declared", id="word beats novelty"
        ),
    ],
)
def test_decide_capture(evidence: Evidence, reason: str) -> None:
    assert decide_capture(evidence, POLICY).reason == reason


@pytest.mark.parametrize(
    ("signals", "reason"),
    [
        pytest.param(Signals(outcome=1.0, done=True), "milestone", id="done"),
        pytest.param(Signals(outcome=1.0, setback=True), "outcome", id="a setback"),
        pytest.param(Signals(outcome=0.5, eventful=0.5, plan=True), "commitment", id="a plan"),
        pytest.param(Signals(tool_actions=1), "outcome", id="a tool did something"),
        pytest.param(Signals(looks_back=True, question_only=True), "looks_back", id="looks back"),
        pytest.param(Signals(question_only=True), "routine", id="looked up"),
        pytest.param(Signals(pure_fact_update=True), "pure_fact_update", id="fact"),
        pytest.param(Signals(follows_up=True), "low_notability", id="a hint alone"),
        pytest.param(Signals(outcome=0.1, eventful=0.1), "notable", id="hints together"),
        pytest.param(Signals(), "low_notability", id="no sign at all"),
    ],
)
def test_the_reason_names_the_strongest_sign(signals: Signals, reason: str) -> None:
    assert decide_capture(Evidence(signals=signals, now=NOON), POLICY).reason == reason


def test_switched_off_means_no_episode_whatever_happened() -> None:
    assert decide_capture(DECLARED, CapturePolicy(enabled=False)).reason == "disabled"


def test_a_decision_carries_the_numbers_it_was_made_on() -> None:
    capture = decide_capture(replace(after(5, 1), nearest_similarity=0.25), POLICY)

    assert capture.scores["novelty"] == 0.75
    assert capture.scores["minutes_since_last"] == 5
    assert capture.scores["turns_since_last"] == 1
    assert capture.thresholds["notability_min"] == POLICY.notability_min


def test_the_settings_have_the_names_operators_know() -> None:
    named = {
        field.json_schema_extra["env"]: name
        for name, field in CapturePolicy.model_fields.items()
        if isinstance(field.json_schema_extra, dict)
    }

    assert named == {
        "EPISODIC_ENABLED": "enabled",
        "EPISODIC_COOLDOWN_TURNS": "cooldown_turns",
        "EPISODIC_COOLDOWN_MINUTES": "cooldown_minutes",
        "EPISODIC_MAX_PER_DAY": "max_per_day",
        "EPISODIC_NOVELTY_MIN": "novelty_min",
        "EPISODIC_MERGE_WINDOW_HOURS": "merge_window_hours",
        "EPISODIC_WINDOW_N": "window_n",
    }


signals = st.builds(
    Signals,
    **{
        name: {bool: st.booleans(), int: st.integers(0, 3)}.get(field.type, st.floats(-1, 1))
        for name, field in Signals.__dataclass_fields__.items()
    },
)
evidence = st.builds(
    Evidence,
    signals=signals,
    now=st.just(NOON),
    turns_since_last=st.none() | st.integers(0, 20),
    last_captured_at=st.none() | st.just(NOON - timedelta(minutes=3)),
    captured_today=st.integers(0, 8),
    nearest_similarity=st.none() | st.floats(0, 1),
)


@given(evidence)
def test_every_exchange_is_either_kept_or_skipped_for_one_known_reason(case: Evidence) -> None:
    capture = decide_capture(case, POLICY)

    assert capture.reason in get_args(KeepReason if capture.keep else SkipReason)


@given(evidence)
def test_the_daily_quota_is_never_exceeded(case: Evidence) -> None:
    full = replace(case, captured_today=POLICY.max_per_day, continues=False)

    assert not decide_capture(full, POLICY).keep


def test_what_joins_an_episode_needs_neither_quota_nor_waiting() -> None:
    full = replace(after(1, 1), captured_today=POLICY.max_per_day, continues=True)

    capture = decide_capture(full, POLICY)

    assert capture.keep
    assert capture.pace == "quota"


def test_what_facts_hold_already_is_no_episode() -> None:
    turned_four = Signals(outcome=0.5, eventful=1.0, done=True)
    stated = Evidence(signals=turned_four, now=NOON, is_kept_as_facts=True)

    assert decide_capture(stated, POLICY).reason == "pure_fact_update"
    assert decide_capture(replace(DECIDED, is_kept_as_facts=True), POLICY).keep


@pytest.mark.parametrize(
    ("says", "signals", "reason"),
    [
        pytest.param(True, Signals(), "has_episode", id="the reader says so"),
        pytest.param(False, Signals(outcome=1.0, done=True), "milestone", id="signs against it"),
        pytest.param(None, Signals(), "low_notability", id="nobody read it"),
        pytest.param(True, Signals(looks_back=True), "looks_back", id="a look back all the same"),
    ],
)
def test_what_the_reader_of_the_message_says_opens_the_question_and_never_closes_it(
    says: bool | None, signals: Signals, reason: str
) -> None:
    case = Evidence(signals=signals, now=NOON, has_episode=says)

    assert decide_capture(case, POLICY).reason == reason


def test_what_the_reader_says_does_not_lift_the_limits() -> None:
    case = replace(after(1, 1, Evidence(signals=Signals(), now=NOON)), has_episode=True)

    assert decide_capture(case, POLICY).reason == "cooldown"
    assert decide_capture(replace(case, captured_today=5), POLICY).reason == "quota"
