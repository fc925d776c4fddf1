"""The backend for LangGraph's Postgres stores, with the SQL that searches cold users."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import orjson
from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp, Result, SearchItem, SearchOp
from typing_extensions import override

from memory_graph import framework
from memory_graph.embedding import Embedder
from memory_graph.errors import StoreUnavailableError
from memory_graph.store.backends import locks
from memory_graph.store.backends import postgres_schema as schema
from memory_graph.store.backends.protocol import (
    FEW,
    Backend,
    Guard,
    Namespace,
    OpenedStore,
    Vectors,
    causes,
)
from memory_graph.store.values import Candidates, Sought, Statistics

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow
    from psycopg_pool import AsyncConnectionPool

    Pool = AsyncConnectionPool[AsyncConnection[DictRow]]


_POOL_DRIVER = "psycopg_pool"

_DRIVERS = {_POOL_DRIVER, "psycopg"}

_CONTENTION = {"40001", "40P01", "55P03"}
"""SQLSTATEs of a serialisation failure, a deadlock and a lock that was not available."""

_STARTS_WITHIN_S = 30.0
"""A worker that starts while its database starts waits for it; a turn does not."""

_OPTIONS = "-c jit=off"
"""Compiling the query for candidates takes as long as running it."""

_WITHOUT_VECTORS = """
SELECT key FROM store WHERE prefix = %s AND NOT EXISTS (
    SELECT FROM store_vectors AS v WHERE v.prefix = store.prefix AND v.key = store.key)
"""

_REACHED_WITHIN_S = 3

_COUNT = "SELECT count(*) AS n FROM (SELECT 1 FROM store WHERE prefix = %s LIMIT %s) AS counted"

_KEYS = "SELECT key FROM store WHERE prefix = %s"

_TELLS = """
coalesce(value ->> 'echoes', 'false') <> 'true'
AND coalesce(value ->> 'withdrawn', 'false') <> 'true'
AND coalesce(value -> 'captured' ->> 'state', '') <> 'open'
AND coalesce(value ->> 'text', '') <> ''
"""

_LATEST = f"""
SELECT key FROM store WHERE prefix = %s AND {_TELLS}
ORDER BY coalesce(value ->> 'said_at', value ->> 'ended_at', value ->> 'valid_from')::timestamptz
DESC, key LIMIT %s
"""

_TALLY = """
SELECT ARRAY(SELECT coalesce(value ->> name, '') FROM unnest(%s::text[]) AS name) AS named,
    count(*) AS n
