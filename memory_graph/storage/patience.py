"""How long is a store waited for, and what is worth another try?"""

import asyncio
from collections.abc import Coroutine, Iterator
from random import uniform
from typing import TypeVar

from langgraph.types import RetryPolicy

T = TypeVar("T")

_LOOKS = 15
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.25
_CONTENTION = {"40001", "40P01", "55P03"}
"""What Postgres calls a failed serialisation, a deadlock and a lock not to be had."""

_unfinished: set[asyncio.Task[object]] = set()
"""Nobody else may hold these, and the event loop does so only weakly."""


async def within(timeout_s: float, work: Coroutine[object, object, T]) -> T:
    """Return what `work` comes to, or give it up.

    Time is counted in looks, so that a process which got no processor for a while does not
    take its store for dead: the answer is looked for as often, however late each look is.

    Raises:
        TimeoutError: If there is no answer.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(_let_go)
    try:
        for _ in range(_LOOKS):
            done, _ = await asyncio.wait({task}, timeout=timeout_s / _LOOKS)
            if done:
                return task.result()
        raise TimeoutError
    finally:
        task.cancel()


async def to_its_end(work: Coroutine[object, object, T]) -> T:
    """Return what `work` comes to; whoever stops waiting for it does not stop it."""
    task = asyncio.ensure_future(work)
    _unfinished.add(task)
    task.add_done_callback(_let_go)
    return await asyncio.shield(task)


def _let_go(task: asyncio.Task[object]) -> None:
    _unfinished.discard(task)
    if not task.cancelled():
        task.exception()  # seen: perhaps nobody waits for it any more


def pauses() -> Iterator[float]:
    """Yield how long to wait before each further try, for ever, ever longer up to a bound.

    Drawn by lot: those who met once would otherwise meet again.
    """
    longest = _SHORTEST_PAUSE_S
    while True:
        yield uniform(_SHORTEST_PAUSE_S / 2, longest)
        longest = min(longest * 2, _LONGEST_PAUSE_S)


def is_contention(error: BaseException | None) -> bool:
    """Say whether a batch only met another writer, and left nothing behind."""
    while error is not None:
        locked = type(error).__name__ == "OperationalError" and "is locked" in str(error)
        if locked or getattr(error, "sqlstate", None) in _CONTENTION:
            return True
        error = error.__cause__
    return False


def is_transient(error: Exception) -> bool:
    """Say whether the same batch may work at once, as after a lost connection."""
    retry_on = RetryPolicy().retry_on
    return callable(retry_on) and not isinstance(retry_on, type) and bool(retry_on(error))
