"""A store on plain Redis, and its backend: no modules, no vectors, nothing expires.

A namespace is one hash, whose fields are items. One sorted set names all namespaces. A batch of
writes is one script, which runs as a whole or not at all.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
)
from typing_extensions import override

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.protocol import Backend, Namespace, OpenedStore

if TYPE_CHECKING:
    from redis import Redis
    from redis.lock import Lock

logger = logging.getLogger(__name__)

_ROOT = "memory"
"""What the names of all keys begin with, so that others may use the same database."""

_WRITE = """
local time = redis.call('TIME')
local now = string.format('%d.%06d', time[1], time[2])
for n = 1, #ARGV, 3 do
    local space, key, value = ARGV[n], ARGV[n + 1], ARGV[n + 2]
    local items = KEYS[1] .. ':' .. space
    if value == '' then
        redis.call('HDEL', items, key)
        if redis.call('EXISTS', items) == 0 then redis.call('ZREM', KEYS[1], space) end
    else
        local old = redis.call('HGET', items, key)
        local created = old and string.match(old, '^%S+') or now
        redis.call('HSET', items, key, created .. ' ' .. now .. ' ' .. value)
        redis.call('ZADD', KEYS[1], 0, space)
    end
end
"""
"""An item is two times and a JSON text. The server's clock gives the times: workers may differ."""

_ANSWERS_WITHIN_S = 5.0
"""How long one wait for the server may take: it occupies a thread."""

_RETRIES, _SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 3, 0.05, 0.5
"""How often, and after which pauses, a command is sent again when its connection was lost."""

_LEASE_S = 10.0
"""After so long, the lock of a process that died is free; one that lives renews it in time."""

_RENEWALS = 5
_LOCK_RETRY_S = 0.02

_NEEDS_EXTRA = "`redis://` needs an extra: pip install 'langgraph-memory-nodes[redis]'."
_NO_ADDRESS = "This is no address of Redis: write `redis://USER:PASSWORD@HOST:PORT/NUMBER`."
_EVICTS = (
    "This Redis drops memories when it is full (`maxmemory-policy {policy}`). "
    "Set `maxmemory-policy noeviction`, or use another Redis."
)
_NOT_ON_DISK = (
    "This Redis keeps no log on disk, so a crash loses what was written since its last snapshot. "
    "Set `appendonly yes`."
)
_THREADS = (
    "Redis keeps memories; threads live and die with this process. "
    "In code, compile the graph with a checkpointer of your own."
)


class RedisStore(BaseStore):
    """A store on one Redis server, not a cluster. It works on every thread and event loop."""

    def __init__(self, client: "Redis") -> None:
        """Take a synchronous client of redis-py."""
        self.client = client
        self._script = client.register_script(_WRITE)

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the reads, then the writes, which happen together.

        Raises:
            ConnectionError: If the server does not answer.
        """
        ops = list(ops)
        written = [text for op in ops if isinstance(op, PutOp) for text in _written(op)]
        with _lost_connections():
            results = self._read(ops)
            if written:
                self._script([_ROOT], written)
        return results

    @override
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, ops: Sequence[Op]) -> list[Result]:
        """Read in two round trips: first which namespaces there are, then items."""
        listed = self._namespaces([_prefix(op) for op in ops])
        commands = [_commands(op, names) for op, names in zip(ops, listed, strict=True)]
        answers = iter(self._sent([command for some in commands for command in some]))
        return [
            _answer(op, names, [next(answers) for _ in some])
            for op, names, some in zip(ops, listed, commands, strict=True)
        ]

    def _namespaces(self, prefixes: Sequence[Namespace | None]) -> list[list[Namespace]]:
        """Return the namespaces below each prefix, and none where there is no prefix."""
        asked = [prefix for prefix in prefixes if prefix is not None]
        found = iter(self._sent([("ZRANGEBYLEX", _ROOT, *_range(prefix)) for prefix in asked]))
        return [[] if prefix is None else _below(prefix, next(found)) for prefix in prefixes]

    def _sent(self, commands: Sequence[tuple[str, ...]]) -> list[Any]:
        pipeline: Any = self.client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return list(pipeline.execute())


@contextmanager
def _lost_connections() -> Iterator[None]:
    """Raise Python's own `ConnectionError`, of which others know that it passes."""
    from redis import exceptions  # noqa: PLC0415 — an extra

    try:
        yield
    except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
        raise ConnectionError(str(error)) from error


def _written(put: PutOp) -> tuple[str, str, bytes]:
    value = b"" if put.value is None else orjson.dumps(put.value)
    return ".".join(put.namespace), put.key, value


def _prefix(op: Op) -> Namespace | None:
    """Return what the namespaces begin with that an operation is about, if it is about several."""
    if isinstance(op, SearchOp):
        return op.namespace_prefix
    if not isinstance(op, ListNamespacesOp):
        return None
    conditions = op.match_conditions or ()
    fixed = [e.path for e in conditions if e.match_type == "prefix" and "*" not in e.path]
    return tuple(fixed[0]) if fixed else ()


def _range(prefix: Namespace) -> tuple[str, str]:
    """Return the bounds of all names that begin with a prefix and a dot, and of a few others."""
    name = ".".join(prefix)
    return (f"[{name}", f"({name}/") if name else ("-", "+")


