import asyncio
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from memory_graph import clock

MONDAY = datetime(2026, 11, 16, 9, tzinfo=ZoneInfo("Europe/Lisbon"))


def test_the_time_is_aware():
    assert clock.utc_now().tzinfo is UTC


async def test_a_frozen_clock_stands_still_in_tasks_and_threads_too():
    with clock.frozen(MONDAY):
        in_task = await asyncio.create_task(_now())
        in_thread = await asyncio.to_thread(clock.utc_now)

    assert in_task == in_thread == MONDAY
    assert in_task.tzinfo is UTC


async def test_the_clock_runs_again_afterwards():
    with clock.frozen(MONDAY):
        pass

    assert clock.utc_now() != MONDAY


async def _now():
    return clock.utc_now()
