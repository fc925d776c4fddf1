"""Run store operations: bounded in time, retried, and checked for their owner."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import uniform
from typing import Any, TypeVar

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from memory_graph.errors import (
    ConfigurationError,
    ForgottenMeanwhileError,
    StoreUnavailableError,
)
from memory_graph.settings import Settings
from memory_graph.store.backends import backend_of
from memory_graph.store.backends.protocol import EVERYTHING, FEW, Backend, Guard, mark_in
from memory_graph.store.values import Candidates, Sought, warn_once

T = TypeVar("T")

_Reads = tuple[list[Op], "asyncio.Task[list[Result]]"]

_CHECKS = 15

_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.25

_unfinished: "set[asyncio.Future[Any]]" = set()
"""Strong references: an event loop keeps only weak ones to its tasks."""

logger = logging.getLogger(__name__)

_MEND = (
    "Memory goes on by words. If the embedder or its dimensions were changed, "
    "`memory-graph reembed` mends the store; `memory-graph doctor` says what it finds."
)


@dataclass(frozen=True)
class Gateway:
    """A store as this package uses it.

    Operations go to `abatch` directly. The store's convenience methods share one queue
    between all users of the event loop, where one bad write fails everybody's and one
    slow embedding delays everybody's reads.
    """

    store: BaseStore
    read_timeout_s: float
    write_timeout_s: float
    scan_timeout_s: float
    """Reading a whole namespace takes longer the more there is in it."""

    backend: Backend = field(init=False)
    _waiting: "dict[asyncio.AbstractEventLoop, _Reads]" = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Reads that begin as soon as everybody who asks at this moment has done so."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "backend", backend_of(self.store))

    async def get(self, namespace: tuple[str, ...], keys: Sequence[str]) -> list[Item]:
        """Return the items under `keys` that exist."""
        ops = [GetOp(namespace, key, refresh_ttl=False) for key in keys]
        found = await self._read(ops) if ops else []
        return [item for item in found if isinstance(item, Item) and _owned(item, namespace)]

    async def scan(
        self,
        namespace: tuple[str, ...],
        *,
        where: dict[str, object] | None = None,
        limit: int = EVERYTHING,
        timeout_s: float | None = None,
    ) -> list[SearchItem]:
        """Return the items of a namespace, in the store's own order."""
        op = SearchOp(namespace, filter=where, limit=limit, refresh_ttl=False)
        [found] = await self._run([op], timeout_s or self.scan_timeout_s)
        return _hits(found, op)

    async def few(self, namespace: tuple[str, ...]) -> list[SearchItem]:
        """Return the items of a namespace that holds few: they are read along with others."""
        op = SearchOp(namespace, limit=FEW, refresh_ttl=False)
        [found] = await self._read([op])
        return _hits(found, op)

    async def scan_all(
        self, namespaces: Sequence[tuple[str, ...]], timeout_s: float
    ) -> list[list[SearchItem]]:
        """Return the items of several namespaces, read in this order in one round trip."""
        ops = [SearchOp(each, limit=EVERYTHING, refresh_ttl=False) for each in namespaces]
        found = await self._run(ops, timeout_s)
        return [_hits(items, op) for items, op in zip(found, ops, strict=True)]

    @property
    def searches(self) -> bool:
        """Whether the store itself can choose the candidates of a search."""
        if _is_on_another_loop(self.backend, self.store):
            return False
        return self.backend.searches(self.store)

    async def count(self, namespace: tuple[str, ...], most: int) -> int:
        """Return how many items a namespace has, counted up to `most`."""
        return await self._asked(lambda: self.backend.count(self.store, namespace, most))

    async def candidates(self, namespace: tuple[str, ...], sought: Sought) -> Candidates:
        """Return the items that may be among the best of a search; by words if vectors fail."""
        choose = self.backend.candidates
        try:
            return await self._asked(lambda: choose(self.store, namespace, sought))
        except StoreUnavailableError:
            raise
        except Exception as error:
            if sought.vector is None:
                raise
            warn_once(f"The store's vector index did not answer ({type(error).__name__}). {_MEND}")
            plain = replace(sought, vector=None)
            return await self._asked(lambda: choose(self.store, namespace, plain))

    async def keys(self, namespace: tuple[str, ...]) -> list[str]:
        """Return the keys of all items of a namespace."""
        return await self._asked(lambda: self.backend.keys(self.store, namespace))

    async def latest(self, namespace: tuple[str, ...], limit: int) -> list[str]:
        """Return the keys of the items of the latest date, newest first."""
        return await self._asked(lambda: self.backend.latest(self.store, namespace, limit))

    async def tally(
        self, namespace: tuple[str, ...], names: Sequence[str], where: Mapping[str, object]
    ) -> dict[tuple[str, ...], int]:
        """Return how many items of a namespace have each combination of fields."""
        return await self._asked(lambda: self.backend.tally(self.store, namespace, names, where))

    async def _asked(self, ask: Callable[[], Coroutine[object, object, T]]) -> T:
        """Ask a store in its own language, once more after a lost connection."""

        async def twice() -> T:
            try:
                return await ask()
            except Exception as error:
                if not _is_transient(error):
                    raise
                await self.backend.reconnect(self.store)
                return await ask()

        return await self._bounded(asyncio.ensure_future(twice()), self.read_timeout_s)

    async def namespaces(
        self, prefix: tuple[str, ...], *, depth: int, limit: int, offset: int = 0
    ) -> list[tuple[str, ...]]:
        """Return the namespaces below `prefix`, cut to `depth` labels, in the store's order."""
        below = MatchCondition("prefix", prefix)
        op = ListNamespacesOp((below,), max_depth=depth, limit=limit, offset=offset)
        [found] = await self._run([op], self.scan_timeout_s)
        listed = found if isinstance(found, list) else []
        return [each for each in listed if isinstance(each, tuple) and each[:1] == prefix[:1]]

    async def write(self, puts: Sequence[PutOp], guard: Guard | None = None) -> None:
        """Apply all `puts` as one batch, which the SQL stores make atomic.

        All writers take rows in the same order, or they would wait for each other.

        Raises:
            ForgottenMeanwhileError: If the guard does not hold; then nothing was written.
        """
        for batch in _without_equal_texts(puts):
            batch.sort(key=lambda put: (put.namespace, put.key))
            try:
                await self._write(batch, guard)
            except (ForgottenMeanwhileError, StoreUnavailableError, OSError):
                raise
            except Exception as error:
                if not any(put.index for put in batch):
                    raise
                await self._write_without_vectors(batch, guard, error)

    async def clean_files(self) -> None:
        """Leave no copy of what was deleted in files that the store writes beside its own."""

        async def work() -> None:
            await self._retried(lambda: self.backend.clean_files(self.store))

        loop = self.backend.event_loop(self.store)
        if loop is None or loop is asyncio.get_running_loop():
            await uncancellable(work())
        else:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), loop))

    async def _write(self, batch: Sequence[PutOp], guard: Guard | None) -> None:
        backend, store = self.backend, self.store
        if guard is None:
            await self._run(batch, self.write_timeout_s)
            return
        if backend.guards(store) and not _is_on_another_loop(backend, store):
            writing = self._retried(lambda: backend.write_if(store, guard, batch))
            holds = await self._bounded(asyncio.ensure_future(writing), self.write_timeout_s)
        else:
            found = await self.get(guard.namespace, [guard.key])
            holds = guard.mark == (mark_in(found[0].value) if found else "")
            if holds:
                await self._run(batch, self.write_timeout_s)
        if not holds:
            raise ForgottenMeanwhileError("Everything was forgotten before this was written.")

    async def _write_without_vectors(
        self, batch: Sequence[PutOp], guard: Guard | None, error: Exception
    ) -> None:
        """Write what the store's own vector index may have refused; memory is worth more.

        Raises:
            Exception: `error`, if it was not the index.
        """
        plain = [put._replace(index=False) if put.index else put for put in batch]
        try:
            await self._write(plain, guard)
        except Exception:  # noqa: BLE001 — so the index was not to blame
            raise error from None
        warn_once(f"The store's vector index took no vectors ({type(error).__name__}). {_MEND}")

    async def _read(self, ops: Sequence[Op]) -> list[Result]:
        """Read a little; what a step asks for at the same moment is one batch."""
        if self.backend.answers_at_once(self.store):
            return self.store.batch(ops)
        loop = asyncio.get_running_loop()
        waiting = self._waiting.get(loop)
        if waiting is None or waiting[1].done():
            waiting = self._waiting[loop] = self._reads(loop)
        wanted, task = waiting
        first = len(wanted)
        wanted += ops
        found = await self._bounded(task, self.read_timeout_s)
        return found[first : first + len(ops)]

    def _reads(self, loop: asyncio.AbstractEventLoop) -> "_Reads":
        wanted: list[Op] = []

        async def begin() -> list[Result]:
            self._waiting.pop(loop, None)
            return await self._retried(lambda: self._batch(wanted))

        return wanted, loop.create_task(begin())

    async def _run(self, ops: Sequence[Op], timeout_s: float) -> list[Result]:
        if self.backend.answers_at_once(self.store):
            return self.store.batch(ops)
        running = asyncio.ensure_future(self._retried(lambda: self._batch(ops)))
        return await self._bounded(running, timeout_s)

    async def _bounded(self, work: "asyncio.Future[T]", timeout_s: float) -> T:
        try:
            return await with_timeout(timeout_s, work)
        except TimeoutError as error:
            raise StoreUnavailableError(f"The store did not answer in {timeout_s:g} s.") from error

    async def _retried(self, run: Callable[[], Awaitable[T]]) -> T:
        """Run a batch: once more after a lost connection, until it works while others write."""
        was_lost, pause = False, _pauses()
        while True:
            try:
                return await run()
            except Exception as error:
                if self.backend.is_contention(error):
                    await asyncio.sleep(next(pause))
                elif was_lost or not _is_transient(error):
                    raise
                else:
                    was_lost = True
                    await self.backend.reconnect(self.store)

    async def _batch(self, ops: Sequence[Op]) -> list[Result]:
        if _is_on_another_loop(self.backend, self.store):
            return await asyncio.to_thread(self.store.batch, ops)
        try:
            if self.backend.may_cancel(self.store):
                return await self.backend.batch(self.store, ops)
            return await uncancellable(self.backend.batch(self.store, ops))
        except NotImplementedError:  # a store with a synchronous interface only
            return await asyncio.to_thread(self.store.batch, ops)


