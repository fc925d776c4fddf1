"""The saver of our Postgres backend against LangGraph's own: same rows, fewer statements."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import INTERRUPT, RESUME, empty_checkpoint
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from psycopg import AsyncConnection, OperationalError
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from memory_graph.store.backends.checkpoints import PostgresSaver

TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


@asynccontextmanager
async def opened(url: str, kind: type[AsyncPostgresSaver]) -> AsyncIterator[AsyncPostgresSaver]:
    options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with AsyncConnectionPool(url, min_size=1, max_size=4, kwargs=options) as pool:
        saver = kind(pool)
        await saver.setup()
        yield saver


async def rows_of(saver: AsyncPostgresSaver) -> dict[str, list[dict]]:
    async with saver.conn.connection() as connection:
        found = {}
        for table in TABLES:
            rows = await (await connection.execute(f"SELECT * FROM {table}")).fetchall()
            found[table] = sorted(rows, key=str)
        return found


def config(thread: str = "t", checkpoint_id: str | None = None) -> dict:
    return {
        "configurable": {
            "thread_id": thread,
            "checkpoint_ns": "",
            "checkpoint_id": checkpoint_id,
            "user_id": "ana",
        },
        "metadata": {"run": 1},
    }


VALUES = {
    "messages": [HumanMessage("hi", id="1"), AIMessage("hello", id="2")],
    "memory_context": "a „text“ with \\ and \n",
    "number": 2**80,
    "is_so": True,
    "nothing": None,
    "notes": {"a": [1, 2.5, None]},
    "unchanged": ["as before"],
    "delta": _DeltaSnapshot(["a"]),
}


async def save_all(saver: AsyncPostgresSaver) -> None:
    checkpoint = {**empty_checkpoint(), "id": "1", "ts": "now", "channel_values": VALUES}
    checkpoint["channel_versions"] = {name: "1.0" for name in VALUES}
    new = {name: "1.0" for name in VALUES if name != "unchanged"} | {"gone": "1.0"}
    metadata = {"source": "loop", "step": 1, "parents": {}, "writes": None}
    await saver.aput(config(), checkpoint, metadata, new)
    await saver.aput(config(checkpoint_id="1"), {**checkpoint, "id": "2"}, metadata, {})
    await saver.aput(config(checkpoint_id="1"), {**checkpoint, "id": "2", "v": 3}, metadata, new)
    task = config(checkpoint_id="2")
    await saver.aput_writes(task, [("messages", VALUES["messages"]), ("x", None)], "task", "~1")
    await saver.aput_writes(task, [("messages", ["another"]), ("x", 1), ("y", b"z")], "task", "~1")
    await saver.aput_writes(task, [(INTERRUPT, ["why?"])], "other")
    await saver.aput_writes(task, [(RESUME, ["first"])], "other")
    await saver.aput_writes(task, [(RESUME, ["second"]), (INTERRUPT, ["so"])], "other")


async def test_it_stores_the_rows_that_langgraphs_own_saver_stores(empty_postgres_url: str) -> None:
    """What fails here is a change of LangGraph's format: change `checkpoints.py` likewise."""
    found = []
    for kind in (AsyncPostgresSaver, PostgresSaver):
        async with opened(empty_postgres_url, kind) as saver:
            await save_all(saver)
            found.append(await rows_of(saver))
            await saver.adelete_thread("t")

    assert found[0] == found[1]
    assert all(found[0].values())


