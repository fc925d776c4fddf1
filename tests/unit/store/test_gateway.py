import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiosqlite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import PutOp, SearchItem
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from memory_graph.errors import StoreUnavailableError
from memory_graph.store.gateway import Gateway
from memory_graph.store.values import to_jsonable
from tests.examples import NOON
from tests.fakes import BrokenStore, FlakyStore, HangingStore

OURS = ("memories", "user1", "facts")


class LeakyStore(InMemoryStore):
    """A store that returns what shares the beginning of a name, as old ones did."""

    async def abatch(self, ops):
        theirs = ("memories", "user10", "facts")
        leak = SearchItem(
            namespace=theirs, key="k", value={"secret": 1}, created_at=NOON, updated_at=NOON
        )
        return [[leak] for _ in ops]


async def test_an_item_of_another_namespace_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    assert await Gateway(LeakyStore(), 1, 1, 1).scan(OURS) == []
    assert "another namespace" in caplog.text


async def test_a_store_that_hangs_is_given_up_in_time() -> None:
    with pytest.raises(StoreUnavailableError, match=r"0\.05 s"):
        await Gateway(HangingStore(), 0.05, 0.05, 0.05).scan(OURS)


async def test_a_lost_connection_is_tried_once_more_and_an_outage_is_not_hidden() -> None:
    flaky = FlakyStore()
    assert await Gateway(flaky, 1, 1, 1).scan(OURS) == []
    assert flaky.calls == 2

    with pytest.raises(ConnectionError):
        await Gateway(BrokenStore(), 1, 1, 1).scan(OURS)


async def test_a_store_with_a_synchronous_interface_only_works_too() -> None:
    with SqliteStore.from_conn_string(":memory:") as store:
        store.setup()
        gateway = Gateway(store, 5, 5, 5)

        await gateway.write([PutOp(OURS, "k", {"text": "hi"}, index=False)])

        assert [item.key for item in await gateway.get(OURS, ["k"])] == ["k"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner),
)


@given(values)
def test_whatever_is_made_jsonable_survives_json_and_a_second_time(value) -> None:
    import json

    clean = to_jsonable(value)

    text = json.dumps(clean, allow_nan=False, ensure_ascii=False)
    assert "\x00" not in text
    text.encode("utf-8")
    assert to_jsonable(json.loads(text)) == to_jsonable(clean)


@pytest.fixture
async def file_store(tmp_path: Path) -> AsyncIterator[AsyncSqliteStore]:
    """A store in a file that does not wait at all for other writers."""
    path = str(tmp_path / "m.sqlite")
    async with aiosqlite.connect(path, isolation_level=None, timeout=0) as connection:
        await connection.execute("PRAGMA journal_mode=WAL")
        store = AsyncSqliteStore(connection)
        await store.setup()
        yield store


def note(key: str) -> PutOp:
    return PutOp(OURS, key, {"text": key}, index=False)


class Hold:
    """A function of SQLite that does not return until it is let go."""

    def __init__(self) -> None:
        self.begun, self.over = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.begun.set()
        self.over.wait()


async def test_a_read_that_was_given_up_leaves_the_store_usable(
    file_store: AsyncSqliteStore,
) -> None:
    hold = Hold()
    await file_store.conn.create_function("hold", 0, hold)
    gateway = Gateway(file_store, 0.1, 5, 0.1)
    busy = asyncio.ensure_future(file_store.conn.execute("SELECT hold()"))
    await asyncio.to_thread(hold.begun.wait)

    with pytest.raises(StoreUnavailableError):
        await gateway.get(OURS, ["k"])
    hold.over.set()
    await busy

    assert await gateway.get(OURS, ["k"]) == []
    await gateway.write([note("k")])
    assert [item.key for item in await gateway.get(OURS, ["k"])] == ["k"]


async def test_a_write_that_was_cancelled_is_whole(file_store: AsyncSqliteStore) -> None:
    hold = Hold()
    await file_store.conn.create_function("hold", 0, hold)
    gateway = Gateway(file_store, 5, 5, 5)
    await gateway.write([note("old")])
    await file_store.conn.execute(
        "CREATE TRIGGER slow AFTER DELETE ON store BEGIN SELECT hold(); END"
    )

    writing = asyncio.create_task(gateway.write([PutOp(OURS, "old", None), note("new")]))
    await asyncio.to_thread(hold.begun.wait)
    writing.cancel()
    hold.over.set()
    await asyncio.wait({writing})

    assert writing.cancelled()
    assert [item.key for item in await gateway.get(OURS, ["old", "new"])] == ["new"]


async def test_another_process_that_never_ends_is_given_up_in_time(
    file_store: AsyncSqliteStore, tmp_path: Path
) -> None:
    other = sqlite3.connect(tmp_path / "m.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreUnavailableError, match=r"0\.3 s"):
        await Gateway(file_store, 5, 0.3, 5).write([note("k")])
    other.close()


class SlowStore(InMemoryStore):
    """A store that answers in some steps, each soon, while this process is busy elsewhere."""

    async def abatch(self, ops):
        for _ in range(3):
            await asyncio.sleep(0.01)
            time.sleep(0.1)  # noqa: ASYNC251 — that is the point
        return await super().abatch(ops)


async def test_a_process_that_is_busy_does_not_take_its_store_for_dead() -> None:
    assert await Gateway(SlowStore(), 0.2, 0.2, 0.2).scan(OURS) == []


class OrderedStore(InMemoryStore):
    """Keeps the order in which rows would be locked."""

    __slots__ = ("written",)

    async def abatch(self, ops):
        self.written = [(op.namespace[-1], op.key) for op in ops]
        return await super().abatch(ops)


async def test_all_writers_take_rows_in_one_order_so_that_none_waits_for_another() -> None:
    store = OrderedStore()
    rows = [("ledger", "a"), ("access", "y"), ("access", "x")]
    puts = [PutOp(("m", "u", kind), key, {"n": 1}, index=False) for kind, key in rows]

    await Gateway(store, 1, 1, 1).write(puts)

    assert store.written == [("access", "x"), ("access", "y"), ("ledger", "a")]
