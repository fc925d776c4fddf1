"""Chat models by name, of five providers, on servers that speak their protocols."""

import json
from itertools import pairwise

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory, add_memory, background, build_graph
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.llm import ask as structured
from memory_graph.llm import models
from memory_graph.llm.models import is_local, load_model, models_for, patience_with
from memory_graph.middleware import MemoryMiddleware
from memory_graph.settings import get_settings
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.testing import ScriptedChat
from tests import openai_endpoint, provider_servers
from tests.examples import a_reading, a_stated

pytestmark = pytest.mark.server

SAID = "Ich wohne jetzt in Lisbon und arbeite dort als nurse."
ANSWER = json.dumps(
    a_reading(
        a_stated("The user lives in Lisbon.", attribute="city", value="Lisbon"),
        a_stated("The user works as a nurse.", attribute="job", value="nurse"),
    )
)
PROVIDERS = {
    "anthropic:claude-small": (
        provider_servers.anthropic,
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
    ),
    "ollama:llama3.2:3b": (provider_servers.ollama, "OLLAMA_HOST", "OLLAMA_KEY"),
    "google_genai:gemini-small": (
        provider_servers.google,
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_API_KEY",
    ),
    "mistralai:mistral-small": (provider_servers.mistral, "MISTRAL_BASE_URL", "MISTRAL_API_KEY"),
}
CONFIG = {"configurable": {"thread_id": "t"}}


@pytest.fixture(autouse=True)
def fresh():
    for each in (get_settings, models._of_provider, models._openai_compatible):
        each.cache_clear()
    structured._learnt.clear()
    structured._unquiet.clear()
    yield
    for each in (get_settings, models._of_provider, models._openai_compatible):
        each.cache_clear()


@pytest.fixture
def openai(monkeypatch):
    with openai_endpoint.serving() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        running.answer = lambda request: openai_endpoint.completion(
            ANSWER if openai_endpoint.is_internal(request) else "Noted."
        )
        yield running


async def facts_in(store):
    return {fact.id for fact in await memory_of(Owner("ana"), store).facts.all()}


async def say(graph):
    state = {"messages": [HumanMessage(SAID)]}
    keys = ["messages", "memory_tax"]
    return await graph.ainvoke(state, CONFIG, context=Context(user_id="ana"), output_keys=keys)


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_provider_s_model_is_taken_by_its_name(name, monkeypatch, now):
    speak, address, key = PROVIDERS[name]
    with provider_servers.serving(speak) as provider:
        provider.facts = ANSWER
        monkeypatch.setenv(address, provider.url + ("/v1" if "mistral" in name else ""))
        monkeypatch.setenv(key, "none")
        monkeypatch.setenv("MEMORY_GRAPH_MODEL", name)
        store = InMemoryStore()
        graph = build_graph(store=store, checkpointer=InMemorySaver())
        state = await say(graph)

        assert state["messages"][-1].text == "Noted."
        assert await facts_in(store) == {"profile:city", "work:job"}
        assert len(provider.internal) == 1
        assert state["memory_tax"]["input_tokens"] == 321


@pytest.mark.parametrize("name", [*PROVIDERS, "openai:small"])
async def test_a_model_that_fails_is_asked_once_in_a_run(name, monkeypatch, now):
    speak, address, key = PROVIDERS.get(
        name, (provider_servers.mistral, "OPENAI_BASE_URL", "OPENAI_API_KEY")
    )
    with provider_servers.serving(speak) as provider:
        provider.status = 500
        versioned = "mistral" in name or "openai" in name
        monkeypatch.setenv(address, provider.url + ("/v1" if versioned else ""))
        monkeypatch.setenv(key, "none")
        monkeypatch.setenv("MEMORY_EXTRACTION_MODEL", name)
        get_settings.cache_clear()
        store = InMemoryStore()
        graph = build_graph(store=store, checkpointer=InMemorySaver())
        asked: list[int] = []
        for text in (SAID, "Thanks!", "Good.", "Bye!"):
            await graph.ainvoke(
                {"messages": [HumanMessage(text)]}, CONFIG, context=Context(user_id="ana")
            )
            await background.drain()

            asked.append(len(provider.requests))

        assert await facts_in(store) == set()
        assert max(later - before for before, later in pairwise([0, *asked])) <= 2, "one retry"


@pytest.mark.parametrize("name", ["small", "openai:small", "llama3.2:3b"])
async def test_a_bare_name_is_one_on_the_openai_compatible_endpoint(name, openai, monkeypatch, now):
    monkeypatch.setenv("MEMORY_GRAPH_MODEL", name)
    store = InMemoryStore()
    await say(build_graph(store=store))

    assert await facts_in(store) == {"profile:city", "work:job"}
    assert {each["model"] for each in openai.requests} == {name.removeprefix("openai:")}


