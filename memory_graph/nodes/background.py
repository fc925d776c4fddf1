"""How does work go on after the reply, without being lost while the process lives?

What dies with the process is not lost either: a turn gets its receipt together with its
episode, so the next turn of the conversation picks up whatever has none.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from langchain_core.runnables.config import var_child_runnable_config

logger = logging.getLogger(__name__)

_tasks: set[asyncio.Task[None]] = set()
"""Strong references: an event loop keeps only weak ones to its tasks."""


def start(name: str, work: Callable[[], Awaitable[object]]) -> None:
    """Run `work` after this step of the graph; whatever it raises is logged, not raised."""
    task = asyncio.create_task(_guarded(work), name=name)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def drain(timeout_s: float = 30) -> int:
    """Wait for the work of this event loop to end; return how much of it did not.

    Call it before the store is closed: when a server shuts down, or a command ends.
    """
    loop = asyncio.get_running_loop()
    ours = {task for task in _tasks if task.get_loop() is loop}
    if not ours:
        return 0
    _, unfinished = await asyncio.wait(ours, timeout=timeout_s)
    return len(unfinished)


async def _guarded(work: Callable[[], Awaitable[object]]) -> None:
    # The run that started this is over: nothing may be streamed or traced as a part of it.
    var_child_runnable_config.set(None)
    try:
        await work()
    except Exception as error:  # noqa: BLE001 — the reply is out; nobody could handle it
        logger.warning("Work after the reply failed (%s).", type(error).__name__)
