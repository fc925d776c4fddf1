"""What a trace shows of the calls that memory makes for itself."""

import json

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph, prompts
from memory_graph.llm.ask import CALLS
from memory_graph.settings import get_settings
from memory_graph.store.labels import user_label
from tests.openai_endpoint import completion, is_internal, serving

USER = "ana.silva@example.com"
SAID = "We decided to go with Postgres for billing, and I live in Lisbon."
ANSWERS = {
    "MessageRead": {"facts": []},
    "EpisodeDraft": {"summary": "Postgres it is.", "topic": "billing", "outcome": "success"},
}


class Watching(AsyncCallbackHandler):
    """Keeps the name and the metadata of everything that a trace would show."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict]] = []

    async def on_chain_start(self, serialized, inputs, *, metadata=None, name=None, **kwargs):
        self.seen.append((name, metadata or {}))

    async def on_chat_model_start(
        self, serialized, messages, *, metadata=None, name=None, **kwargs
    ):
        self.seen.append((name, metadata or {}))


def answer(request: dict):
    if not is_internal(request):
        return completion("Noted.")
    shown = json.dumps(request)
    name = next((each for each in ANSWERS if each in shown), "MessageRead")
    return completion(json.dumps(ANSWERS[name]))


async def test_internal_calls_are_named_for_what_they_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_GRAPH_READ", "before")  # beside the reply it is no part of the run
    get_settings.cache_clear()
    watching = Watching()
    with serving() as endpoint:
        endpoint.answer = answer
        model = ChatOpenAI(model="small", api_key="none", base_url=endpoint.url, max_retries=0)
        graph = build_graph(store=InMemoryStore(), model=model)
        await graph.ainvoke(
            {"messages": [HumanMessage(SAID)]},
            {"configurable": {"user_id": USER}, "callbacks": [watching]},
        )

    internal = {name: meta for name, meta in watching.seen if str(name).startswith("memory.")}
    assert set(internal) == {"memory.read", "memory.summarise"}
    extract = internal["memory.read"]
    assert extract["memory_node"] == "memory_hotpath"
    assert extract["memory_user"] == user_label(USER)
    assert extract["memory_prompt"] == f"read_message/{prompts.version('read_message')}"
    assert internal["memory.summarise"]["memory_node"] == "episodic_capture"
    assert "Lisbon" not in str(list(internal.values()))
    assert "memory" not in {name for name, _ in watching.seen}


def test_every_call_names_a_prompt_that_exists() -> None:
    assert all(prompts.version(prompt) for _, prompt in CALLS.values())
