"""Run coroutines for synchronous code, and tasks that outlive a run."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from functools import cache
from threading import Thread
from typing import Any, TypeVar

from memory_graph import framework

T = TypeVar("T")


def run_sync(start: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run a coroutine to its end and return what it returns.

    The coroutine sees the caller's context variables. It does not run on the caller's
    event loop, if there is one, so that a notebook may call it too.
    """
    done, cancel = _begin(start)
    try:
        return done.result()
    except KeyboardInterrupt:
        cancel()
        raise


async def run_beside(start: Callable[[], Coroutine[object, object, T]]) -> T:
    """Await a coroutine on the background loop, which owns everything synchronous code opened."""
    if asyncio.get_running_loop() is _background_loop():
        return await start()
    done, cancel = _begin(start)
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        cancel()
        raise


def _begin(
    start: Callable[[], Coroutine[object, object, T]],
) -> tuple[Future[T], Callable[[], object]]:
    """Start a coroutine on the background loop; return its future, and how to cancel it."""
    done: Future[T] = Future()
    context = copy_context()
    loop = _background_loop()

    async def settle() -> None:
        try:
            result = await start()
        except BaseException as error:  # noqa: BLE001 — handed to the caller, who raises it
            if not done.cancelled():
                done.set_exception(error)
        else:
            if not done.cancelled():
                done.set_result(result)

    task: list[asyncio.Task[None]] = []
    loop.call_soon_threadsafe(lambda: task.append(loop.create_task(settle(), context=context)))
    return done, lambda: loop.call_soon_threadsafe(lambda: [each.cancel() for each in task])


@cache
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="memory-graph", daemon=True).start()
    return loop


# A fork takes no threads along: a worker that a loaded process forks gets a loop of its own.
if hasattr(os, "register_at_fork"):  # Windows forks nothing
    os.register_at_fork(after_in_child=_background_loop.cache_clear)


logger = logging.getLogger(__name__)

_tasks: set[asyncio.Task[Any]] = set()
"""Strong references: an event loop keeps only weak ones to its tasks."""


def start(name: str, work: Callable[[], Awaitable[object]]) -> None:
    """Run `work` after this step of the graph; whatever it raises is logged, not raised."""

    async def guarded() -> None:
        # The run that started this is over: nothing may be streamed or traced as a part of it.
        framework.leave_run()
        try:
            await work()
        except Exception as error:  # noqa: BLE001 — the reply is out; nobody could handle it
            logger.warning("Work after the reply failed (%s).", type(error).__name__)

    task = asyncio.create_task(guarded(), name=name)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def begin(name: str, work: Callable[[], Coroutine[object, object, T]]) -> "asyncio.Task[T]":
    """Begin work beside this step of the graph; whoever awaits its task gets the result.

    It goes on if the run ends or is cut: nothing may be streamed or traced as a part of it.
    """

    async def apart() -> T:
        framework.leave_run()
        return await work()

    task = asyncio.create_task(apart(), name=name)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task


def _drain_at_exit() -> None:
    """Wait for what synchronous code left to do: at the end of a script, or after Ctrl-C."""
    if _background_loop.cache_info().currsize and _tasks:
        run_sync(lambda: drain(_LAST_S))


_LAST_S = 10.0
"""How long the end of a process waits for work that goes on. A limit: somebody waits."""

framework.at_exit(_drain_at_exit)


async def drain(timeout_s: float = 30) -> int:
    """Wait until the work of this event loop has ended; return how many tasks did not end.

    Call it before you close the store: when a server shuts down, or a command ends.
    """
    loop = asyncio.get_running_loop()
    ours = {task for task in _tasks if task.get_loop() is loop}
    if not ours:
        return 0
    _, unfinished = await asyncio.wait(ours, timeout=timeout_s)
    return len(unfinished)


_LONG = 4000
"""From this many characters on, reading a text takes longer than handing it to a thread."""


async def off_the_loop(size: int, work: Callable[[], T]) -> T:
    """Return the result of `work` on a text of this size; long texts run in a thread."""
    return await asyncio.to_thread(work) if size > _LONG else work()
