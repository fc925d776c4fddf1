"""What was forgotten stays forgotten: a canary is looked for in the store's own rows."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph import background, clock, episodic_capture, memory_hotpath
from memory_graph.context import Context
from memory_graph.curation.forget import forget, forget_everything
from memory_graph.settings import get_settings
from memory_graph.store.backends.sqlite import driver_with_extensions
from tests.conftest import NOON
from tests.fakes import CountingModel
from tests.faults.conftest import Conversation, foreign_nodes, rows_of

CANARY = "Zanzibarro"
TOLD = f"I live in {CANARY}. We decided to move the {CANARY} archive to Postgres, as SQLite locked."


@pytest.fixture
def raw_rows(request, backend, tmp_path):
    """Return a reader of everything the database holds: rows, vectors and text index."""

    def read() -> str:
        if isinstance(backend.store, InMemoryStore):
            return f"{dict(backend.store._data)} {dict(backend.store._vectors)}"
        if backend.store.__class__.__name__ == "AsyncSqliteStore":
            # By the store's own library: two copies of SQLite in a process undo each other's locks.
            library = driver_with_extensions() or sqlite3
            with library.connect(str(tmp_path / "memory.sqlite")) as connection:
                names = (
                    "SELECT name FROM sqlite_master WHERE type='table' AND sql NOT LIKE '%vec0%'"
                )
                tables = [name for (name,) in connection.execute(names)]
                return str(
                    {t: connection.execute(f'SELECT * FROM "{t}"').fetchall() for t in tables}
                )
        with psycopg.connect(request.getfixturevalue("postgres_url")) as connection:
            names = "SELECT tablename FROM pg_tables WHERE schemaname='public'"
            tables = [name for (name,) in connection.execute(names)]
            rows = {t: connection.execute(f'SELECT * FROM "{t}"').fetchall() for t in tables}
            words = "to_tsvector('english', value ->> 'text')"
            by_text = f"SELECT key FROM store WHERE {words} @@ %s::tsquery"
            rows["text index"] = connection.execute(by_text, (CANARY.casefold(),)).fetchall()
            rows["vectors"] = connection.execute("SELECT key, prefix FROM store_vectors").fetchall()
            return str(rows)

    return read


async def test_old_threads_bring_nothing_back(surface, store, memory_for, raw_rows):
    graph = surface(store, None)
    threads = [Conversation(graph, "one"), Conversation(graph, "two")]
    for thread in threads:
        await thread.say("ana", TOLD)
    assert CANARY in raw_rows()

    await forget_everything(memory_for("ana"), NOON)
    left = raw_rows()
    for thread in threads:
        await thread.say("ana", "We decided to buy a bike.")
        await thread.say("ana", "We decided to paint the fence green.")

    assert CANARY not in left
    assert CANARY not in raw_rows()
    assert "bike" in await rows_of(store, "ana")
    assert "fence" in await rows_of(store, "ana")


async def test_no_vector_outlives_its_memory(store, memory_for, raw_rows):
    await Conversation(foreign_nodes(store, None)).say("ana", TOLD)

    await forget_everything(memory_for("ana"), NOON)

    left = raw_rows()
    assert "turn-" not in left
    assert "ep-" not in left
    assert "profile:" not in left


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_no_copy_stays_in_the_files_beside_the_database(store, memory_for, tmp_path):
    memory = memory_for("ana")
    await Conversation(foreign_nodes(store, None)).say("ana", TOLD)
    assert CANARY.encode() in _bytes_of(tmp_path)

    for fact in await memory.facts.all():
        await forget(memory, fact, NOON)
    assert f"lives in {CANARY}".encode() not in _bytes_of(tmp_path)

    await forget_everything(memory, NOON)
    assert CANARY.encode() not in _bytes_of(tmp_path)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
async def test_an_erasure_waits_for_those_who_read_the_log(store, memory_for, tmp_path):
    await Conversation(foreign_nodes(store, None)).say("ana", TOLD)
    library = driver_with_extensions() or sqlite3
    with closing(library.connect(str(tmp_path / "memory.sqlite"))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM store").fetchone()
        erasing = asyncio.create_task(forget_everything(memory_for("ana"), NOON))
        done, _ = await asyncio.wait({erasing}, timeout=1)
        assert not done
        reader.execute("ROLLBACK")
    await erasing

    assert CANARY.encode() not in _bytes_of(tmp_path)


def _bytes_of(folder: Path) -> bytes:
    files = [each for each in folder.glob("memory.sqlite*") if each.is_file()]
    return b"".join(each.read_bytes() for each in files)


async def test_a_run_that_is_played_again_brings_nothing_back(surface, store, memory_for, raw_rows):
    conversation = Conversation(surface(store, None))
    conversation.config["configurable"]["user_id"] = "ana"
    await conversation.say("ana", TOLD)
    graph, config = conversation.graph, conversation.config
    steps = [each async for each in graph.aget_state_history(config)]
    begun = next(each for each in steps if each.metadata["step"] == 0)
    await forget_everything(memory_for("ana"), clock.utc_now())

    for step in (begun.config, config):
        await graph.ainvoke(None, step, context=Context(user_id="ana"))
    assert CANARY not in raw_rows()
    await conversation.say("ana", "Thanks!")
    assert CANARY not in raw_rows()
    await conversation.say("ana", "My cat Luna is 3.")
    assert "Luna" in await rows_of(store, "ana")


async def test_a_run_that_was_queued_brings_nothing_back(surface, store, memory_for, raw_rows):
    conversation = Conversation(surface(store, None))
    queued_at = clock.utc_now().timestamp() * 1000
    await forget_everything(memory_for("ana"), clock.utc_now())
    conversation.config["configurable"]["__request_start_time_ms__"] = int(queued_at)
    await conversation.say("ana", TOLD)
    assert CANARY not in raw_rows()

    del conversation.config["configurable"]["__request_start_time_ms__"]
    await conversation.say("ana", "Thanks!")
    assert CANARY not in raw_rows()
    await conversation.say("ana", "My cat Luna is 3.")
    assert "Luna" in await rows_of(store, "ana")


async def test_a_run_that_waits_before_memory_reads_it_brings_nothing_back(
    store, memory_for, raw_rows
):
    is_waiting, goes_on = asyncio.Event(), asyncio.Event()

    async def wait(_: MessagesState) -> dict[str, object]:
        is_waiting.set()
        await goes_on.wait()
        return {}

    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("wait", wait)
    builder.add_node("memory_hotpath", memory_hotpath)
    builder.add_node("episodic_capture", episodic_capture)
    builder.add_edge(START, "wait")
    builder.add_edge("wait", "memory_hotpath")
    builder.add_edge("memory_hotpath", "episodic_capture")
    conversation = Conversation(builder.compile(store=store, checkpointer=InMemorySaver()))
    running = asyncio.create_task(conversation.say("ana", TOLD))
    await is_waiting.wait()
    await forget_everything(memory_for("ana"), clock.utc_now())
    goes_on.set()
    await running

    assert CANARY not in raw_rows()


class ForgettingModel(CountingModel):
    """A model that takes so long that everything is forgotten while it thinks."""

    memory: object = None
    at: int = 0

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        if self.calls == self.at:
            await forget_everything(self.memory, NOON)
        return self._generate(messages, stop, run_manager, **kwargs)


FACT = {
    "facts": [
        {
            "statement": f"The user lives in {CANARY}.",
            "category": "profile",
            "entity": "user",
            "attribute": "city",
            "value": CANARY,
        }
    ]
}


@pytest.mark.parametrize("at", [0, 1], ids=["while facts are read", "while an episode is written"])
@pytest.mark.parametrize("mode", ["inline", "background"])
async def test_a_turn_under_way_writes_nothing_that_was_forgotten(
    store, memory_for, raw_rows, monkeypatch, at, mode
):
    monkeypatch.setenv("MEMORY_GRAPH_CAPTURE_MODE", mode)
    get_settings.cache_clear()
    model = ForgettingModel(answers=[FACT, "no episode"], memory=memory_for("ana"), at=at)
    conversation = Conversation(foreign_nodes(store, model))

    await conversation.say("ana", TOLD)

    await background.drain()

    assert model.calls >= at + 1
    assert CANARY not in raw_rows()