def _below(prefix: Namespace, names: Iterable[bytes | str]) -> list[Namespace]:
    found = [tuple(_text(name).split(".")) for name in names]
    return [each for each in found if each[: len(prefix)] == prefix]


def _commands(op: Op, namespaces: Sequence[Namespace]) -> list[tuple[str, ...]]:
    if isinstance(op, GetOp):
        return [("HGET", _hash_of(op.namespace), op.key)]
    return [("HGETALL", _hash_of(each)) for each in namespaces if isinstance(op, SearchOp)]


def _answer(op: Op, namespaces: Sequence[Namespace], found: Sequence[Any]) -> Result:
    if isinstance(op, PutOp):
        return None
    if isinstance(op, GetOp):
        return _item(op.namespace, op.key, found[0]) if found[0] else None
    items: dict[Namespace, dict[str, Item]] = {each: {} for each in namespaces}
    for namespace, fields in zip(namespaces, found, strict=False):
        read = [_item(namespace, _text(key), raw) for key, raw in fields.items()]
        read.sort(key=lambda item: (-item.updated_at.timestamp(), item.key))
        items[namespace] = {item.key: item for item in read}
    return framework.answer_in_memory(op, items)


def _hash_of(namespace: Namespace) -> str:
    return f"{_ROOT}:{'.'.join(namespace)}"


def _item(namespace: Namespace, key: str, raw: bytes | str) -> Item:
    created, updated, value = _text(raw).split(" ", 2)
    return Item(
        namespace=namespace,
        key=key,
        value=orjson.loads(value),
        created_at=datetime.fromtimestamp(float(created), UTC),
        updated_at=datetime.fromtimestamp(float(updated), UTC),
    )


def _text(raw: bytes | str) -> str:
    return raw if isinstance(raw, str) else raw.decode()


class RedisBackend(Backend):
    """Redis, and what understands its hashes, sorted sets and scripts."""

    url_forms = ("redis://…", "rediss://…")

    @override
    def owns(self, store: BaseStore) -> bool:
        return isinstance(store, RedisStore)

    @override
    @asynccontextmanager
    async def open(self, url: str, embedder: Embedder) -> AsyncIterator[OpenedStore]:
        with _connect(url) as client:
            notes = await asyncio.to_thread(_notes, client)
            yield OpenedStore(self, "redis", RedisStore(client), InMemorySaver(), notes)

    @override
    def locks_other_processes(self, store: BaseStore) -> bool:
        return True

    @override
    @asynccontextmanager
    async def lock(self, store: BaseStore, number: int) -> AsyncIterator[None]:
        """Hold a lock that expires unless it is renewed, so that no dead process holds it."""
        assert isinstance(store, RedisStore)
        name = f"{_ROOT}-lock:{number}"
        lock = store.client.lock(name, timeout=_LEASE_S, thread_local=False)
        while not await asyncio.to_thread(_taken, lock):  # noqa: ASYNC110 — held elsewhere
            await asyncio.sleep(_LOCK_RETRY_S)
        renewal = asyncio.create_task(_renew(lock))
        try:
            yield
        finally:
            renewal.cancel()
            await asyncio.to_thread(_release, lock)


BACKEND = RedisBackend()


def _connect(url: str) -> "Redis":
    """Return a client that tries again for a moment when a connection is lost.

    Raises:
        ConfigurationError: If the package is missing, or the URL is none of Redis.
    """
    try:
        from redis import Redis  # noqa: PLC0415 — an extra
        from redis.backoff import ExponentialBackoff  # noqa: PLC0415
        from redis.retry import Retry  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(_NEEDS_EXTRA) from error
    retry = Retry(ExponentialBackoff(cap=_LONGEST_PAUSE_S, base=_SHORTEST_PAUSE_S), _RETRIES)
    try:
        return Redis.from_url(url, socket_timeout=_ANSWERS_WITHIN_S, retry=retry)
    except ValueError as error:
        raise ConfigurationError(_NO_ADDRESS) from error


def _notes(client: "Redis") -> tuple[str, ...]:
    """Return what may lose memories here.

    Raises:
        ConfigurationError: If memories would be dropped when the server is full.
    """
    from redis.exceptions import ResponseError  # noqa: PLC0415 — an extra

    try:
        with _lost_connections():
            told: Mapping[str, Any] = client.info()
    except ResponseError:  # not everybody may ask
        return (_THREADS,)
    policy = str(told.get("maxmemory_policy", ""))
    if told.get("maxmemory") and policy.startswith("allkeys"):
        raise ConfigurationError(_EVICTS.format(policy=policy))
    return (_THREADS,) if told.get("aof_enabled", 1) else (_THREADS, _NOT_ON_DISK)


def _taken(lock: "Lock") -> bool:
    with _lost_connections():
        return bool(lock.acquire(blocking=False))


async def _renew(lock: "Lock") -> None:
    from redis.exceptions import RedisError  # noqa: PLC0415 — an extra

    while True:
        await asyncio.sleep(_LEASE_S / _RENEWALS)
        try:
            await asyncio.to_thread(lock.reacquire)
        except RedisError as error:
            logger.warning("A lock on Redis was not renewed: %s", error)


def _release(lock: "Lock") -> None:
    from redis.exceptions import RedisError  # noqa: PLC0415 — an extra

    try:
        lock.release()
    except RedisError as error:
        logger.warning("A lock on Redis was not released, it expires: %s", error)
