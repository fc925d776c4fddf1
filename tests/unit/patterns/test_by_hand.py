"""Patterns are forgotten, undone, looked up and moved like every other memory."""

import pytest
from langgraph.store.base import SearchOp

from memory_graph.curation.forget import forget
from memory_graph.curation.lookup import find_memory
from memory_graph.curation.undo import CannotUndoError, undo
from memory_graph.curation.validate import validate_memory
from memory_graph.errors import RecordNotFoundError
from memory_graph.patterns.writing import decide_pattern, record_pattern
from memory_graph.records import Change, Observation, PatternDraft
from tests.examples import a_pattern, an_episode
from tests.unit.conftest import LATER, NOON

DRAFT = PatternDraft(name="retry", trigger="a call times out", action="try once more")


def seen(name, episode_id=None, success=True):
    return Observation(id=name, success=success, at=NOON, episode_id=episode_id)


def change(name):
    return Change(id=name, by="add_pattern", at=LATER)


async def keep(memory, *patterns):
    await memory.commit(await memory.patterns.puts(patterns, NOON))


async def everything(store):
    [items] = await store.abatch([SearchOp((), limit=1000)])
    return str([(item.namespace, item.key, item.value) for item in items])


@pytest.fixture
async def supported(memory):
    """One pattern that somebody confirmed and one that was only proposed, from one episode."""
    evidence = (seen("o1", "ep-1"), seen("o2", "ep-2", success=False))
    await keep(
        memory,
        a_pattern("retry", evidence=evidence, successes=1, occurrences=2),
        a_pattern(
            "whisper-to-luna",
            trigger="luna hides",
            status="proposed",
            evidence=(seen("o3", "ep-1"),),
            successes=1,
            occurrences=1,
        ),
    )
    await memory.commit(await memory.episodes.puts([an_episode("ep-1"), an_episode("ep-2")], NOON))


async def test_forgetting_an_episode_lowers_the_counts_it_supported(memory, supported):
    forgotten = await forget(memory, await memory.episodes.get("ep-1"), LATER)

    pattern = await memory.patterns.get("retry")
    assert (pattern.successes, pattern.occurrences) == (0, 1)
    assert forgotten.told_in == ("retry",)
    assert (await validate_memory(memory)).is_sound


async def test_a_proposal_made_of_a_forgotten_episode_goes_with_it(memory, store, supported):
    await forget(memory, await memory.episodes.get("ep-1"), LATER)

    assert "luna" not in await everything(store)


async def test_a_forgotten_pattern_leaves_no_text_and_starts_anew(memory, store):
    await record_pattern(memory, DRAFT, change("c1"), success=True)
    await forget(memory, await memory.patterns.get("retry"), LATER)

    assert "retry" not in await everything(store)
    await record_pattern(memory, DRAFT, change("c2"), success=False)
    pattern = await memory.patterns.get("retry")
    assert (pattern.successes, pattern.occurrences) == (0, 1)


async def test_undoing_an_observation_takes_it_back(memory):
    await record_pattern(memory, DRAFT, change("c1"), success=True)
    once = await memory.patterns.get("retry")
    recorded = await record_pattern(memory, DRAFT, change("c2"), success=False)
    [entry] = [e for e in await memory.ledger.recent() if recorded.decision in e.decisions]

    await undo(memory, entry, None, LATER)

    assert await memory.patterns.get("retry") == once


async def test_undoing_a_creation_deletes_the_pattern(memory):
    await record_pattern(memory, DRAFT, change("c1"), success=True)
    [entry] = await memory.ledger.about("retry")

    await undo(memory, entry, None, LATER)

    with pytest.raises(RecordNotFoundError):
        await memory.patterns.get("retry")


async def test_undoing_a_withdrawal_brings_the_evidence_back(memory, supported):
    before = await memory.patterns.get("retry")
    await forget(memory, await memory.episodes.get("ep-2"), LATER)
    [entry] = await memory.ledger.about("retry")

    await undo(memory, entry, None, LATER)

    assert await memory.patterns.get("retry") == before


async def test_a_later_observation_stands_in_the_way_of_an_undo(memory):
    await keep(memory, a_pattern("retry", status="proposed"))
    await decide_pattern(memory, "retry", "confirmed", change("c1"))
    [entry] = await memory.ledger.about("retry")
    await record_pattern(memory, DRAFT, change("c2"), success=True)

    with pytest.raises(CannotUndoError, match="changed since"):
        await undo(memory, entry, None, LATER)


async def test_a_pattern_is_found_by_how_its_name_begins(memory, supported):
    assert (await find_memory(memory, "whisp")).id == "whisper-to-luna"
