"""Run what several users ask of a database at the same moment as one statement."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")


_PAUSE_S = 0.003
"""Between two batches while several jobs come at a time: more of them join. Set by hand: at ten
users who talk at once, a third fewer statements."""


class Together(Generic[Job, Done]):
    """Runs jobs in batches: while one batch is under way, the jobs of the next one gather.

    A statement costs a worker about half a millisecond of its processor, whatever it asks. Under
    load there are fewer of them; a job that comes alone runs at once.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Job]], Awaitable[Sequence[Done]]],
        is_common: Callable[[Exception], bool],
        most: int = 50,
    ) -> None:
        """Run batches by `run`; an error that `is_common` would meet each of the jobs."""
        self._run = run
        self._is_common = is_common
        self._most = most
        self._waiting: deque[tuple[Job, asyncio.Future[Done]]] = deque()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, job: Job) -> Done:
        """Return what a job brings. If its caller is cancelled before it begins, it is not run."""
        done: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self._waiting.append((job, done))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run_all())
        return await done

    async def _run_all(self) -> None:
        while self._waiting:
            count = min(len(self._waiting), self._most)
            batch = [self._waiting.popleft() for _ in range(count)]
            error = await self._attempt(batch)
            if count > 1:
                await asyncio.sleep(_PAUSE_S)
            if error is not None and len(batch) > 1 and not self._is_common(error):
                for each in batch:
                    _fail([each], await self._attempt([each]))
            else:
                _fail(batch, error)

    async def _attempt(
        self, batch: Sequence[tuple[Job, "asyncio.Future[Done]"]]
    ) -> Exception | None:
        wanted = [(job, done) for job, done in batch if not done.done()]
        try:
            results = await self._run([job for job, _ in wanted]) if wanted else ()
        except Exception as error:  # noqa: BLE001 — raised where the job came from
            return error
        for (_, done), result in zip(wanted, results, strict=True):
            if not done.done():
                done.set_result(result)
        return None


def _fail(batch: Sequence[tuple[Job, "asyncio.Future[Done]"]], error: Exception | None) -> None:
    for _, done in batch:
        if error is not None and not done.done():
            done.set_exception(error)
