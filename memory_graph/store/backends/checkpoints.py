"""LangGraph's Postgres saver with one plain statement for all that is to be saved at a moment."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import orjson
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import OperationalError
from psycopg_pool import PoolTimeout
from typing_extensions import override

from memory_graph import framework
from memory_graph.store.backends.together import Together

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow
    from psycopg_pool import AsyncConnectionPool

_WRITES = """
    INSERT INTO checkpoint_writes
        (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
    SELECT op ->> 0, op ->> 1, op ->> 2, op ->> 3, op ->> 4, (op ->> 5)::int, op ->> 6, op ->> 7,
        substring(given.bytes FROM (op ->> 8)::int FOR (op ->> 9)::int)
    FROM given, jsonb_array_elements({name}) AS op
    ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
"""

_SAVE = f"""
WITH given AS (
    SELECT %b::bytea AS bytes, %s::jsonb AS blobs, %s::jsonb AS written, %s::jsonb AS replaced,
        %s::jsonb AS saved
), blobs AS (
    INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    SELECT op ->> 0, op ->> 1, op ->> 2, op ->> 3, op ->> 4,
        substring(given.bytes FROM (op ->> 5)::int FOR (op ->> 6)::int)
    FROM given, jsonb_array_elements(given.blobs) AS op
    ON CONFLICT (thread_id, checkpoint_ns, channel, version) DO NOTHING
), written AS (
    {_WRITES.format(name="given.written")} DO NOTHING
), replaced AS (
    {_WRITES.format(name="given.replaced")} DO UPDATE
    SET channel = EXCLUDED.channel, type = EXCLUDED.type, blob = EXCLUDED.blob
), saved AS (
    INSERT INTO checkpoints
        (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
    SELECT op ->> 0, op ->> 1, op ->> 2, op ->> 3, op -> 4, op -> 5
    FROM given, jsonb_array_elements(given.saved) AS op
    ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id)
    DO UPDATE SET checkpoint = EXCLUDED.checkpoint, metadata = EXCLUDED.metadata
)
SELECT 1
""".encode()
"""The rows are those that LangGraph's own statements write. Bytes come as one value, from which
each row takes its part."""

_LOAD = f"""
SELECT asked.place, found.*
FROM jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS asked (op, place)
CROSS JOIN LATERAL (
    {AsyncPostgresSaver.SELECT_SQL}
    WHERE thread_id = op ->> 0 AND checkpoint_ns = op ->> 1 AND checkpoint_id = coalesce(
        op ->> 2,
        (SELECT max(checkpoint_id) FROM checkpoints
            WHERE thread_id = op ->> 0 AND checkpoint_ns = op ->> 1)
    )
) AS found
""".encode()
"""What LangGraph's own statement reads, of several threads: a checkpoint by its id, or the last."""

_LARGE = 200
"""Messages and other parts of values from which on they are encoded off the event loop."""

_LOST = ("08", "57P")
"""How the SQLSTATEs begin of a connection that was lost, or a server that stops."""

Typed = tuple[str, bytes]
Done = TypeVar("Done")


class _Job(NamedTuple):
    """What one call saves: rows of a table, each with its bytes, and perhaps a checkpoint."""

    table: str
    rows: Sequence[tuple[Sequence[object], Typed]]
    checkpoint: bytes | None = None


class PostgresSaver(AsyncPostgresSaver):
    """Saves what the runs of a worker have to save at the same moment with one statement.

    LangGraph's own saves every step of every run by two pipelines, one after the other, and these
    cost a worker a third of its processor time. What is stored is the same.
    """

    def __init__(self, pool: "AsyncConnectionPool[AsyncConnection[DictRow]]") -> None:
        super().__init__(pool)
        self._pool = pool
        self._save = Together(self._run, lambda error: isinstance(error, OperationalError))
        self._load = Together(self._find, lambda error: isinstance(error, OperationalError))

    @override
    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        configurable = config["configurable"]
        namespace = configurable.get("checkpoint_ns", "")
        row = await self._load((configurable["thread_id"], namespace, get_checkpoint_id(config)))
        if row is not None and row["checkpoint"]["v"] < framework.CHECKPOINT_VERSION:
            return await super().aget_tuple(config)
        return None if row is None else await framework.read_checkpoint(self, row)

    @override
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        configurable = config["configurable"]
        thread = (configurable["thread_id"], configurable["checkpoint_ns"])
        inline, apart = framework.split_channels(checkpoint["channel_values"])
        changed = {name: value for name, value in apart.items() if name in new_versions}
        encoded = await self._encode(list(changed.values()))
        row = (
            *thread,
            checkpoint["id"],
            configurable.get("checkpoint_id"),
            {**checkpoint, "channel_values": inline},
            get_serializable_checkpoint_metadata(config, metadata),
        )
        blobs = [
            ((*thread, name, new_versions[name]), typed)
            for name, typed in zip(changed, encoded, strict=True)
        ]
        await self._save(_Job("blobs", blobs, _json(row)))
        saved = {"thread_id": thread[0], "checkpoint_ns": thread[1]}
        return {"configurable": {**saved, "checkpoint_id": checkpoint["id"]}}

    @override
    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        configurable = config["configurable"]
        names = ("thread_id", "checkpoint_ns", "checkpoint_id")
        task = (*(configurable[name] for name in names), task_id, task_path)
        table = "replaced" if all(each in WRITES_IDX_MAP for each, _ in writes) else "written"
        encoded = await self._encode([value for _, value in writes])
        rows = [
            ((*task, WRITES_IDX_MAP.get(channel, number), channel), typed)
            for number, ((channel, _), typed) in enumerate(zip(writes, encoded, strict=True))
        ]
        await self._save(_Job(table, rows))

    async def _encode(self, values: Sequence[object]) -> list[Typed]:
        size = sum(len(each) for each in values if isinstance(each, list | dict | tuple))

        def encode() -> list[Typed]:
            return [self.serde.dumps_typed(value) for value in values]

        return encode() if size < _LARGE else await asyncio.to_thread(encode)

    async def _run(self, jobs: Sequence[_Job]) -> list[None]:
        rows: dict[str, list[object]] = {"blobs": [], "written": [], "replaced": []}
        parts, place = list[bytes](), 1
        for job in jobs:
            for row, (kind, blob) in job.rows:
                rows[job.table].append((*row, kind, place, len(blob)))
                parts.append(blob)
                place += len(blob)
        saved = [orjson.Fragment(job.checkpoint) for job in jobs if job.checkpoint]
        values = [orjson.dumps(each).decode() for each in (*rows.values(), saved)]

        async def save() -> None:
            async with self._pool.connection() as connection:
                await connection.execute(_SAVE, [b"".join(parts), *values])

        await _twice(save)
        return [None] * len(jobs)

    async def _find(self, wanted: Sequence[tuple[str, str, str | None]]) -> "list[DictRow | None]":
        async def load() -> "list[DictRow]":
            async with self._pool.connection() as connection:
                asked = [orjson.dumps(wanted).decode()]
                return await (await connection.execute(_LOAD, asked, binary=True)).fetchall()

        found = {row.pop("place") - 1: row for row in await _twice(load)}
        return [found.get(place) for place in range(len(wanted))]


async def _twice(run: Callable[[], Awaitable[Done]]) -> Done:
    """Ask the database, and once more after a lost connection."""
    try:
        return await run()
    except OperationalError as error:
        if not _is_lost(error):
            raise
        return await run()


def _is_lost(error: OperationalError) -> bool:
    if isinstance(error, PoolTimeout):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(_LOST)


def _json(row: Sequence[object]) -> bytes:
    """Encode as LangGraph does, which knows integers of any size."""
    try:
        return orjson.dumps(row)
    except TypeError:
        return json.dumps(row).encode()