FROM store WHERE prefix = %s AND value @> %s::jsonb GROUP BY named
"""

_CANDIDATES = """
WITH mine AS MATERIALIZED (
    SELECT key, each.*, string_to_array(stems, ' ') AS words, text ~ '[?]\\s*$' AS asks,
        extract(epoch FROM coalesce(said_at, ended_at, valid_from)::timestamptz) AS moment
    FROM store, jsonb_to_record(value) AS each (
        stems text, text text, "group" text, position numeric, pinned boolean, echoes boolean,
        withdrawn boolean, captured jsonb, role text, importance integer, speaker text,
        session text, said_at text, ended_at text, valid_from text, about_from text,
        about_until text
    ) WHERE prefix = %(prefix)s AND echoes IS NOT TRUE AND withdrawn IS NOT TRUE
        AND text <> '' AND captured ->> 'state' IS DISTINCT FROM 'open'
), size AS (
    SELECT count(*) AS documents, coalesce(avg(cardinality(words)), 0) AS length FROM mine
), hits AS MATERIALIZED (
    SELECT DISTINCT key, word FROM mine, unnest(words) AS word WHERE word = ANY(%(words)s::text[])
), asked AS (
    SELECT word, count(*) AS found FROM hits GROUP BY word
), near AS (
    SELECT key FROM store_vectors WHERE prefix = %(prefix)s AND %(vector)s::vector IS NOT NULL
    ORDER BY (embedding <=> %(vector)s::vector) + 0 LIMIT %(near)s
), told AS (
    SELECT key FROM hits JOIN asked USING (word), size GROUP BY key
    ORDER BY sum(power(ln(1 + (documents - found + 0.5) / (found + 0.5)), 2)) DESC, key
    LIMIT %(told)s
), timed AS (
    SELECT key FROM mine WHERE (moment >= %(start)s AND moment < %(end)s)
    OR (extract(epoch FROM about_from::timestamptz) < %(end)s
        AND extract(epoch FROM about_until::timestamptz) > %(start)s)
    ORDER BY moment DESC, key LIMIT %(told)s
), newest AS (
    SELECT key FROM mine ORDER BY moment DESC, key LIMIT %(latest)s
), pinned AS (
    SELECT key FROM mine WHERE mine.pinned ORDER BY moment DESC, key LIMIT %(latest)s
), chosen AS (
    SELECT key FROM near UNION SELECT key FROM told UNION SELECT key FROM timed
    UNION SELECT key FROM newest UNION SELECT key FROM pinned
), placed AS MATERIALIZED (
    SELECT key, "group", row_number() OVER (PARTITION BY "group" ORDER BY position, key) AS place
    FROM mine WHERE "group" IS NOT NULL
), around AS MATERIALIZED (
    SELECT DISTINCT "group", place + step AS place FROM chosen JOIN placed USING (key),
    generate_series(-3, 3) AS step
), wanted AS (
    SELECT key FROM chosen UNION SELECT key FROM placed JOIN around USING ("group", place)
)
SELECT NULL AS key, NULL AS cosine, jsonb_build_object('documents', documents, 'length', length,
    'found', (SELECT jsonb_object_agg(word, found) FROM asked)) AS value FROM size
UNION ALL
SELECT mine.key, 1 - (embedding <=> %(vector)s::vector), jsonb_strip_nulls(jsonb_build_object(
    'stems', stems, 'text', left(text, 1), 'role', role, 'asks', asks, 'position', position,
    'pinned', mine.pinned,
    'importance', importance, 'speaker', speaker, 'session', session, 'said_at', said_at,
    'ended_at', ended_at, 'valid_from', valid_from, 'about_from', about_from,
    'about_until', about_until))
FROM wanted JOIN mine USING (key) LEFT JOIN store_vectors AS v
    ON v.prefix = %(prefix)s AND v.key = mine.key AND v.field_name = 'text'
