"""The graph that a server serves lets its agent use memory tools, as each run says."""

import json
from collections.abc import Iterator

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, Memory
from memory_graph.graph import wire
from memory_graph.settings import get_settings
from tests.openai_endpoint import Endpoint, completion, serving


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("MEMORY_GRAPH_MODEL", "openai:m")
        get_settings.cache_clear()
        yield running
    get_settings.cache_clear()


def names_in(request: dict) -> set[str]:
    return {each["function"]["name"] for each in request.get("tools") or ()}


async def test_the_assistant_set_reaches_the_model_by_default(endpoint: Endpoint) -> None:
    graph = wire().compile(store=InMemoryStore())
    await graph.ainvoke({"messages": [HumanMessage("hi")]}, context=Context(user_id="ana"))
    [asked] = [each for each in endpoint.requests if not each.get("response_format")]
    assert names_in(asked) == {"remember_fact", "recall_facts", "forget_fact"}


async def test_a_run_chooses_its_sets(endpoint: Endpoint) -> None:
    graph = wire().compile(store=InMemoryStore())
    for sets, wanted in ((("episodes",), "search_episodes"), ((), None)):
        endpoint.requests.clear()
        context = Context(user_id="ana", tools=sets)
        await graph.ainvoke({"messages": [HumanMessage("hi")]}, context=context)
        [asked] = [each for each in endpoint.requests if not each.get("response_format")]
        assert names_in(asked) == set() if wanted is None else wanted in names_in(asked)


async def test_a_tool_that_the_model_calls_is_run(endpoint: Endpoint) -> None:
    store = InMemoryStore()
    arguments = json.dumps({"statement": "The user lives in Lisbon."})
    function = {"name": "remember_fact", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}

    def answer(request: dict):
        if request.get("response_format"):
            return completion("{}")
        if request["messages"][-1]["role"] == "tool":
            return completion("Done.")
        return completion(None, finish="tool_calls", tool_calls=[call])

    endpoint.answer = answer
    said = {"messages": [HumanMessage("Please remember: I live in Lisbon.")]}
    await wire().compile(store=store).ainvoke(said, context=Context(user_id="ana"))
    assert any("Lisbon" in f.statement for f in await Memory(store, user_id="ana").afacts())