def open_gateway(store: BaseStore, settings: Settings) -> Gateway:
    """Return a store with the time limits that the settings name."""
    return Gateway(
        store,
        settings.limits.store_read_timeout_s,
        settings.limits.store_write_timeout_s,
        settings.limits.store_scan_timeout_s,
    )


def _hits(found: Result, op: SearchOp) -> list[SearchItem]:
    items = found if isinstance(found, list) else []
    hits = [item for item in items if isinstance(item, SearchItem)]
    return [item for item in hits if _owned(item, op.namespace_prefix)]


def _owned(item: Item, namespace: tuple[str, ...]) -> bool:
    """Check again whose item this is: old stores leaked between users with like names."""
    if tuple(item.namespace) == namespace:
        return True
    logger.error("The store returned an item of another namespace; it was dropped.")
    return False


def _without_equal_texts(puts: Sequence[PutOp]) -> list[list[PutOp]]:
    """Split where two indexed texts are equal: InMemoryStore refuses them in one batch."""
    batches: list[list[PutOp]] = [[]]
    seen: set[object] = set()
    for put in puts:
        text = (put.value or {}).get("text") if put.index else None
        if text is not None and text in seen:
            batches.append([])
            seen = set()
        seen.add(text)
        batches[-1].append(put)
    return [batch for batch in batches if batch]


