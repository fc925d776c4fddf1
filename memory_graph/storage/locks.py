"""How do two runs of one user, in one process, take turns?"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Lock
from weakref import WeakKeyDictionary, WeakValueDictionary

_Locks = WeakValueDictionary[tuple[str, ...], asyncio.Lock]
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Locks] = WeakKeyDictionary()
_held: set[tuple[str, ...]] = set()
"""Whose turn it is, whichever event loop they run on."""

_held_guard = Lock()
_LOOK_AGAIN_S = 0.005


@asynccontextmanager
async def one_at_a_time(root: tuple[str, ...]) -> AsyncIterator[None]:
    """Let one run of a user at a time decide on what it writes."""
    locks = _by_loop.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    lock = locks.setdefault(root, asyncio.Lock())
    async with lock:
        while not _take(root):  # noqa: ASYNC110 — an event belongs to one loop only
            await asyncio.sleep(_LOOK_AGAIN_S)
        try:
            yield
        finally:
            _held.discard(root)


def _take(root: tuple[str, ...]) -> bool:
    with _held_guard:
        if root in _held:
            return False
        _held.add(root)
        return True
