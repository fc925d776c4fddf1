"""Locks of a user: within this process, and across processes where the store can."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from threading import Lock
from weakref import WeakKeyDictionary, WeakValueDictionary

from memory_graph.errors import StoreUnavailableError
from memory_graph.recent import Recent
from memory_graph.store.collection import Scope
from memory_graph.store.gateway import Gateway

_Locks = WeakValueDictionary[tuple[str, ...], asyncio.Lock]

_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Locks] = WeakKeyDictionary()

_held: set[tuple[str, ...]] = set()
"""The locks that are held, on whichever event loop."""

_held_guard = Lock()

_RETRY_S = 0.005

_LONGEST_WAIT_S = 20.0

_LONGEST_REPLY_WAIT_S = 5.0
"""A reply waits no longer for its facts; the next turn makes up for them."""

_STUCK_WAIT_S = 0.2
"""How long a lock is waited for that was waited for in vain: its process may have been stopped."""

_stuck: Recent[tuple[int, tuple[str, ...]], bool] = Recent(10_000)
"""The locks that were waited for in vain, by the store, and were not taken since."""


@asynccontextmanager
async def user_lock(root: tuple[str, ...]) -> AsyncIterator[None]:
    """Let one run of a user at a time decide what it writes. Holds within this process."""
    locks = _by_loop.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    lock = locks.setdefault(root, asyncio.Lock())
    async with lock:
        while not _take(root):  # noqa: ASYNC110 — an event belongs to one loop only
            await asyncio.sleep(_RETRY_S)
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


@asynccontextmanager
async def user_lock_across_processes(scope: Scope) -> AsyncIterator[None]:
    """Let no other run of this user decide on episodes until the block is left.

    Facts have a lock of their own: the reply waits for them, and not for an episode.

    Holds across processes where `locks_other_processes` says so, else within this one.

    Raises:
        StoreUnavailableError: If another run holds the lock for too long.
    """
    async with (
        user_lock((*scope.root, "captures")),
        _held_by_others(scope, scope.root, _LONGEST_WAIT_S),
    ):
        yield


@asynccontextmanager
async def facts_lock(scope: Scope) -> AsyncIterator[None]:
    """Let no other run of this user decide on facts until the block is left.

    A statement is added to a fact as it was read: two that read the same would lose one.

    Raises:
        StoreUnavailableError: If another run holds the lock for too long.
    """
    name = (*scope.root, "facts")
    async with user_lock(name), _held_by_others(scope, name, _LONGEST_REPLY_WAIT_S):
        yield


@asynccontextmanager
async def _held_by_others(
    scope: Scope, name: tuple[str, ...], longest_s: float
) -> AsyncIterator[None]:
    gateway = scope.gateway
    across_processes = gateway.backend.lock(gateway.store, _number_of(name))
    is_stuck = _stuck.get((id(gateway.store), name), False)
    try:
        async with asyncio.timeout(_STUCK_WAIT_S if is_stuck else longest_s):
            await across_processes.__aenter__()
    except TimeoutError as error:
        _stuck.put((id(gateway.store), name), value=True)
        raise StoreUnavailableError(
            f"Another process has held this user's lock for {longest_s:g} s or longer."
        ) from error
    _stuck.pop((id(gateway.store), name), None)
    scope.marks.forget()
    try:
        yield
    finally:
        await across_processes.__aexit__(None, None, None)


def locks_other_processes(gateway: Gateway) -> bool:
    """Say whether `user_lock_across_processes` excludes everybody who can write to the store.

    Where it does not, a limit has to be checked once more after the write.
    """
    return gateway.backend.locks_other_processes(gateway.store)


def _number_of(root: tuple[str, ...]) -> int:
    """Return a user's number for locks: 64 bits, signed, as Postgres wants it."""
    digest = sha256("\x00".join(root).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
