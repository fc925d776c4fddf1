"""How is a namespace searched that is too large to be held in process?

On our Postgres, in SQL: the nearest by vector and the best by full text come back as
candidates, and only they are indexed and ranked like everything else.
"""

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from langgraph.store.base import Item

from memory_graph.errors import StoreUnavailableError
from memory_graph.storage.gateway import Gateway
from memory_graph.storage.loops import is_on_another_loop
from memory_graph.storage.patience import within

if TYPE_CHECKING:
    from langgraph.store.postgres.aio import AsyncPostgresStore

_WORD = re.compile(r"[^\W_]+")

CANDIDATES = 200
"""How many of each kind are ranked."""

TEXT_INDEX = """
CREATE INDEX IF NOT EXISTS store_memories_text ON store
USING gin (to_tsvector('english', value ->> 'text')) WHERE prefix LIKE 'memories.%'
"""
"""Made when our own Postgres is opened; without it full text is found more slowly."""

_COUNT = "SELECT count(*) AS n FROM (SELECT 1 FROM store WHERE prefix = %s LIMIT %s) AS counted"
_BY_TEXT = """
SELECT key FROM store, websearch_to_tsquery('english', %s) AS wanted
WHERE prefix = %s AND prefix LIKE 'memories.%%'
AND to_tsvector('english', value ->> 'text') @@ wanted
ORDER BY ts_rank(to_tsvector('english', value ->> 'text'), wanted) DESC, key LIMIT %s
"""


async def is_large(gateway: Gateway, namespace: tuple[str, ...], most: int) -> bool:
    """Say whether a namespace holds more than `most` items and its store can search it itself."""
    store = _postgres(gateway)
    if store is None:
        return False
    [row] = await _rows(gateway, store, _COUNT, (".".join(namespace), most + 1))
    return int(str(row["n"])) > most


async def find_candidates(gateway: Gateway, namespace: tuple[str, ...], text: str) -> list[Item]:
    """Return the items nearest to `text` by the store's vectors, and the best by its words."""
    store = _postgres(gateway)
    assert store is not None
    near = await gateway.near(namespace, text, CANDIDATES)
    any_word = " or ".join(_WORD.findall(text))
    worded = await _rows(gateway, store, _BY_TEXT, (any_word, ".".join(namespace), CANDIDATES))
    known = {item.key for item in near}
    keys = [key for row in worded if (key := str(row["key"])) not in known]
    return [*near, *await gateway.get(namespace, keys)]


def _postgres(gateway: Gateway) -> "AsyncPostgresStore | None":
    # Not imported means that nobody can have opened one, and importing it is slow.
    module = sys.modules.get("langgraph.store.postgres.aio")
    if module is None or is_on_another_loop(gateway.store):
        return None
    if not isinstance(gateway.store, module.AsyncPostgresStore):
        return None
    return gateway.store if gateway.store.index_config else None


async def _rows(
    gateway: Gateway, store: "AsyncPostgresStore", sql: str, values: Sequence[object]
) -> list[dict[str, object]]:
    try:
        return await within(gateway.read_timeout_s, _fetched(store, sql, values))
    except TimeoutError as error:
        raise StoreUnavailableError("The store did not answer in time.") from error


async def _fetched(
    store: "AsyncPostgresStore", sql: str, values: Sequence[object]
) -> list[dict[str, object]]:
    async with store._cursor() as cursor:
        await cursor.execute(sql.encode(), values)
        return list(await cursor.fetchall())
