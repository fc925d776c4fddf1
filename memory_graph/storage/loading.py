"""How is a long read shared by those who need it, and kept going when they cannot wait?"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from memory_graph.errors import StoreUnavailableError

T = TypeVar("T")
Where = tuple[int, tuple[str, ...]]
"""A store, by identity, and a namespace in it."""


@dataclass
class Loads(Generic[T]):
    """The reads under way in this process, one of a namespace at a time.

    They belong to nobody: a turn that runs out of time goes on without the memory, and the
    read goes on for the next turn. Otherwise a namespace that takes longer to read than a
    turn may wait could never be searched.
    """

    _running: dict[Where, asyncio.Task[T]] = field(default_factory=dict)

    async def settle(self, where: Where, patience_s: float) -> None:
        """Wait until no read is under way that began before this call."""
        if task := self._task(where):
            await _finish(task, patience_s)

    async def run(
        self, where: Where, read: Callable[[], Coroutine[Any, Any, T]], patience_s: float
    ) -> T:
        """Return what the read under way brings, or begin one.

        Raises:
            StoreUnavailableError: If it takes longer than `patience_s`; it goes on.
        """
        task = self._task(where)
        if task is None:
            task = asyncio.create_task(read())
            self._running[where] = task
            task.add_done_callback(lambda done: self._forget(where, done))
        await _finish(task, patience_s)
        if task.cancelled():
            raise StoreUnavailableError("Reading memory was given up.")
        return task.result()

    def _task(self, where: Where) -> "asyncio.Task[T] | None":
        task = self._running.get(where)
        # A loop that was closed, or runs in another thread, cannot be waited for.
        return task if task and task.get_loop() is asyncio.get_running_loop() else None

    def _forget(self, where: Where, task: "asyncio.Task[T]") -> None:
        if self._running.get(where) is task:
            del self._running[where]
        if not task.cancelled():
            task.exception()  # asked for, so that it is not reported as never retrieved


async def _finish(task: "asyncio.Task[T]", patience_s: float) -> None:
    await asyncio.wait({task}, timeout=patience_s)
    if not task.done():
        raise StoreUnavailableError(
            f"Reading memory takes more than {patience_s:g} s; it goes on for the next turn."
        )
