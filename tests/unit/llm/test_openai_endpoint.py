"""The whole graph on a real HTTP endpoint: whatever it answers, the reply arrives."""

import asyncio
import json

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.graph import build_graph
from memory_graph.llm import structured
from memory_graph.settings import get_settings
from memory_graph.storage.scope import Owner, memory_of
from tests.openai_endpoint import Reply, completion, failure, is_internal, serving, tool_call

LISBON = {
    "statement": "The user lives in Lisbon.",
    "category": "profile",
    "attribute": "city",
    "value": "Lisbon",
}
NURSE = {
    "statement": "The user works as a nurse.",
    "category": "work",
    "attribute": "job",
    "value": "nurse",
}
BOTH = json.dumps({"facts": [LISBON, NURSE]})
SAID = "I live in Lisbon and I work as a nurse."


@pytest.fixture
def endpoint(monkeypatch):
    structured._learnt.clear()
    with serving() as running:
        yield running


class Talk:
    """One user talking to the graph over the endpoint."""

    def __init__(self, endpoint):
        self.store = InMemoryStore()
        model = ChatOpenAI(
            model="small", api_key="none", base_url=endpoint.url, max_retries=0, timeout=5
        )
        self.graph = build_graph(store=self.store, checkpointer=InMemorySaver(), model=model)
        self.events = []

    async def say(self, text):
        self.events = []
        async for mode, chunk in self.graph.astream(
            {"messages": [HumanMessage(text)]},
            context=Context(user_id="ana"),
            config={"configurable": {"thread_id": "t"}},
            stream_mode=["custom", "values"],
        ):
            if mode == "custom":
                self.events.append(chunk)
            else:
                self.state = chunk
        return str(self.state["messages"][-1].content)

    @property
    def memory(self):
        return memory_of(Owner("ana"), self.store)

    async def facts(self):
        return {fact.id for fact in await self.memory.facts.all()}

    def reasons(self):
        return [each.get("reason") for each in self.events if each.get("node") == "memory_hotpath"]


def answering(internal, chat="Noted."):
    """Answer internal calls as told, and the chat itself like a model that works."""
    return lambda request: internal if is_internal(request) else completion(chat)


async def test_a_structured_answer_becomes_facts_in_one_call(endpoint, now):
    endpoint.answer = answering(completion(BOTH))
    talk = Talk(endpoint)

    assert await talk.say(SAID) == "Noted."

    assert await talk.facts() == {"profile:city", "work:job"}
    assert len(endpoint.internal) == 1
    assert talk.state["memory_tax"]["calls"] == 1
    assert talk.state["memory_tax"]["input_tokens"] == 321


