"""Several processes capture for one user at once, or are killed while they do."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory_graph.embedding import load_embedder
from memory_graph.policies import CapturePolicy
from memory_graph.records import Episode, LedgerEntry
from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from tests.workers import DOG, EMBEDDER, Workers, cats_of, own_user

KEPT = "We decided to move the photo archive to Postgres, because SQLite kept locking."
LATER = "Thanks!"
KILLED = -9


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[UserMemory]:
    async with open_configured_store(Settings(store=address), load_embedder(EMBEDDER)) as backend:
        yield memory_of(Owner("ana"), backend.store)


async def kept(address: str) -> tuple[list[Episode], list[LedgerEntry]]:
    async with opened(address) as memory:
        return await memory.episodes.all(), await memory.ledger.recent(node="episodic_capture")


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where several processes keep memory, and nobody has opened it yet."""
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'memory.sqlite'}"
    return str(request.getfixturevalue("empty_postgres_url"))


async def test_a_crowd_of_processes_keeps_every_fact_and_holds_the_quota(
    shared: str, run_workers: Workers
) -> None:
    """Four processes, twelve turns each, on a store with the timeouts it has by default."""
    crowd = [("crowd", shared, "ana", str(number)) for number in range(4)]
    assert await run_workers(*crowd) == [0] * 4

    async with opened(shared) as memory:
        _check_captures(
            await memory.episodes.all(), await memory.ledger.recent(node="episodic_capture")
        )
        cats = {cat.lower() for number in range(4) for cat in cats_of(number)}
        facts = [fact for fact in await memory.facts.all() if fact.key]
        assert sorted(fact.id for fact in facts) == sorted(f"profile:pet:{cat}:age" for cat in cats)
        assert all(not fact.history for fact in facts)
        assert len(await memory.ledger.recent(node="memory_hotpath")) == 40
        for number in range(4):
            own = memory_of(Owner(own_user(number)), memory.scope.gateway.store)
            keyed = [fact.id for fact in await own.facts.all() if fact.key]
            assert keyed == [f"profile:pet:{DOG.lower()}:age"]
            assert len(await own.ledger.recent(node="episodic_capture")) == 2


def _check_captures(episodes: list[Episode], entries: list[LedgerEntry]) -> None:
    """Every turn was looked at once, and what was kept is within the quota of the day."""
    decisions = [decision for entry in entries for decision in entry.decisions]
    actions = Counter(decision.action for decision in decisions)
    assert len(decisions) == len(entries) == 40
    assert 0 < actions["create"] == len(episodes) <= CapturePolicy().max_per_day
    written = {d.memory_id for d in decisions if d.action != "skip"}
    assert written == {episode.id for episode in episodes}
    told = len(episodes) + sum(len(episode.merged_from) for episode in episodes)
    assert told == actions["create"] + actions["merge"]


@pytest.mark.parametrize("moment", ["after the reply", "before the write", "during the write"])
async def test_a_killed_process_leaves_the_whole_episode_or_none(
    moment: str, tmp_path: Path, run_workers: Workers
) -> None:
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"

    assert await run_workers(("say", address, "ana", "t", KEPT, moment)) == [KILLED]
    episodes, entries = await kept(address)
    assert (episodes, entries) == ([], [])

    assert await run_workers(("say", address, "ana", "t", LATER)) == [0]
    episodes, entries = await kept(address)
    assert len(episodes) == 1
    assert episodes[0].id in {d.memory_id for e in entries for d in e.decisions}


async def test_the_facts_of_a_first_turn_that_was_killed_are_kept_by_the_second(
    tmp_path: Path, run_workers: Workers
) -> None:
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    said = "My cat Luna is 3."
    assert await run_workers(("say", address, "ana", "t", said, "before the facts")) == [KILLED]

    for turns in (2, 3):
        assert await run_workers(("say", address, "ana", "t", LATER)) == [0]
        async with opened(address) as memory:
            [fact] = await memory.facts.all()
            assert (fact.id, fact.value, fact.history) == ("profile:pet:luna:age", "3", ())
            assert fact.repeated_at is None
            assert len(await memory.ledger.recent(node="memory_hotpath")) == turns


async def test_a_turn_resumed_after_a_kill_is_captured_once(
    tmp_path: Path, run_workers: Workers
) -> None:
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    assert await run_workers(("say", address, "ana", "t", KEPT, "before the write")) == [KILLED]

    assert await run_workers(("resume", address, "ana", "t")) == [0]
    once = await kept(address)
    assert await run_workers(("resume", address, "ana", "t")) == [0]
    twice = await kept(address)

    assert len(once[0]) == 1
    assert twice == once
