"""Observations: all are counted, whoever makes them, and can be taken back."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from memory_graph.curation.validate import validate_memory
from memory_graph.patterns.writing import (
    decide_pattern,
    move_evidence,
    record_pattern,
    withdraw_episode,
)
from memory_graph.records import Change, Observation
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.contract.observing import DRAFT, observe_often
from tests.examples import NOON, a_pattern, an_episode

CHANGE = Change(id="c1", by="test", at=NOON)


def seen(name, episode_id=None, success=True):
    return Observation(id=name, success=success, at=NOON, episode_id=episode_id)


async def keep(memory, *patterns):
    await memory.commit(await memory.patterns.puts(patterns, NOON))


async def counts(memory, name="retry"):
    pattern = await memory.patterns.get(name)
    return pattern.successes, pattern.occurrences


async def test_observations_of_several_processes_are_all_counted(postgres_url, embedder):
    workers, times = 3, 7
    async with open_configured_store(Settings(store=postgres_url), embedder) as backend:
        await record_pattern(memory_of(Owner("ana"), backend.store), DRAFT, CHANGE, success=True)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(observe_often, postgres_url, n, times) for n in range(workers)]
    assert [each.result() for each in running] == [None] * workers

    async with open_configured_store(Settings(store=postgres_url), embedder) as backend:
        memory = memory_of(Owner("ana"), backend.store)
        assert await counts(memory) == (13, 22)


async def test_writers_that_read_the_same_state_do_not_undo_each_other(memory_for):
    one, other = memory_for("ana"), memory_for("ana")
    await keep(one, a_pattern("retry", status="proposed"))
    before = await other.patterns.get("retry")

    await decide_pattern(one, "retry", "confirmed", CHANGE)
    after = before.model_copy(update={"evidence": (seen("o1"),), "successes": 1, "occurrences": 1})
    await other.commit(await other.patterns.changes(before, after, NOON))

    pattern = await one.patterns.get("retry")
    assert (pattern.status, pattern.occurrences) == ("confirmed", 1)


async def test_a_pattern_with_evidence_comes_back_as_it_was_kept(memory):
    evidence = (seen("o1", "ep-1"), seen("o2", success=False))
    pattern = a_pattern(
        evidence=evidence, successes=6, occurrences=10, last_validated_at=NOON, description="x"
    )
    await keep(memory, pattern, a_pattern("other", trigger="it rains"))

    assert await memory.patterns.get(pattern.name) == pattern
    assert await memory.patterns.find(["other"]) == {
        "other": a_pattern("other", trigger="it rains")
    }
    assert pattern in await memory.patterns.all()


async def test_deleting_an_episode_lowers_the_counts_it_supported(memory):
    evidence = (seen("o1", "ep-1"), seen("o2", "ep-2"))
    await keep(memory, a_pattern("retry", evidence=evidence, successes=5, occurrences=7))

    await withdraw_episode(memory, "ep-1", CHANGE)

    assert await counts(memory) == (4, 6)


async def test_merging_episodes_keeps_the_counts(memory):
    await memory.commit(await memory.episodes.puts([an_episode("ep-2")], NOON))
    evidence = (seen("o1", "ep-1"), seen("o2", "ep-2"))
    await keep(memory, a_pattern("retry", evidence=evidence, successes=5, occurrences=7))

    await move_evidence(memory, "ep-1", "ep-2", CHANGE)

    assert await counts(memory) == (5, 7)
    assert (await validate_memory(memory)).is_sound
    await withdraw_episode(memory, "ep-1", Change(id="c2", by="test", at=NOON))
    assert await counts(memory) == (5, 7)
