"""What the store on Redis adds to the contract: its layout, its warnings, its lock, its outages."""

import asyncio
import logging
import sys
from collections.abc import Iterator

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.base import ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, build_graph
from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends import open_store, redis
from memory_graph.store.backends.redis import BACKEND, RedisStore
from memory_graph.testing import store_contract

redis_py = pytest.importorskip("redis")

HERE = ("memories", "ana", "facts")


@pytest.fixture
def client(redis_url: str) -> Iterator["redis_py.Redis"]:
    with redis_py.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def store(client) -> RedisStore:
    return RedisStore(client)


def test_a_memory_never_expires_and_leaves_nothing_when_it_is_deleted(client, store) -> None:
    client.set("somebody-elses", "1")
    store.batch([PutOp(HERE, "luna", {"text": "Luna is 3"}), PutOp(HERE, "rex", {"n": 5})])
    keys = {key.decode() for key in client.scan_iter()}
    expire = [client.ttl(key) for key in keys]

    store.batch([PutOp(HERE, "luna", None), PutOp(HERE, "rex", None)])

    assert keys == {"memory", "memory:memories.ana.facts", "somebody-elses"}
    assert set(expire) == {-1}
    assert list(client.scan_iter()) == [b"somebody-elses"]


def test_an_update_keeps_the_time_of_creation(store) -> None:
    store.put(HERE, "luna", {"age": 3})
    before = store.get(HERE, "luna")
    store.put(HERE, "luna", {"age": 4})
    after = store.get(HERE, "luna")

    assert after.value == {"age": 4}
    assert after.created_at == before.created_at == before.updated_at < after.updated_at


def test_a_batch_is_written_whole_or_not_at_all(client, store) -> None:
    store.put(HERE, "luna", {"age": 3})
    client.config_set("maxmemory", 1)
    try:
        with pytest.raises(redis_py.exceptions.ResponseError, match="maxmemory"):
            store.batch([PutOp(HERE, "rex", {"age": 5}), PutOp(HERE, "luna", None)])
    finally:
        client.config_set("maxmemory", 0)
    with pytest.raises(TypeError):
        store.batch([PutOp(HERE, "luna", None), PutOp(HERE, "rex", {"age": object()})])

    assert [item.key for item in store.search(HERE)] == ["luna"]


@pytest.mark.parametrize(
    "op",
    [
        SearchOp(("memories", "ana")),
        SearchOp(("memories", "ana"), filter={"n": {"$gte": 2}}),
        SearchOp((), filter={"n": 1, "deep": {"is": True}}),
        SearchOp(("memories", "an")),
        SearchOp(HERE, query="a query changes nothing without vectors"),
        ListNamespacesOp(),
        ListNamespacesOp(max_depth=2, limit=2, offset=1),
        ListNamespacesOp((MatchCondition("prefix", ("memories", "ana")),)),
        ListNamespacesOp((MatchCondition("prefix", ("memories", "*", "facts")),)),
        ListNamespacesOp((MatchCondition("suffix", ("facts",)),)),
    ],
    ids=str,
)
def test_searches_and_listings_answer_as_the_store_in_memory_does(store, op) -> None:
    others = [("memories", "ana-b", "facts"), ("memories", "ana", "turns"), ("meta",)]
    puts = [PutOp(name, "k", {"n": n, "deep": {"is": True}}) for n, name in enumerate(others)]
    puts += [PutOp(HERE, f"k{n}", {"n": n, "deep": {"is": n == 1}}) for n in range(4)]
    known = InMemoryStore()
    for each in (store, known):
        each.batch(puts)

    [ours], [expected] = store.batch([op]), known.batch([op])

    def plain(found) -> list:
        return sorted(e if isinstance(e, tuple) else (e.namespace, e.key, e.value) for e in found)

    assert plain(ours) == plain(expected)


def test_a_client_that_decodes_is_as_good(redis_url: str) -> None:
    with redis_py.Redis.from_url(redis_url, decode_responses=True) as client:
        store = RedisStore(client)
        store.put(HERE, "café", {"text": "é"})

        assert store.get(HERE, "café").value == {"text": "é"}
        assert [item.key for item in store.search(("memories",))] == ["café"]


def test_a_graph_that_is_invoked_synchronously_remembers(store) -> None:
    graph = build_graph(store=store)
    for text in ("My cat Luna is 3.", "How old is Luna?"):
        result = graph.invoke({"messages": [HumanMessage(text)]}, context=Context(user_id="ana"))

    assert "3" in result["messages"][-1].content


async def test_a_lock_outlasts_its_lease_while_its_holder_lives(store, monkeypatch) -> None:
    monkeypatch.setattr(redis, "_LEASE_S", 0.5)

    async with BACKEND.lock(store, 7):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.5), BACKEND.lock(store, 7):
                pass
    async with asyncio.timeout(5), BACKEND.lock(store, 7):
        pass


async def test_the_lock_of_a_process_that_died_expires(store, monkeypatch) -> None:
    monkeypatch.setattr(redis, "_LEASE_S", 0.5)
    died = store.client.lock("memory-lock:7", timeout=0.5)
    assert died.acquire(blocking=False)

    async with asyncio.timeout(5), BACKEND.lock(store, 7):
        assert not died.owned()


async def test_a_lock_that_was_lost_is_reported_and_costs_no_write(store, caplog) -> None:
    with caplog.at_level(logging.WARNING):
        async with BACKEND.lock(store, 7):
            store.client.flushdb()

    assert "not released" in caplog.text


async def test_what_may_lose_memories_is_said_when_the_store_is_opened(
    redis_url: str, client, embedder: Embedder
) -> None:
    async with open_store(redis_url, embedder) as opened:
        told = " ".join(opened.notes)
    assert "threads live and die with this process" in told
    assert "appendonly yes" in told

    client.config_set("maxmemory", "1gb")
    client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(ConfigurationError, match="maxmemory-policy noeviction"):
            async with open_store(redis_url, embedder):
                pass
    finally:
        client.config_set("maxmemory", 0)
        client.config_set("maxmemory-policy", "noeviction")


async def test_a_missing_package_is_named_with_the_command(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "redis"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "redis", None)

    with pytest.raises(ConfigurationError, match=r"pip install 'langgraph-memory-nodes\[redis\]'"):
        async with open_store("redis://127.0.0.1", embedder):
            pass


async def test_an_address_that_is_none_is_refused(embedder: Embedder) -> None:
    with pytest.raises(ConfigurationError, match="no address of Redis"):
        async with open_store("redis:localhost", embedder):
            pass


async def test_a_server_that_does_not_answer_is_a_lost_connection(embedder: Embedder) -> None:
    with pytest.raises(ConnectionError):
        async with open_store("redis://127.0.0.1:1", embedder):
            pass
    with pytest.raises(ConnectionError):
        RedisStore(redis_py.Redis(port=1)).get(HERE, "luna")


def test_the_command_of_the_kit_takes_its_address(redis_url: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["store_contract", redis_url])

    assert store_contract.main() == 0
    assert f"{len(store_contract.CHECKS)} passed, 0 failed" in capsys.readouterr().out