async def with_timeout(timeout_s: float, task: "asyncio.Future[T]") -> T:
    """Return the result of a task, or cancel it when the time is up.

    Time is counted in a fixed number of checks: a process that gets no processor for a while
    checks late, but as often, and does not take its store for dead.

    Raises:
        TimeoutError: If there is no result in time.
    """
    task.add_done_callback(_release)
    try:
        for _ in range(_CHECKS):
            done, _ = await asyncio.wait({task}, timeout=timeout_s / _CHECKS)
            if done and task.cancelled():  # by somebody else who read along
                raise StoreUnavailableError("Reading memory was cancelled.")
            if done:
                return task.result()
        raise TimeoutError
    finally:
        task.cancel()


async def uncancellable(work: Coroutine[object, object, T]) -> T:
    """Return the result of `work`, which runs to its end even if the caller is cancelled."""
    task = asyncio.ensure_future(work)
    _unfinished.add(task)
    task.add_done_callback(_release)
    return await asyncio.shield(task)


def _release(task: "asyncio.Future[Any]") -> None:
    _unfinished.discard(task)
    if not task.cancelled():
        task.exception()  # retrieved, so that asyncio does not report it when nobody waits


def _pauses() -> Iterator[float]:
    """Yield the pause before each further attempt, for ever, growing up to a bound.

    They are random: two writers that collided once would otherwise collide again.
    """
    longest = _SHORTEST_PAUSE_S
    while True:
        yield uniform(_SHORTEST_PAUSE_S / 2, longest)
        longest = min(longest * 2, _LONGEST_PAUSE_S)


def _is_transient(error: Exception) -> bool:
    """Say whether the same batch may work at once, as after a lost connection."""
    from langgraph.types import RetryPolicy  # noqa: PLC0415 — importing us must stay light

    retry_on = RetryPolicy().retry_on
    return callable(retry_on) and not isinstance(retry_on, type) and bool(retry_on(error))


def check_synchronous_use(store: BaseStore | None) -> None:
    """Refuse `invoke` on the event loop that the store needs to answer: it would never return.

    Raises:
        ConfigurationError: If the store's loop is stopped, or is the one that is waiting.
    """
    loop = backend_of(store).event_loop(store) if store is not None else None
    if loop is None:
        return
    if not loop.is_running() or loop is _loop_of_this_thread():
        raise ConfigurationError(
            f"`{type(store).__name__}` answers only on the event loop it was opened on. "
            "Call `await graph.ainvoke(...)` there, or use a store with a synchronous "
            "interface (`SqliteStore`, `PostgresStore`, `InMemoryStore`)."
        )


def _is_on_another_loop(backend: Backend, store: BaseStore) -> bool:
    loop = backend.event_loop(store)
    return loop is not None and loop is not asyncio.get_running_loop()


def _loop_of_this_thread() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
