"""`patterns`, `learn`, `bootstrap` and `decisions`, as somebody types them."""

import json

import pytest

from memory_graph.records import Decision
from tests.examples import an_episode

ANA = ("--user", "ana")
RETRY = ("--trigger", "an upstream call times out", "--action", "retry once")


def deploy(number):
    made = Decision(
        id="d001", context="the deploy token expired", chosen="renew the token", outcome="success"
    )
    return an_episode(f"ep-{number}", f"deploy {number}", decisions=(made,))


@pytest.fixture
def episodes(run):
    """Three deploys that were saved by the same decision."""
    lines = "\n".join(
        json.dumps({"kind": "episode", **deploy(n).model_dump(mode="json")}) for n in (1, 2, 3)
    )
    run("memories", "import", "-", *ANA, stdin=lines)


def test_a_pattern_is_stated_tried_and_listed(run):
    run("patterns", "add", "Retry on timeout", *RETRY, *ANA)
    run("patterns", "add", "retry-on-timeout", "--failed", *ANA)

    [pattern] = run("patterns", "list", *ANA, "--json").json
    assert (pattern["successes"], pattern["occurrences"]) == (1, 2)
    assert "1 of 2 worked" in run("patterns", "list", *ANA).out
    assert run("patterns", "list", "--user", "bo", "--json").json == []


def test_patterns_are_found_for_a_situation(run):
    run("patterns", "add", "retry", *RETRY, *ANA)
    run("patterns", "add", "water", "--trigger", "the soil is dry", "--action", "water it", *ANA)

    found = run("patterns", "list", "--for", "my upstream call timed out", *ANA, "--json").json

    assert [each["name"] for each in found] == ["retry"]


def test_an_incomplete_pattern_is_refused(run):
    ran = run("patterns", "add", "retry", *ANA)

    assert ran.code == 1
    assert "say what triggers it" in ran.err


def test_one_pattern_is_shown_by_a_part_of_its_name(run):
    run("patterns", "add", "retry-on-timeout", *RETRY, *ANA)

    assert run("patterns", "show", "timeout", *ANA, "--json").json["name"] == "retry-on-timeout"
    assert "trigger" in run("patterns", "show", "timeout", *ANA).out
    missing = run("patterns", "show", "nope", *ANA)
    assert (missing.code, "No pattern" in missing.err) == (1, True)


def test_a_name_that_could_be_several_lists_the_choices(run):
    run("patterns", "add", "retry-a", *RETRY, *ANA)
    run("patterns", "add", "retry-b", *RETRY, *ANA)

    assert "retry-a, retry-b" in run("patterns", "confirm", "retry", *ANA).err


def test_a_path_states_what_it_comes_to(run):
    run("patterns", "add", "retry", *RETRY, "--relation", "prevents:outage", *ANA)
    broken = run("patterns", "path", "retry", "outage", *ANA)
    run("patterns", "add", "outage", "--trigger", "all fails", "--action", "page", *ANA)

    found = run("patterns", "path", "retry", "outage", *ANA)

    assert broken.code == 1
    assert "retry prevents outage" in found.out
    assert "less likely" in found.out
    shown = run("patterns", "path", "retry", "outage", *ANA, "--json").json
    assert (shown["polarity"], len(shown["path"])) == ("prevents", 1)


@pytest.mark.parametrize("given", ["annoys:outage", "prevents:", "outage"])
def test_an_odd_relation_is_wrong_usage(run, given):
    assert run("patterns", "add", "retry", *RETRY, "--relation", given, *ANA).code == 2


def test_what_seldom_worked_is_an_antipattern(run):
    run("patterns", "add", "friday", *RETRY, "--antipattern", *ANA)
    run("patterns", "add", "friday", *ANA)

    assert "0 of 2 worked" in run("patterns", "antipatterns", *ANA).out


def test_what_is_learnt_waits_for_a_decision(run, episodes):
    [would] = run("learn", "--dry-run", *ANA, "--json").json
    assert run("patterns", "list", "--status", "proposed", *ANA, "--json").json == []

    assert "patterns confirm NAME" in run("learn", *ANA).out

    [proposed] = run("patterns", "list", "--status", "proposed", *ANA, "--json").json
    assert proposed["name"] == would["name"]
    run("patterns", "confirm", proposed["name"], *ANA)
    [confirmed] = run("patterns", "list", "--status", "confirmed", *ANA, "--json").json
    assert (confirmed["name"], confirmed["occurrences"]) == (would["name"], 3)


def test_what_was_rejected_is_not_proposed_again(run, episodes):
    [proposed] = run("learn", *ANA, "--json").json
    run("patterns", "reject", proposed["name"], *ANA)

    assert run("learn", *ANA, "--json").json == []


def test_a_briefing_holds_what_fits_the_task(run):
    for _ in range(2):
        run("patterns", "add", "retry", *RETRY, *ANA)

    task = "mend the upstream call that times out"
    assert "Worked before:\n- retry" in run("bootstrap", task, *ANA).out
    assert run("bootstrap", task, *ANA, "--json").json["tokens"] <= 600
    assert "No memories match" in run("bootstrap", "bake bread", *ANA).out


def test_the_decisions_of_an_episode_are_listed_and_drawn(run, episodes):
    assert "d001" in run("decisions", "ep-1", *ANA).out
    assert run("decisions", "ep-1", "--mermaid", *ANA).out.startswith("flowchart TD")
    assert run("decisions", "ep-1", *ANA, "--json").json["episode"] == "ep-1"
    assert run("decisions", "ep-9", *ANA).code == 1


def test_a_pattern_is_a_memory_like_any_other(run):
    run("patterns", "add", "retry", *RETRY, *ANA)

    assert "stated" in run("why", "retry", *ANA).out
    assert run("memories", "show", "retry", *ANA).code == 0
    assert run("memories", "forget", "retry", "--yes", *ANA).code == 0
    assert run("patterns", "list", *ANA, "--json").json == []


def test_a_pattern_is_added_with_its_rate_project_and_session(run, episodes):
    args = ("--success-rate", "0.9", "--project", "brain", "--episode", "episode:ep-1")
    ran = run("patterns", "add", "retry", *RETRY, *args, "--relation", "enables:sleep", *ANA)

    assert (ran.code, "No pattern is called sleep yet" in ran.err) == (0, True)
    [pattern] = run("patterns", "list", "--project", "brain", *ANA, "--json").json
    assert (pattern["successes"], pattern["evidence"][0]["episode_id"]) == (0.9, "ep-1")
    assert run("patterns", "list", "--project", "other", *ANA, "--json").json == []
    assert run("patterns", "add", "retry", "--success-rate", "90", *ANA).code == 2


def test_a_briefing_needs_no_task(run):
    run("patterns", "add", "retry", *RETRY, "--project", "brain", *ANA)

    assert "retry" in run("bootstrap", "--project", "brain", *ANA).out
    assert "retry" not in run("bootstrap", "--project", "other", *ANA).out
