import pytest
from langgraph.store.base import BaseStore

from memory_graph.curation.validate import Total, validate_memory
from memory_graph.records import FactLink, Observation
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from tests.examples import NOON, a_fact, a_pattern, an_episode


@pytest.fixture
def memory(store: BaseStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


async def test_everything_is_counted(memory):
    puts = await memory.facts.puts([a_fact()], NOON)
    puts += await memory.episodes.puts([an_episode("a"), an_episode("b", "another")], NOON)
    puts += await memory.patterns.puts([a_pattern()], NOON)
    await memory.commit(puts)
    report = await validate_memory(memory)

    assert report.totals == {
        "fact": Total(1, 1),
        "episode": Total(2, 2),
        "pattern": Total(1, 1),
        "turn": Total(0, 0),
    }
    assert report.is_sound


async def test_what_cannot_be_read_is_named_without_its_words(memory, store):
    value = {"id": "f1", "statement": ["my secret"], "importance": 9}
    await store.aput(memory.facts.namespace, "f1", value, index=False)
    report = await validate_memory(memory)

    [problem] = report.problems
    assert report.totals["fact"] == Total(1, 0)
    assert (problem.record_id, problem.reason) == ("f1", "unreadable")
    assert "importance: less_than_equal" in problem.detail
    assert "secret" not in problem.detail
    assert not report.is_sound


async def test_an_empty_memory_is_sound(memory):
    assert (await validate_memory(memory)).is_sound


async def test_a_link_to_an_archived_fact_is_no_problem(memory):
    episode = an_episode(facts=(FactLink(fact_id="profile:city", position=0, confidence=1.0),))
    puts = await memory.archive.puts([a_fact("profile:city")], NOON)
    await memory.commit([*puts, *await memory.episodes.puts([episode], NOON)])

    assert (await validate_memory(memory)).problems == ()


async def test_evidence_from_an_episode_that_is_gone_is_a_problem(memory):
    seen = Observation(id="o1", success=True, at=NOON, episode_id="ep-9")
    pattern = a_pattern(evidence=(seen,), successes=1, occurrences=1)
    await memory.commit(await memory.patterns.puts([pattern], NOON))

    [problem] = (await validate_memory(memory)).problems
    assert (problem.reason, problem.detail) == ("missing_evidence", "episode ep-9")


async def test_an_unreadable_observation_costs_itself_and_no_pattern(memory, store):
    await memory.commit(await memory.patterns.puts([a_pattern("retry")], NOON))
    bad = {"pattern": "retry", "success": "perhaps"}
    await store.aput(memory.patterns.observations, "o1", bad, index=False)

    assert (await memory.patterns.get("retry")).occurrences == 0
    [problem] = (await validate_memory(memory)).problems
    assert (problem.record_id, problem.reason) == ("o1", "unreadable")
