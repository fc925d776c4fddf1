"""An embedder that is down, slow or another one costs no fact and little time."""

import asyncio
import json
import logging
import sys
import time

import numpy as np
import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, build_graph, embedding
from memory_graph.embedding import Embedder, Scale, load_embedder
from memory_graph.errors import EmbedderMismatchError, EmbedderUnavailableError
from memory_graph.settings import Settings, get_settings
from memory_graph.store import reembed, values
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.configured import configure
from tests.faults.conftest import Conversation, foreign_nodes
from tests.openai_endpoint import Endpoint, Reply, serving

NAME = "openai:text-embedding-3-small@8"


def vectors(request: dict) -> Reply:
    texts = request["input"]
    data = [
        {"object": "embedding", "index": n, "embedding": np.eye(8)[len(str(t)) % 8].tolist()}
        for n, t in enumerate(texts)
    ]
    return Reply(json.dumps({"object": "list", "data": data, "model": "m", "usage": {}}))


OUTAGES = {
    "500": lambda request: Reply('{"error": {"message": "down"}}', status=500),
    "429": lambda request: Reply('{"error": {"message": "slow down"}}', status=429),
    "HTML": lambda request: Reply("<html>Bad gateway</html>", content_type="text/html"),
    "nonsense": lambda request: Reply('{"data": "none"}'),
    "hanging": lambda request: Reply("{}", delay_s=5),
}


@pytest.fixture
def endpoint(monkeypatch):
    with serving() as served:
        served.answer = vectors
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", NAME)
        configure(monkeypatch, limits={"embedder_timeout_s": 1})
        embedding._named.cache_clear()
        yield served
    embedding._named.cache_clear()


def rested() -> None:
    """Let the pause after a failure be over."""
    embedding.configured_embedder(get_settings())._rest.clear()


@pytest.mark.parametrize("outage", OUTAGES)
async def test_an_outage_costs_no_fact_and_is_repaired(
    endpoint: Endpoint, store, memory_for, outage
):
    conversation = Conversation(foreign_nodes(store, None))
    endpoint.answer = OUTAGES[outage]
    await conversation.say("ana", "I live in Porto.")
    await conversation.say("ana", "My cat Luna is 3.")

    memory = memory_for("ana")
    assert {"profile:city", "profile:pet:luna:age"} <= {f.id for f in await memory.facts.all()}
    assert len(endpoint.requests) < 8, "it is left alone after a failure"
    items = await memory.scope.gateway.scan(memory.facts.namespace)
    assert all("unembedded" in item.value for item in items)

    endpoint.answer = vectors
    rested()
    await conversation.say("ana", "Thanks!")
    items = await memory.scope.gateway.scan(memory.facts.namespace)
    assert all("embedding" in i.value and "unembedded" not in i.value for i in items)
    assert (
        not memory.scope.may_lack_vectors
        or await reembed.repair_vectors(memory, (await memory.facts.all())[0].created_at) == 0
    )


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
async def test_what_was_said_is_found_by_its_words_meanwhile(endpoint, store, memory_for):
    graph = build_graph(store=store)
    endpoint.answer = OUTAGES["500"]
    for said in ("I live in Porto.", "What city do I live in?"):
        result = await graph.ainvoke(
            {"messages": [HumanMessage(said)]}, context=Context(user_id="ana")
        )
    assert "Porto" in result["messages"][-1].text


class Slow:
    """An encoder that takes its time, and counts who waits for it at once."""

    chunk_chars = 1000
    now, most, calls = 0, 0, 0
    takes_s = 0.5

    def encode(self, texts):
        Slow.calls += 1
        Slow.now += 1
        Slow.most = max(Slow.most, Slow.now)
        time.sleep(self.takes_s)
        Slow.now -= 1
        return np.ones((len(texts), 8), dtype=np.float32)


class Hanging(Slow):
    takes_s = 3


@pytest.fixture(autouse=True)
def _uncounted():
    Slow.now = Slow.most = Slow.calls = 0


async def test_a_slow_embedder_of_one_holds_up_nobody_else():
    slow = Embedder("slow", 8, Scale(0.1, 0.5, 0.8), Slow, is_remote=True)

    await asyncio.gather(*(slow.embed([f"text {n}"]) for n in range(20)))

    assert Slow.most > 4, "they wait side by side"


async def test_one_that_hangs_is_left_alone_for_a_while(monkeypatch):
    configure(monkeypatch, limits={"embedder_timeout_s": 0.2})
    hanging = Embedder("hanging", 8, Scale(0.1, 0.5, 0.8), Hanging, is_remote=True)

    for number in range(50):
        with pytest.raises(EmbedderUnavailableError):
            await hanging.embed([f"text {number}"])

    assert Slow.calls == 1


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_another_embedder_on_the_same_store_is_told_and_loses_nothing(
    kind, request, tmp_path, caplog, monkeypatch
):
    address = f"sqlite:{tmp_path / 'm.sqlite'}"
    if kind == "postgres":
        address = request.getfixturevalue("empty_postgres_url")
    settings = Settings(store=address)
    monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", "wordllama")
    get_settings.cache_clear()
    async with open_configured_store(settings, load_embedder("wordllama")) as opened:
        graph = foreign_nodes(opened.store, None)
        await Conversation(graph, "one").say("ana", "I live in Porto.")

    with pytest.raises(EmbedderMismatchError, match="memory-graph reembed"):
        async with open_configured_store(settings, load_embedder("use")):
            pass

    monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", "use")
    get_settings.cache_clear()
    values.warn_once.cache_clear()
    use = load_embedder("use")
    with caplog.at_level(logging.WARNING):
        async with open_configured_store(settings, use, check_embedder=False) as opened:
            graph = foreign_nodes(opened.store, None)
            await Conversation(graph, "two").say("ana", "My cat Luna is 3.")
            await Conversation(graph, "two").say("ana", "What city do I live in?")
            memory = memory_of(Owner("ana"), opened.store)
            kept = {fact.id for fact in await memory.facts.all()}
    assert kept >= {"profile:city", "profile:pet:luna:age"}
    told = [record.message for record in caplog.records if "reembed" in record.message]
    assert told
    assert len(told) == len(set(told)), "each once"


@pytest.mark.parametrize("kind", ["memory"])
async def test_another_embedder_in_the_same_process_loses_nothing(kind, caplog, monkeypatch):
    store = InMemoryStore()
    values.warn_once.cache_clear()
    for name, said in (("wordllama", "I live in Porto."), ("use", "My cat Luna is 3.")):
        monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", name)
        get_settings.cache_clear()
        with caplog.at_level(logging.WARNING):
            reply = await Conversation(foreign_nodes(store, None), name).say("ana", said)
        assert reply["messages"][-1].text

    facts = await memory_of(Owner("ana"), store).facts.all()
    assert {fact.id for fact in facts} >= {"profile:city", "profile:pet:luna:age"}
    assert "reembed" in caplog.text


FORKED = """
import os, signal
from langgraph.store.memory import InMemoryStore
from memory_graph import Memory

def talk():
    memory = Memory(InMemoryStore())
    memory.of("ana").add("I live in Porto.")
    assert "Porto" in memory.of("ana").recall("Where do I live?").block

talk()
child = os.fork()
if not child:
    signal.alarm(60)
    talk()
    os._exit(0)
raise SystemExit(os.waitpid(child, 0)[1])
"""


async def test_a_worker_that_is_forked_from_a_loaded_server_does_not_hang():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", FORKED)

    assert await process.wait() == 0
