"""Killed at any moment of a turn, in every durability mode: nothing is lost, nothing doubled.

The long run is `python -m benchmarks.kills`: two hundred turns, twenty seeds.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUNS = [("sqlite", "async", 25), ("sqlite", "sync", 10), ("sqlite", "exit", 10)]
RUNS += [("postgres", "async", 15)]


@pytest.mark.parametrize(("store", "durability", "turns"), RUNS)
async def test_a_worker_that_is_killed_again_and_again_loses_nothing(store, durability, turns):
    options = ("--store", store, "--durability", durability, "--turns", str(turns), "--seeds", "1")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.kills", *options), cwd=ROOT, stdout=PIPE, stderr=STDOUT
    )
    told, _ = await process.communicate()

    assert process.returncode == 0, told.decode()
    assert b"0 lost, 0 doubled" in told
