"""How do two runs of one user, in one process, take turns?"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary, WeakValueDictionary

_Locks = WeakValueDictionary[tuple[str, ...], asyncio.Lock]
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Locks] = WeakKeyDictionary()


@asynccontextmanager
async def one_at_a_time(root: tuple[str, ...]) -> AsyncIterator[None]:
    """Let one run of a user at a time decide on what it writes."""
    locks = _by_loop.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    lock = locks.setdefault(root, asyncio.Lock())
    async with lock:
        yield
