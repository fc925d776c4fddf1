"""Anybody's embedder: by name, as an object, as a function, or the one of a store's index."""

import asyncio
import dataclasses

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph
from memory_graph.background import drain
from memory_graph.context import Context
from memory_graph.embedding import (
    Scale,
    as_embedder,
    calibrate,
    embedder_for,
    load_embedder,
    use_embedder,
)
from memory_graph.errors import ConfigurationError, EmbedderMismatchError, EmbedderUnavailableError
from memory_graph.settings import Settings, get_settings
from memory_graph.store.configured import (
    adopt_scale,
    check_or_record_embedder,
    open_configured_store,
    record_embedder,
)
from memory_graph.store.owner import Owner
from memory_graph.store.reembed import reembed
from memory_graph.store.scope import memory_of
from tests import openai_endpoint, provider_servers
from tests.configured import configure
from tests.examples import NOON
from tests.provider_servers import toy_vector

pytestmark = pytest.mark.server


class Toy(Embeddings):
    """Somebody's embeddings, which fail as they are told."""

    model = "toy-1"

    def __init__(self, error=None, dims=16, delay_s=0.0):
        self.error, self.dims, self.delay_s, self.calls = error, dims, delay_s, 0

    def embed_documents(self, texts):
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()  # the event loop must not wait
        return self._vectors(texts)

    def embed_query(self, text):
        raise AssertionError("only documents are embedded")

    async def aembed_documents(self, texts):
        await asyncio.sleep(self.delay_s)
        return self._vectors(texts)

    def _vectors(self, texts):
        self.calls += 1
        if self.error:
            raise self.error
        return [toy_vector(text)[: self.dims] for text in texts]


async def a_function(texts):
    return [toy_vector(text) for text in texts]


def a_plain_function(texts):
    return [toy_vector(text) for text in texts]


async def tell(store, text, **given):
    graph = build_graph(store=store, checkpointer=InMemorySaver(), **given)
    config = {"configurable": {"thread_id": text}}
    return await graph.ainvoke(
        {"messages": [HumanMessage(text)]},
        config,
        context=Context(user_id="ana"),
        output_keys=["messages", "memory_context"],
    )


async def vectors_in(store):
    items = await store.asearch(("memories",), limit=100)
    kept = [item.value for item in items if "statement" in item.value]
    return [value.get("embedding", {}).get("model") for value in kept]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        pytest.param(Toy(), "Toy:toy-1", id="object"),
        pytest.param(a_function, f"{__name__}.a_function", id="asynchronous function"),
        pytest.param(a_plain_function, f"{__name__}.a_plain_function", id="function"),
    ],
)
async def test_an_object_and_a_function_embed_memory(given, name, now):
    store = InMemoryStore()
    await tell(store, "My cat Luna is 3.", embedder=given)

    assert set(await vectors_in(store)) == {name}
    state = await tell(store, "How old is Luna?")
    assert "Luna" in state["memory_context"]


async def test_a_store_s_own_index_says_which_embedder_is_used(now):
    store = InMemoryStore(index={"dims": 16, "embed": a_function, "fields": ["text"]})
    await tell(store, "My cat Luna is 3.")

    assert set(await vectors_in(store)) == {f"{__name__}.a_function"}