async def test_usage_that_is_not_told_stays_unknown(endpoint, now):
    endpoint.answer = answering(completion(BOTH, usage=False))
    talk = Talk(endpoint)
    await talk.say(SAID)

    assert talk.state["memory_tax"]["input_tokens"] is None


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param(failure(429), "(HTTP 429)", id="429"),
        pytest.param(failure(500), "(HTTP 500)", id="500"),
        pytest.param(failure(401), "(HTTP 401)", id="401"),
        pytest.param(Reply("{}", delay_s=1.5), "did not answer in 0.5 s", id="timeout"),
        pytest.param(Reply("<html>502</html>", 502, "text/html"), "(HTTP 502)", id="HTML error"),
        pytest.param(Reply("<html>hi</html>", 200, "text/html"), "did not answer", id="HTML page"),
        pytest.param(
            Reply(json.dumps({"id": "x", "object": "chat.completion", "choices": []})),
            "did not answer",
            id="empty choices",
        ),
    ],
)
async def test_an_endpoint_that_fails_costs_nothing_but_time_and_the_next_turn_makes_up(
    endpoint, now, monkeypatch, reply, reason
):
    monkeypatch.setenv("MEMORY_GRAPH_EXTRACTION_TIMEOUT_S", "0.5")
    get_settings.cache_clear()
    endpoint.answer = answering(reply)
    talk = Talk(endpoint)

    async with asyncio.timeout(10):
        assert await talk.say(SAID) == "Noted."

    assert await talk.facts() == set()
    assert any(reason in str(each) for each in talk.reasons())
    assert "model_unavailable" in talk.reasons()

    monkeypatch.setenv("MEMORY_GRAPH_EXTRACTION_TIMEOUT_S", "8")
    get_settings.cache_clear()
    endpoint.answer = answering(completion(BOTH))
    await talk.say("Thanks!")

    assert await talk.facts() == {"profile:city", "work:job"}
    [first] = (await talk.memory.facts.get("work:job")).source.message_ids
    assert first == talk.state["messages"][0].id


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param(completion(None, refusal="I cannot do that."), "refused", id="refusal"),
        pytest.param(completion("I found nothing to list."), "no_json", id="prose only"),
        pytest.param(completion('{"facts": "none"}'), "wrong_shape", id="schema-breaking"),
        pytest.param(completion('{"notes": [1]}'), "wrong_shape", id="another schema"),
        pytest.param(completion("Facts: {lisbon}"), "unreadable_json", id="broken JSON"),
        pytest.param(completion(BOTH[:40]), "unreadable_json", id="cut off in the first fact"),
    ],
)
async def test_where_an_answer_cannot_be_used_the_rules_read_instead(endpoint, now, reply, reason):
    endpoint.answer = answering(reply)
    talk = Talk(endpoint)

    assert await talk.say(SAID) == "Noted."

    assert reason in talk.reasons()
    assert {fact.extractor for fact in await talk.memory.facts.all()} == {"rules/1"}
    assert await talk.facts() == {"profile:city", "work:job"}


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        pytest.param(completion(f"Sure! {BOTH} Hope it helps."), 2, id="prose around it"),
        pytest.param(completion(f"```json\n{BOTH}\n```"), 2, id="fenced"),
        pytest.param(completion(json.dumps([LISBON, NURSE])), 2, id="a bare list"),
        pytest.param(completion(json.dumps(LISBON)), 1, id="a bare fact"),
        pytest.param(completion(BOTH[:170], finish="length"), 1, id="truncated, and said so"),
        pytest.param(completion(BOTH[:170]), 1, id="truncated"),
        pytest.param(completion('{"facts": []}'), 0, id="no facts"),
    ],
)
async def test_what_is_usable_of_an_answer_is_kept(endpoint, now, reply, kept):
    endpoint.answer = answering(reply)
    talk = Talk(endpoint)

    assert await talk.say(SAID) == "Noted."

    assert len(await talk.facts()) == kept
    assert {fact.extractor for fact in await talk.memory.facts.all()} <= {"extract_facts/2"}


async def test_single_facts_that_do_not_fit_are_dropped_and_counted(endpoint, now):
    facts = [LISBON, {"value": "no statement"}, "nonsense", {**NURSE, "importance": "very"}]
    endpoint.answer = answering(completion(json.dumps({"facts": facts})))
    talk = Talk(endpoint)
    await talk.say(SAID)

    assert await talk.facts() == {"profile:city", "work:job"}
    [dropped] = [each for each in talk.events if each.get("reason") == "unusable_output"]
    assert dropped["scores"] == {"candidates": 2.0}


async def test_an_endpoint_without_json_schema_is_asked_by_function_call_and_then_always(
    endpoint, now
):
    def answer(request):
        if request.get("response_format"):
            return failure(400)
        return tool_call(BOTH) if request.get("tools") else completion("Noted.")

    endpoint.answer = answer
    talk = Talk(endpoint)
    await talk.say("I live in Lisbon.")
    await talk.say("I work as a nurse.")

    assert await talk.facts() == {"profile:city", "work:job"}
    assert [bool(each.get("response_format")) for each in endpoint.internal] == [True, False, False]


async def test_an_endpoint_without_either_is_asked_for_plain_json(endpoint, now):
    def answer(request):
        if request.get("response_format") or request.get("tools"):
            return failure(400)
        return completion(f"Here you are: {BOTH}") if is_internal(request) else completion("Noted.")

    endpoint.answer = answer
    talk = Talk(endpoint)
    await talk.say(SAID)
    await talk.say("I work as a nurse.")

    assert await talk.facts() == {"profile:city", "work:job"}
    assert len(endpoint.internal) == 4


async def test_truncated_function_arguments_keep_what_was_complete(endpoint, now):
    def answer(request):
        if request.get("response_format"):
            return failure(400)
        return tool_call(BOTH[:170]) if request.get("tools") else completion("Noted.")

    endpoint.answer = answer
    talk = Talk(endpoint)
    await talk.say(SAID)

    assert "profile:city" in await talk.facts()
