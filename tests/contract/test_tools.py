"""Every pattern tool on every backend, called as an agent calls it: through a graph."""

import pytest

from memory_graph.curation.validate import validate_memory
from memory_graph.records import Decision
from memory_graph.tools.episodes import get_decision_sequence
from memory_graph.tools.patterns import (
    add_pattern,
    bootstrap_context,
    get_antipatterns,
    get_causal_path,
    query_patterns,
)
from tests.examples import NOON, an_episode
from tests.unit.tools.conftest import Caller

RETRY = {
    "name": "retry-on-timeout",
    "trigger": "an upstream call times out",
    "action": "retry once with a longer limit",
}


@pytest.fixture
def call(backend):
    return Caller(backend.store)


async def test_what_worked_is_found_by_its_trigger(call):
    assert (await call(add_pattern, **RETRY)).startswith("Created:")
    assert "2 of 2 worked" in await call(add_pattern, name="Retry on timeout")

    answer = await call(query_patterns, trigger="my upstream call timed out", min_occurrences=2)

    assert answer.startswith("- retry-on-timeout (pattern, 2 of 2 worked")
    assert "No pattern" in await call(query_patterns, user="bo")


async def test_what_failed_twice_is_an_antipattern(call):
    for _ in range(2):
        await call(add_pattern, **RETRY, success=False)

    assert "0 of 2 worked" in await call(get_antipatterns)


async def test_a_relation_to_a_missing_pattern_is_kept_and_reported_as_broken(call, memory):
    await call(add_pattern, **RETRY, relations=[{"type": "prevents", "target": "outage"}])
    await call(add_pattern, name="alone", trigger="it rains", action="wait")

    answer = await call(get_causal_path, from_pattern="retry", to_pattern="alone")

    assert "Broken relations: retry-on-timeout prevents outage" in answer
    [problem] = (await validate_memory(memory)).problems
    assert (problem.reason, problem.detail) == ("broken_relation", "prevents outage")
    await call(add_pattern, name="outage", trigger="all calls fail", action="page somebody")
    answer = await call(get_causal_path, from_pattern="retry", to_pattern="outage")
    assert "makes outage less likely" in answer
    assert (await validate_memory(memory)).problems == ()


async def test_the_decisions_of_an_episode_are_told_in_order(call, memory):
    decisions = (Decision(id="d001", chosen="renew the token", effects=("d009",)),)
    episode = an_episode(decisions=decisions)
    await memory.commit(await memory.episodes.puts([episode], NOON))

    answer = await call(get_decision_sequence, episode_id="ep-1")

    assert "- d001 (design, unknown): renew the token. Led to: d009." in answer
    assert "Links that lead nowhere: d001 effects d009." in answer


async def test_a_task_starts_with_what_is_known_about_it(call):
    for _ in range(2):
        await call(add_pattern, **RETRY)

    answer = await call(bootstrap_context, task="mend the upstream call that times out")

    assert "Worked before:\n- retry-on-timeout" in answer
    assert "nothing that fits" in await call(bootstrap_context, task="bake sourdough bread")
