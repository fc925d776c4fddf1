"""How does synchronous code run a coroutine? On one event loop in a thread of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from functools import cache
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def run_sync(start: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run a coroutine to its end and return what it returns.

    The coroutine sees the caller's context variables. It does not run on the caller's
    event loop, if there is one, so that a notebook may call it too.
    """
    done: Future[T] = Future()
    context = copy_context()
    loop = _background_loop()

    async def settle() -> None:
        try:
            done.set_result(await start())
        except BaseException as error:  # noqa: BLE001 — handed to the caller, who raises it
            done.set_exception(error)

    task: list[asyncio.Task[None]] = []
    loop.call_soon_threadsafe(lambda: task.append(loop.create_task(settle(), context=context)))
    try:
        return done.result()
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(lambda: [each.cancel() for each in task])
        raise


@cache
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="memory-graph", daemon=True).start()
    return loop