async def test_it_reads_what_langgraphs_own_saver_reads(
    empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By id, the last one, with pending writes, of an old version, and none: in one statement."""
    wanted = [config(), config(checkpoint_id="1"), config(checkpoint_id="9"), config("other")]
    async with opened(empty_postgres_url, AsyncPostgresSaver) as own:
        await save_all(own)
        plain = {**empty_checkpoint(), "id": "3", "ts": "now", "channel_values": {"a": [1]}}
        await own.aput(config("other", "2"), plain, {"step": 1}, {"a": "1.0"})
        expected = [await own.aget_tuple(each) for each in wanted]
    assert [each and each.checkpoint["id"] for each in expected] == ["2", "1", None, "3"]
    assert expected[0].checkpoint["v"] < 4
    assert expected[0].pending_writes

    async with opened(empty_postgres_url, PostgresSaver) as saver:
        statements = count_statements(monkeypatch)
        found = await asyncio.gather(*(saver.aget_tuple(each) for each in wanted))
        assert found == expected
        assert len(statements) == 1


def count_statements(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    statements: list[object] = []
    execute = AsyncConnection.execute

    async def counting(self, *args, **kwargs):
        statements.append(args)
        return await execute(self, *args, **kwargs)

    monkeypatch.setattr(AsyncConnection, "execute", counting)
    return statements


def asking() -> StateGraph:
    def ask(state: MessagesState) -> dict:
        return {"messages": [("ai", f"so you said {interrupt('what?')}")]}

    return StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask")


@pytest.mark.parametrize(
    ("first", "second"),
    [(AsyncPostgresSaver, PostgresSaver), (PostgresSaver, AsyncPostgresSaver)],
)
async def test_a_thread_goes_on_under_the_other_saver(
    empty_postgres_url: str, first: type, second: type
) -> None:
    async with opened(empty_postgres_url, first) as saver:
        graph = asking().compile(checkpointer=saver)
        asked = await graph.ainvoke({"messages": [("user", "hi")]}, config())
        assert asked["__interrupt__"][0].value == "what?"
    async with opened(empty_postgres_url, second) as saver:
        graph = asking().compile(checkpointer=saver)
        answered = await graph.ainvoke(Command(resume="that"), config())
        assert [m.content for m in answered["messages"]] == ["hi", "so you said that"]
        history = [each async for each in graph.aget_state_history(config())]
        assert [len(each.values.get("messages", ())) for each in history] == [2, 1, 0]


async def test_runs_at_the_same_moment_are_saved_together(
    empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(empty_postgres_url, PostgresSaver) as saver:
        statements = count_statements(monkeypatch)
        checkpoint = {**empty_checkpoint(), "id": "1", "channel_values": {"a": [1]}}
        threads = [f"t-{n}" for n in range(5)]
        await asyncio.gather(
            *(saver.aput(config(each), checkpoint, {}, {"a": "1"}) for each in threads),
            *(saver.aput_writes(config(each, "1"), [("a", [2])], "task") for each in threads),
        )
        assert len(statements) == 1
        for each in threads:
            saved = await saver.aget_tuple(config(each))
            assert saved.checkpoint["id"] == "1"
            assert saved.pending_writes == [("task", "a", [2])]


async def test_what_cannot_be_saved_fails_its_own_run_only(empty_postgres_url: str) -> None:
    async with opened(empty_postgres_url, PostgresSaver) as saver:
        good, bad = (
            {**empty_checkpoint(), "id": "1", "channel_values": {"a": text}}
            for text in ("fine", "not \x00 for Postgres")
        )
        done = await asyncio.gather(
            saver.aput(config("good"), good, {}, {}),
            saver.aput(config("bad"), bad, {}, {}),
            return_exceptions=True,
        )
        assert [isinstance(each, Exception) for each in done] == [False, True]
        assert await saver.aget_tuple(config("good"))
        assert await saver.aget_tuple(config("bad")) is None


async def test_answers_to_one_interrupt_replace_each_other_in_their_order(
    empty_postgres_url: str,
) -> None:
    async with opened(empty_postgres_url, PostgresSaver) as saver:
        await saver.aput(config(), {**empty_checkpoint(), "id": "1"}, {}, {})
        task = config(checkpoint_id="1")
        await asyncio.gather(
            *(saver.aput_writes(task, [(RESUME, each)], "task") for each in ("one", "two"))
        )
        saved = await saver.aget_tuple(config())
        assert saved.pending_writes == [("task", RESUME, "two")]


async def test_a_lost_connection_loses_no_checkpoint(
    empty_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(empty_postgres_url, PostgresSaver) as saver:
        execute, failed = AsyncConnection.execute, []

        async def failing(self, *args, **kwargs):
            if not failed:
                failed.append(args)
                raise OperationalError("the connection is closed")
            return await execute(self, *args, **kwargs)

        monkeypatch.setattr(AsyncConnection, "execute", failing)
        await saver.aput(config(), {**empty_checkpoint(), "id": "1"}, {}, {})
        assert failed
        assert await saver.aget_tuple(config())


async def test_a_run_that_gave_up_saves_nothing_more(empty_postgres_url: str) -> None:
    async with opened(empty_postgres_url, PostgresSaver) as saver:
        saving = asyncio.create_task(
            saver.aput(config(), {**empty_checkpoint(), "id": "1"}, {}, {})
        )
        await asyncio.sleep(0)
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)
        await saver.aput(config("other"), {**empty_checkpoint(), "id": "1"}, {}, {})
        assert await saver.aget_tuple(config()) is None
