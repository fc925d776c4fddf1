"""What the gateway and the locks ask of a backend, on every store; and what a new one takes."""

import asyncio
import sys
from contextlib import asynccontextmanager

import pytest
from langgraph.store.base import GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store import backends
from memory_graph.store.backends import backend_of, known_backends, open_store
from memory_graph.store.backends.protocol import EVERYTHING, Backend, OpenedStore
from memory_graph.store.gateway import Gateway
from tests.fakes import RemoteStore

NUMBER = -(2**63)


def test_a_store_is_known_by_the_backend_that_opened_it(backend: OpenedStore) -> None:
    assert backend_of(backend.store) is backend.backend


def test_its_vectors_are_named(backend: OpenedStore, request: pytest.FixtureRequest) -> None:
    kind = request.node.callspec.params["backend"]
    expected = {"sqlite-vec": "sqlite-vec", "postgres": "pgvector"}
    assert backend.vectors == expected.get(kind, "in process")


async def test_only_one_holds_a_lock_where_other_processes_exist(backend: OpenedStore) -> None:
    kind, store = backend.backend, backend.store
    assert kind.locks_other_processes(store)

    async with kind.lock(store, NUMBER):
        waiting = asyncio.create_task(_take_lock(kind, backend))
        done, _ = await asyncio.wait({waiting}, timeout=0.5)
        assert bool(done) == isinstance(store, InMemoryStore)  # no other process has it
    assert await asyncio.wait_for(waiting, timeout=10)


async def _take_lock(kind: Backend, opened: OpenedStore) -> bool:
    async with kind.lock(opened.store, NUMBER):
        return True


async def test_an_ordinary_error_is_no_contention(backend: OpenedStore) -> None:
    assert not backend.backend.is_contention(ValueError("is locked"))
    assert not backend.backend.is_contention(ConnectionError("refused"))


async def test_only_a_store_with_vectors_and_words_searches_itself(backend: OpenedStore) -> None:
    gateway = Gateway(backend.store, 5, 5, 5)
    assert gateway.searches == (backend.name == "postgres")
    assert await gateway.count(("memories", "ana", "facts"), 10) == 0


class Deadlock(Exception):
    sqlstate = "40P01"


def test_a_store_nobody_knows_gets_the_cautious_answers() -> None:
    store = RemoteStore()
    kind = backend_of(store)

    assert not kind.locks_other_processes(store)
    assert not kind.may_cancel(store)
    assert kind.event_loop(store) is None
    assert kind.vectors(store) == "in process"
    wrapped = RuntimeError("The server failed.")
    wrapped.__cause__ = Deadlock()
    assert kind.is_contention(wrapped)


def test_an_unknown_url_is_refused_with_those_that_are_known(embedder: Embedder) -> None:
    with pytest.raises(ConfigurationError, match=r"'mongodb'.*`memory`.*`sqlite:PATH`"):
        open_store("mongodb://secret@host", embedder)


async def test_a_path_to_the_store_in_memory_is_refused(embedder: Embedder) -> None:
    with pytest.raises(ConfigurationError, match="write `memory` alone"):
        async with open_store("memory:/data", embedder):
            pass


async def test_a_new_backend_is_one_module(
    embedder: Embedder, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shelf.py").write_text(
        f"from {__name__} import ShelfBackend\nBACKEND = ShelfBackend()\n"
    )
    monkeypatch.setattr(backends, "__path__", [*backends.__path__, str(tmp_path)])
    known_backends.cache_clear()
    try:
        async with open_store("shelf://here", embedder) as opened:
            assert opened.name == "shelf"
            assert backend_of(opened.store) is opened.backend
            assert Gateway(opened.store, 1, 1, 1).backend is opened.backend
    finally:
        known_backends.cache_clear()
        del sys.modules[f"{backends.__name__}.shelf"]


class ShelfStore(RemoteStore):
    """A store of somebody's own."""


class ShelfBackend(Backend):
    url_forms = ("shelf://…",)

    def owns(self, store):
        return isinstance(store, ShelfStore)

    @asynccontextmanager
    async def open(self, url, embedder):
        from langgraph.checkpoint.memory import InMemorySaver

        yield OpenedStore(self, "shelf", ShelfStore(), InMemorySaver())


async def test_a_batch_answers_as_the_store_itself_does(backend: OpenedStore) -> None:
    """A backend may have a shorter way to its tables; what comes out must be the same."""
    store, here, there = backend.store, ("memories", "ana", "facts"), ("memories", "ana", "turns")
    value = {"text": "Luna is 3", "current": True, "odd": 'a "quoted" \\ €', "none": None}
    await backend.backend.batch(
        store,
        [
            PutOp(here, "luna", value, index=["text"]),
            PutOp(here, "old", {"text": "Luna is 2", "current": False}, index=False),
            PutOp(there, "luna", {"text": "hi"}, index=False),
            PutOp(here, "gone", {"text": "x"}, index=False),
        ],
    )
    await backend.backend.batch(
        store, [PutOp(here, "gone", None), PutOp(there, "luna", {"text": "ho"}, index=False)]
    )
    ops = [
        GetOp(here, "luna", refresh_ttl=False),
        SearchOp(here, filter={"current": True}, limit=EVERYTHING, refresh_ttl=False),
        GetOp(here, "gone", refresh_ttl=False),
        GetOp(there, "luna", refresh_ttl=False),
        SearchOp(here, limit=EVERYTHING, refresh_ttl=False),
        SearchOp(("memories", "nobody"), limit=EVERYTHING, refresh_ttl=False),
    ]

    ours, own = await backend.backend.batch(store, ops), await store.abatch(ops)

    assert [_in_order(each) for each in ours] == [_in_order(each) for each in own]
    assert ours[0].value == value
    assert ours[3].value == {"text": "ho"}
    assert [item.key for item in ours[1]] == ["luna"]
    [found] = await store.abatch([SearchOp(here, query="Luna is 3", limit=5, refresh_ttl=False)])
    assert found[0].key == "luna" or backend.vectors == "in process"


def _in_order(result: object) -> object:
    return sorted(result, key=lambda item: item.key) if isinstance(result, list) else result
