"""`patterns` and `learn`, and the tools for patterns, as somebody types them."""

import json

import pytest

from memory_graph.records import Decision
from tests.examples import an_episode

ANA = ("--user", "ana")
ADD = ("tools", "call", "add_pattern")
RETRY = ("trigger=an upstream call times out", "action=retry once")


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
    run(*ADD, "name=Retry on timeout", *RETRY, *ANA)
    run(*ADD, "name=retry-on-timeout", "success=false", *ANA)

    [pattern] = run("patterns", "list", *ANA, "--json").json
    assert (pattern["successes"], pattern["occurrences"]) == (1, 2)
    assert "1 of 2 worked" in run("patterns", "list", *ANA).out
    assert run("patterns", "list", "--user", "bo", "--json").json == []


def test_an_incomplete_pattern_is_refused(run):
    ran = run(*ADD, "name=retry", *ANA)

    assert ran.code == 1
    assert "say what triggers it" in ran.out


def test_a_name_that_nobody_has_is_not_found(run):
    missing = run("patterns", "confirm", "nope", *ANA)

    assert (missing.code, "nope" in missing.err) == (1, True)


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


def test_a_pattern_is_a_memory_like_any_other(run):
    run(*ADD, "name=retry", *RETRY, *ANA)

    assert "stated" in run("why", "retry", *ANA).out
    assert run("memories", "show", "retry", *ANA).code == 0
    assert run("memories", "forget", "retry", "--yes", *ANA).code == 0
    assert run("patterns", "list", *ANA, "--json").json == []