async def test_what_settings_name_goes_before_a_store_s_index(now, monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", "use")
    get_settings.cache_clear()
    store = InMemoryStore(index={"dims": 16, "embed": a_function, "fields": ["text"]})
    await tell(store, "My cat Luna is 3.")

    assert set(await vectors_in(store)) == {"use"}


def test_an_index_that_our_own_embedder_fills_is_ours():
    use = load_embedder("use")
    store = InMemoryStore(index={"dims": use.dims, "embed": use.embed})

    assert embedder_for(store, Settings()) is use


def test_what_is_no_embedder_is_refused():
    with pytest.raises(ConfigurationError, match="no embedder"):
        as_embedder(7)


class VendorError(Exception):
    """No subclass of anything we know."""


OUTAGES = {
    "a vendor's own error": Toy(VendorError("quota")),
    "no connection": Toy(ConnectionError("refused")),
    "a type error inside": Toy(TypeError("x")),
    "a value error": Toy(ValueError("x")),
    "too slow": Toy(delay_s=5),
}


@pytest.mark.parametrize("toy", OUTAGES.values(), ids=OUTAGES)
async def test_an_embedder_that_fails_costs_the_vector_and_never_the_memory(toy, now, monkeypatch):
    configure(monkeypatch, limits={"embedder_timeout_s": 0.3})
    get_settings.cache_clear()
    store = InMemoryStore()
    async with asyncio.timeout(8):
        await tell(store, "My cat Luna is 3.", embedder=toy)
        state = await tell(store, "How old is Luna?")

    assert set(await vectors_in(store)) == {None}
    assert "Luna" in state["memory_context"]
    assert toy.calls <= 1, "an embedder that failed is left alone for a while"


async def test_vectors_of_another_length_cost_the_vector_alone(now):
    store = InMemoryStore()
    embedder = use_embedder(store, Toy(dims=8), dims=16)
    await tell(store, "My cat Luna is 3.")

    assert set(await vectors_in(store)) == {None}
    with pytest.raises(EmbedderUnavailableError):
        await embedder.embed(["again"])


@pytest.mark.parametrize("status", [401, 404, 429, 500])
async def test_an_openai_endpoint_that_refuses_costs_the_vector_alone(status, now, monkeypatch):
    with openai_endpoint.serving() as endpoint:
        endpoint.answer = lambda request: openai_endpoint.failure(status)
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", f"openai:toy-{status}@16")
        get_settings.cache_clear()
        store = InMemoryStore()
        await tell(store, "My cat Luna is 3.")

    assert set(await vectors_in(store)) == {None}


VENDORS = {
    "ollama": (provider_servers.ollama, "OLLAMA_HOST", "OLLAMA_KEY"),
    "google_genai": (provider_servers.google, "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY"),
}


@pytest.mark.parametrize("vendor", VENDORS)
async def test_each_vendor_s_error_costs_the_vector_alone(vendor, now, monkeypatch):
    speak, address, key = VENDORS[vendor]
    with provider_servers.serving(speak) as provider:
        provider.status = 403
        monkeypatch.setenv(address, provider.url)
        monkeypatch.setenv(key, "none")
        monkeypatch.setenv("MEMORY_GRAPH_EMBEDDER", f"{vendor}:toy-embed@16")
        configure(monkeypatch, limits={"embedder_timeout_s": 2})
        get_settings.cache_clear()
        store = InMemoryStore()
        async with asyncio.timeout(15):
            await tell(store, "My cat Luna is 3.")

        assert set(await vectors_in(store)) == {None}
        assert provider.requests, "the vendor was asked"


async def test_a_provider_s_embedder_is_taken_by_its_name_and_measured(monkeypatch, now, tmp_path):
    with provider_servers.serving(provider_servers.ollama) as provider:
        monkeypatch.setenv("OLLAMA_HOST", provider.url)
        embedder = load_embedder("ollama:toy-embed:latest")
        assert (embedder.dims, embedder.is_calibrated) == (0, False)

        settings = Settings(store=f"sqlite:{tmp_path / 'm.db'}")
        async with open_configured_store(settings, embedder):
            assert embedder.dims == 16


async def test_what_was_saved_without_a_vector_gets_one_by_command(now):
    store, toy = InMemoryStore(), Toy(VendorError("down"))
    embedder = use_embedder(store, toy)
    await tell(store, "My cat Luna is 3.")
    assert set(await vectors_in(store)) == {None}
    toy.error = None
    embedder._rest.clear()
    gateway = memory_of(Owner("ana"), store).scope.gateway

    progress = [each async for each in reembed(gateway, embedder, NOON, only_missing=True)]

    assert set(await vectors_in(store)) == {"Toy:toy-1"}
    assert progress[-1].records >= 1
    again = [each async for each in reembed(gateway, embedder, NOON, only_missing=True)]
    assert again[-1].records == 0


async def test_what_was_saved_without_a_vector_gets_one_by_a_later_turn(now):
    store, toy = InMemoryStore(), Toy(VendorError("down"))
    embedder = use_embedder(store, toy)
    await tell(store, "My cat Luna is 3.")
    toy.error = None
    embedder._rest.clear()
    await tell(store, "Thanks!")

    assert set(await vectors_in(store)) == {"Toy:toy-1"}


async def test_another_length_of_the_same_model_is_another_embedder():
    gateway = memory_of(Owner("ana"), InMemoryStore()).scope.gateway
    first = as_embedder(Toy(), dims=16)
    await check_or_record_embedder(gateway, first)

    with pytest.raises(EmbedderMismatchError, match="reembed"):
        await check_or_record_embedder(gateway, dataclasses.replace(first, dims=8))


async def test_a_calibration_is_measured_and_kept_with_the_store_s_mark():
    store = InMemoryStore()
    gateway = memory_of(Owner("ana"), store).scope.gateway
    measured = await calibrate(load_embedder("use"))
    assert measured.scale.unrelated < measured.scale.related < measured.scale.same
    assert measured.separation > 0.5

    embedder = as_embedder(a_function, dims=16)
    assert not embedder.is_calibrated
    embedder.scale = Scale(0.4, 0.6, 0.9)
    await record_embedder(gateway, embedder)
    other = as_embedder(a_function, dims=16)
    await adopt_scale(gateway, other)
    assert other.scale == Scale(0.4, 0.6, 0.9)


async def test_an_embedder_that_nobody_measured_is_measured_at_its_first_use():
    use = load_embedder("use")
    gateway = memory_of(Owner("ana"), InMemoryStore()).scope.gateway

    def function(texts):
        return use.embed_sync(texts)

    mine = as_embedder(function, dims=use.dims)
    for embedder in (mine, as_embedder(function, dims=use.dims)):
        await adopt_scale(gateway, embedder)
        await drain()

    assert mine.scale == (await calibrate(use)).scale
    assert embedder.scale == mine.scale


async def test_an_embedder_that_is_down_is_measured_later(caplog):
    toy = Toy(VendorError("down"))
    gateway = memory_of(Owner("ana"), InMemoryStore()).scope.gateway
    embedder = as_embedder(toy, dims=16)

    await adopt_scale(gateway, embedder)
    await drain()

    assert "Similarity is a guess" in caplog.text
    assert not embedder.is_calibrated