def an_agent(state):
    return {"messages": [("ai", "Noted.")]}


async def with_add_memory(model, store):
    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("agent", an_agent)
    builder.add_edge(START, "agent")
    await say(add_memory(builder, model=model).compile(store=store))


async def with_build_graph(model, store):
    await say(build_graph(store=store, model=model))


async def with_middleware(model, store):
    agent = create_agent(
        ScriptedChat(otherwise="Noted."),
        middleware=[MemoryMiddleware(model=model)],
        store=store,
        context_schema=Context,
    )
    await say(agent)


async def with_memory(model, store):
    await Memory(store, user_id="ana", model=model).aadd(SAID)


@pytest.mark.parametrize(
    "surface", [with_build_graph, with_add_memory, with_middleware, with_memory]
)
@pytest.mark.parametrize("as_object", [False, True], ids=["name", "object"])
async def test_every_surface_takes_a_name_and_an_object(surface, as_object, openai, now):
    model = load_model("openai:small") if as_object else "openai:small"
    store = InMemoryStore()
    await surface(model, store)

    assert await facts_in(store) == {"profile:city", "work:job"}


@pytest.mark.parametrize("surface", ["graph", "add_memory", "middleware"])
def test_a_missing_package_is_said_at_start_with_the_command(surface, monkeypatch):
    builder = StateGraph(MessagesState)
    builder.add_node("agent", an_agent)
    start = {
        "graph": lambda name: build_graph(store=InMemoryStore(), model=name),
        "add_memory": lambda name: add_memory(builder, model=name),
        "middleware": lambda name: MemoryMiddleware(model=name),
    }[surface]

    with pytest.raises(ConfigurationError, match="pip install langchain-cohere"):
        start("cohere:command-r")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("openai:gpt-none", "OPENAI_API_KEY"),
        ("google_genai:gemini", "GOOGLE_API_KEY"),
        ("anthropic:claude", "ANTHROPIC_API_KEY"),
        ("mistralai:mistral-small", "MISTRAL_API_KEY"),
    ],
)
def test_a_missing_key_is_said_at_start(name, key, monkeypatch):
    for variable in (key, "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    with pytest.raises(ConfigurationError, match=key):
        build_graph(store=InMemoryStore(), model=name)


@pytest.mark.parametrize("setting", ["MEMORY_GRAPH_MODEL", "MEMORY_EPISODE_MODEL"])
@pytest.mark.parametrize("surface", [build_graph, add_memory, MemoryMiddleware])
def test_a_model_that_settings_name_is_checked_at_start_too(surface, setting, monkeypatch):
    monkeypatch.setenv(setting, "cohere:command-r")
    get_settings.cache_clear()
    builder = StateGraph(MessagesState)
    builder.add_node("agent", an_agent)
    start = {
        build_graph: lambda: build_graph(store=InMemoryStore()),
        add_memory: lambda: add_memory(builder),
        MemoryMiddleware: MemoryMiddleware,
    }[surface]

    with pytest.raises(ConfigurationError, match="pip install langchain-cohere"):
        start()


def test_small_models_for_memory_hold_beside_a_model_given_in_code(openai, monkeypatch):
    monkeypatch.setenv("MEMORY_EXTRACTION_MODEL", "tiny")
    monkeypatch.setenv("MEMORY_EPISODE_MODEL", "writer")
    get_settings.cache_clear()
    chat = ScriptedChat()

    found = models_for(Context(user_id="ana"), chat)

    assert found.chat is chat
    assert [found.extraction.model_name, found.episode.model_name] == ["tiny", "writer"]


async def test_an_agent_with_a_checkpointer_takes_a_name_too(openai, now):
    store = InMemoryStore()
    await say(build_graph(store=store, checkpointer=InMemorySaver(), model="small"))

    assert await facts_in(store) == {"profile:city", "work:job"}


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:8080/v1", True),
        ("http://192.168.1.20:1234/v1", True),
        ("http://ollama:11434/v1", True),
        ("https://api.example.com/v1", False),
    ],
)
def test_a_local_endpoint_gets_patience_unless_somebody_says_otherwise(address, local, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    get_settings.cache_clear()
    model = load_model("small")

    assert is_local(model) is local
    assert (patience_with(model).extraction_s > 10) is local
    monkeypatch.setenv("MEMORY_EPISODE_TIMEOUT_S", "7")
    get_settings.cache_clear()
    assert patience_with(model).episode_s == 7
