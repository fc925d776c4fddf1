"""Killed at any moment of a turn, in every durability mode: nothing is lost, nothing doubled.

The long run is `python -m benchmarks.kills`: two hundred turns, twenty seeds.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
async def test_a_worker_that_is_killed_again_and_again_loses_nothing(store):
    modes = ("sync", "async", "exit")
    options = ("--store", store, "--durability", *modes, "--turns", "12", "--seeds", "3")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.kills", *options), cwd=ROOT, stdout=PIPE, stderr=STDOUT
    )
    told, _ = await process.communicate()

    assert process.returncode == 0, told.decode()
    assert b"3 seeds" in told
    assert b"0 lost, 0 doubled" in told