"""
"""What may be among the best of a search: by meaning, by rare words, by the time asked about, the
latest and the pinned, each with those around it in its conversation. The first row says how rare
words are in the whole namespace. Nothing but `prefix =` leads to a row, so that no other user's
memory is looked at, and partitions of `store` by prefix are pruned. `+ 0` keeps HNSW away, which
looks at everybody and silently returns too few rows of one user. A value is unpacked once:
it is stored apart from its row, so that each access to a field would fetch it again."""

_READ = """
SELECT NULL AS scan, prefix, key, value::text AS value, created_at, updated_at FROM store
WHERE (prefix, key) IN (SELECT op ->> 0, op ->> 1 FROM jsonb_array_elements(%s::jsonb) AS op)
UNION ALL
SELECT scan, prefix, key, value::text, created_at, updated_at
FROM jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS wanted (op, scan)
JOIN store ON prefix = op ->> 0 AND value @> (op -> 1)
"""
"""Items by key, and whole namespaces, in one round trip. The store's own `abatch` asks once for
every namespace, through a pipeline that costs three times the processor time."""

_WRITE = """
WITH held AS (
    SELECT 1 WHERE %s = coalesce((SELECT coalesce(value ->> 'mark', value ->> 'at') FROM store
        WHERE prefix = %s AND key = %s), '')
), gone AS (
    DELETE FROM store USING jsonb_array_elements(%s::jsonb) AS op, held
    WHERE prefix = op ->> 0 AND key = op ->> 1
), kept AS (
    INSERT INTO store (prefix, key, value, created_at, updated_at)
    SELECT op ->> 0, op ->> 1, op -> 2, now(), now()
    FROM jsonb_array_elements(%s::jsonb) WITH ORDINALITY AS each (op, place), held ORDER BY place
    ON CONFLICT (prefix, key) DO UPDATE
    SET value = EXCLUDED.value, updated_at = now(), expires_at = NULL, ttl_minutes = NULL
){embedded}
SELECT 1 FROM held
"""
"""A batch of writes is one statement, which needs no transaction around it, and which writes
nothing if its guard does not hold."""

_EMBEDDED = """, embedded AS (
    INSERT INTO store_vectors (prefix, key, field_name, embedding, created_at, updated_at)
    SELECT op ->> 0, op ->> 1, 'text', (op ->> 2)::vector, now(), now()
    FROM jsonb_array_elements(%s::jsonb) AS op, held
    ON CONFLICT (prefix, key, field_name) DO UPDATE
    SET embedding = EXCLUDED.embedding, updated_at = now()
)"""
"""Vectors are written with their rows; a store without an index has no table for them."""

_NO_GUARD = Guard((), "", "")


class PostgresBackend(Backend):
    """Postgres databases with pgvector. Only stores with a pool can lock other processes out."""

    url_forms = ("postgresql://…", "postgres://…")

    @override
    def owns(self, store: BaseStore) -> bool:
        return framework.driver_of(store) in _DRIVERS

    @override
    @asynccontextmanager
    async def open(self, url: str, embedder: Embedder) -> AsyncIterator[OpenedStore]:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415
        from langgraph.store.postgres.aio import AsyncPostgresStore  # noqa: PLC0415
        from psycopg_pool import PoolTimeout  # noqa: PLC0415

        index = schema.index_for(embedder)
        async with _pool(url) as pool:
            store = AsyncPostgresStore(pool, index=index)
            saver = AsyncPostgresSaver(pool)
            try:
                async with (
                    pool.connection(_STARTS_WITHIN_S) as connection,
                    schema.setup_lock(connection),
                ):
                    await schema.create_tables(connection, url, index)
                    await saver.setup()
            except PoolTimeout:
                await self.reach(url)  # says why, which the pool does not
                raise
            notes = await _notes(store, embedder.dims)
            async with locks.opened_for(store):
                yield OpenedStore(self, "postgres", store, saver, notes)

    @override
    async def reach(self, url: str) -> None:
        from psycopg import AsyncConnection, Error  # noqa: PLC0415 — only this backend needs it

        try:
            async with (
                asyncio.timeout(_REACHED_WITHIN_S),
                await AsyncConnection.connect(url, connect_timeout=_REACHED_WITHIN_S),
            ):
                return
        except (Error, TimeoutError) as error:
            reason = (str(error) or f"nobody answered in {_REACHED_WITHIN_S} s").splitlines()[0]
            raise StoreUnavailableError(f"Postgres cannot be reached: {reason}") from error

    @override
    async def fit_vectors(self, store: BaseStore) -> None:
        if not (framework.is_plain_postgres(store) and framework.has_vector_index(store)):
            return
        dims, pool = int(framework.index_of(store)["dims"]), framework.connection_of(store)
        if not _is_pool(pool) or await schema.dimensions(store) in {None, dims}:
            return
        async with (
            pool.connection() as connection,
            schema.setup_lock(connection),
            connection.transaction(),
        ):
            await schema.refit(connection, dims)

    @override
    async def without_vectors(self, store: BaseStore, namespace: Namespace) -> set[str]:
        if not (framework.is_plain_postgres(store) and framework.has_vector_index(store)):
            return set()
        rows = await framework.fetch_rows(store, _WITHOUT_VECTORS, (".".join(namespace),))
        return {str(row["key"]) for row in rows}

    @override
    async def batch(self, store: BaseStore, ops: Sequence[Op]) -> list[Result]:
        if not framework.is_plain_postgres(store):
            return await store.abatch(ops)
        if all(map(_is_plain_read, ops)):
            return await _read(store, ops)
        if all(isinstance(op, PutOp) and op.ttl is None for op in ops):
            await _write(store, [op for op in ops if isinstance(op, PutOp)])
            return [None] * len(ops)
        return await store.abatch(ops)

    @override
    def guards(self, store: BaseStore) -> bool:
        return framework.is_plain_postgres(store)

    @override
    async def write_if(self, store: BaseStore, guard: Guard, puts: Sequence[PutOp]) -> bool:
        return await _write(store, puts, guard)

    @override
    def vectors(self, store: BaseStore) -> Vectors:
        return "pgvector" if framework.has_vector_index(store) else "in process"

    @override
    def is_contention(self, error: BaseException) -> bool:
        return any(getattr(cause, "sqlstate", None) in _CONTENTION for cause in causes(error))

    @override
    def locks_other_processes(self, store: BaseStore) -> bool:
        return framework.driver_of(store) == _POOL_DRIVER

    @override
    @asynccontextmanager
    async def lock(self, store: BaseStore, number: int) -> AsyncIterator[None]:
        if self.locks_other_processes(store):
            async with locks.held(store, number):
                yield
        else:
            yield

    @override
    async def reconnect(self, store: BaseStore) -> None:
        pool = framework.connection_of(store)
        if _is_pool(pool):
            await pool.check()

    @override
    def searches(self, store: BaseStore) -> bool:
        # Not imported means that nobody can have opened one, and importing it is slow.
        module = sys.modules.get("langgraph.store.postgres.aio")
        is_ours = module is not None and isinstance(store, module.AsyncPostgresStore)
        return is_ours and framework.has_vector_index(store)

    @override
    async def count(self, store: BaseStore, namespace: Namespace, most: int) -> int:
        [row] = await framework.fetch_rows(store, _COUNT, (".".join(namespace), most))
        return int(str(row["n"]))

    @override
    async def candidates(
        self, store: BaseStore, namespace: Namespace, sought: Sought
    ) -> Candidates:
        rows = await framework.fetch_rows(store, _CANDIDATES, _asked(namespace, sought))
        [told] = [row["value"] for row in rows if row["key"] is None]
        return Candidates(
            {str(row["key"]): row["value"] for row in rows if row["key"] is not None},
            {str(row["key"]): float(row["cosine"]) for row in rows if row["cosine"] is not None},
            Statistics(told["documents"], told["found"] or {}, float(told["length"])),
        )

    @override
    async def keys(self, store: BaseStore, namespace: Namespace) -> list[str]:
        rows = await framework.fetch_rows(store, _KEYS, (".".join(namespace),))
        return [str(row["key"]) for row in rows]

    @override
    async def latest(self, store: BaseStore, namespace: Namespace, limit: int) -> list[str]:
        values = (".".join(namespace), limit)
        return [str(row["key"]) for row in await framework.fetch_rows(store, _LATEST, values)]

    @override
    async def tally(
        self,
        store: BaseStore,
        namespace: Namespace,
        names: Sequence[str],
        where: Mapping[str, object],
    ) -> dict[tuple[str, ...], int]:
        values = (list(names), ".".join(namespace), json.dumps(where))
        rows = await framework.fetch_rows(store, _TALLY, values)
        return {tuple(row["named"]): row["n"] for row in rows}


BACKEND = PostgresBackend()


def _is_plain_read(op: Op) -> bool:
    """Say whether one statement can answer an operation: by key, or a whole namespace."""
    if isinstance(op, GetOp):
        return not op.refresh_ttl
    if not isinstance(op, SearchOp) or op.query or op.offset or op.limit < FEW:
        return False
    return not any(isinstance(value, dict | list) for value in (op.filter or {}).values())


async def _read(store: BaseStore, ops: Sequence[Op]) -> list[Result]:
    gets = [(".".join(op.namespace), op.key) for op in ops if isinstance(op, GetOp)]
    scans = [op for op in ops if isinstance(op, SearchOp)]
    wanted = [(".".join(op.namespace_prefix), op.filter or {}) for op in scans]
    values = [orjson.dumps(each).decode() for each in (gets, wanted)]
    by_key: dict[tuple[str, str], Item] = {}
    by_scan: list[Any] = [[] for _ in scans]
    for row in await framework.fetch_rows(store, _READ, values):
        found = {
            "namespace": tuple(row["prefix"].split(".")),
            "key": row["key"],
            "value": orjson.loads(row["value"]),
            "created_at": row["created_at"],
            "updated_at": row["updated_at"],
        }
        if row["scan"] is None:
            by_key[row["prefix"], row["key"]] = Item(**found)
        else:
            by_scan[row["scan"] - 1].append(SearchItem(**found))
    got = iter([by_key.get(each) for each in gets])
    scanned = iter(by_scan)
    return [next(got) if isinstance(op, GetOp) else next(scanned) for op in ops]


async def _write(store: BaseStore, puts: Sequence[PutOp], guard: Guard = _NO_GUARD) -> bool:
    last = {(".".join(put.namespace), put.key): put for put in puts}
    texts = {where: put.value["text"] for where, put in last.items() if put.value and put.index}
    embedded: list[tuple[str, str, list[float]]] = []
    if texts and framework.has_vector_index(store):
        vectors = await framework.embed_for(store, list(texts.values()))
        embedded = [(*where, each) for where, each in zip(texts, vectors, strict=True)]
    gone = [where for where, put in last.items() if put.value is None]
    kept = [(*where, put.value) for where, put in last.items() if put.value is not None]
    values = [
        *(guard.mark, ".".join(guard.namespace), guard.key),
        *(orjson.dumps(each).decode() for each in (gone, kept, *([embedded] if embedded else []))),
    ]
    statement = _WRITE.format(embedded=_EMBEDDED if embedded else "")
    return bool(await framework.fetch_rows(store, statement, values))


def _asked(namespace: Namespace, sought: Sought) -> dict[str, object]:
    """Return the values of the query for candidates."""
    window = sought.window
    vector = None if sought.vector is None else str([*map(float, sought.vector)])
    return {
        "prefix": ".".join(namespace),
        "words": list(sought.words),
        "vector": vector,
        "start": window.start if window else None,
        "end": window.end if window else None,
        "near": sought.near,
        "told": sought.told,
        "latest": sought.latest,
    }


def _is_pool(connection: object) -> bool:
    return type(connection).__module__.partition(".")[0] == _POOL_DRIVER and hasattr(
        connection, "getconn"
    )


_CHECKED_S = 1.0
"""A connection that rested longer is checked before it is used: a round trip of its own."""

_used: "WeakKeyDictionary[object, float]" = WeakKeyDictionary()


async def _check(connection: "AsyncConnection[Any]") -> None:
    """Check a connection that has not been used for a while.

    One that breaks while it is in use fails one batch, which the gateway tries again.
    """
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415

    now = time.monotonic()
    if now - _used.get(connection, 0.0) > _CHECKED_S:
        await AsyncConnectionPool.check_connection(connection)
    _used[connection] = now


def _pool(url: str) -> "Pool":
    from psycopg import AsyncConnection  # noqa: PLC0415
    from psycopg.rows import DictRow, dict_row  # noqa: PLC0415
    from psycopg_pool import AsyncConnectionPool  # noqa: PLC0415

    return AsyncConnectionPool[AsyncConnection[DictRow]](
        url,
        min_size=1,
        max_size=10,
        timeout=5,
        open=False,
        check=_check,
        kwargs={
            "autocommit": True,
            "prepare_threshold": 0,
            "row_factory": dict_row,
            "options": _OPTIONS,
        },
    )


async def _notes(store: BaseStore, dims: int) -> tuple[str, ...]:
    found = await schema.dimensions(store)
    if found in {None, dims}:
        return ()
    told = f"The vector table takes {found} dimensions, the embedder has {dims}: search goes by "
    return (f"{told}words alone until `memory-graph reembed` has mended the table.",)
