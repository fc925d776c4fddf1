"""Several processes capture for one user at once, or are killed while they do."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory_graph.embeddings import load_embedder
from memory_graph.policy.capture import CapturePolicy
from memory_graph.records import Episode, LedgerEntry
from memory_graph.settings import Settings
from memory_graph.storage.backend import open_backend
from memory_graph.storage.scope import Owner, UserMemory, memory_of
from tests.workers import EMBEDDER

ROOT = Path(__file__).parents[2]
KEPT = "We decided to move the photo archive to Postgres, because SQLite kept locking."
LATER = "Thanks!"
KILLED = -9


async def worker(*arguments: str) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.workers", *arguments, cwd=ROOT
    )
    return await process.wait()


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[UserMemory]:
    async with open_backend(Settings(store=address), load_embedder(EMBEDDER)) as backend:
        yield memory_of(Owner("ana"), backend.store)


async def kept(address: str) -> tuple[list[Episode], list[LedgerEntry]]:
    async with opened(address) as memory:
        return await memory.episodes.all(), await memory.ledger.recent(node="episodic_capture")


async def test_twenty_runs_from_four_processes_hold_the_quota(postgres_url: str) -> None:
    address = postgres_url
    async with opened(address):
        pass  # creates the tables, which processes cannot do at the same time

    codes = await asyncio.gather(
        *(worker("crowd", address, "ana", f"process-{n}") for n in range(4))
    )
    episodes, entries = await kept(address)

    assert codes == [0] * 4
    decisions = [decision for entry in entries for decision in entry.decisions]
    actions = Counter(decision.action for decision in decisions)
    assert len(decisions) == len(entries) == 20
    assert actions["create"] == len(episodes) <= CapturePolicy().max_per_day
    written = {d.memory_id for d in decisions if d.action != "skip"}
    assert written == {episode.id for episode in episodes}
    told = len(episodes) + sum(len(episode.merged_from) for episode in episodes)
    assert told == actions["create"] + actions["merge"]
    assert {d.reason for d in decisions if d.action == "skip"} <= {"quota"}


@pytest.mark.parametrize("moment", ["after the reply", "before the write", "during the write"])
async def test_a_killed_process_leaves_the_whole_episode_or_none(
    moment: str, tmp_path: Path
) -> None:
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"

    assert await worker("say", address, "ana", "t", KEPT, moment) == KILLED
    episodes, entries = await kept(address)
    assert (episodes, entries) == ([], [])

    assert await worker("say", address, "ana", "t", LATER) == 0
    episodes, entries = await kept(address)
    assert len(episodes) == 1
    assert {d.memory_id for e in entries for d in e.decisions} == {episodes[0].id}


async def test_a_turn_resumed_after_a_kill_is_captured_once(
    tmp_path: Path,
) -> None:
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    assert await worker("say", address, "ana", "t", KEPT, "before the write") == KILLED

    assert await worker("resume", address, "ana", "t") == 0
    once = await kept(address)
    assert await worker("resume", address, "ana", "t") == 0
    twice = await kept(address)

    assert len(once[0]) == 1
    assert twice == once
