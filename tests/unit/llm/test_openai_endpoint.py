"""The whole graph on a real HTTP endpoint: whatever it answers, the reply arrives."""

import dataclasses
import json

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import background
from memory_graph.context import Context
from memory_graph.facts.model_reader import PROMPT
from memory_graph.graph import build_graph
from memory_graph.llm import ask as structured
from memory_graph.settings import get_settings
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import a_reading, a_stated
from tests.openai_endpoint import Reply, completion, failure, is_internal, serving, tool_call

pytestmark = pytest.mark.server

LISBON = a_stated("The user lives in Lisbon.", attribute="city", value="Lisbon")
NURSE = a_stated("The user works as a nurse.", attribute="job", value="nurse")
BOTH = json.dumps(a_reading(LISBON, NURSE))
SAID = "I live in Lisbon and I work as a nurse."
ONLY_A_MODEL_READS = "Ik woon in Lisbon en werk daar als nurse."


@pytest.fixture
def endpoint(monkeypatch):
    structured._learnt.clear()
    structured._unquiet.clear()
    with serving() as running:
        yield running


class Talk:
    """One user talking to the graph over the endpoint."""

    def __init__(self, endpoint, **given):
        self.store = InMemoryStore()
        model = ChatOpenAI(
            model="small", api_key="none", base_url=endpoint.url, max_retries=0, timeout=5, **given
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
            output_keys=["messages", "memory_tax"],
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
async def test_where_an_endpoint_fails_the_turn_waits_and_is_read_once(
    endpoint, now, monkeypatch, reply, reason
):
    longest = "0.5" if reply.delay_s else "30"
    monkeypatch.setenv("MEMORY_EXTRACTION_TIMEOUT_S", longest)
    monkeypatch.setenv("MEMORY_EPISODE_TIMEOUT_S", longest)
    get_settings.cache_clear()
    endpoint.answer = answering(reply)
    talk = Talk(endpoint)

    assert await talk.say(SAID) == "Noted."

    assert await talk.facts() == set()
    assert any(reason in str(each) for each in talk.reasons())
    assert "model_unavailable" in talk.reasons()
    await background.drain()
    sent = len(endpoint.internal)
    assert sent <= 2

    endpoint.answer = answering(completion(BOTH))
    for text in ("Thanks!", "Good.", "Bye!"):
        await talk.say(text)
        await background.drain()

    assert await talk.facts() == {"profile:city", "work:job"}
    assert len(endpoint.internal) in ({1, 2} if reply.delay_s else {2})
    [receipt] = [
        each
        for each in await talk.memory.ledger.recent()
        if each.source and each.source.message_ids[0] == talk.state["messages"][0].id
        if each.node == "memory_hotpath"
    ]
    assert await talk.memory.turns.waiting() == []
    assert sum(each.action == "create" for each in receipt.decisions) == 2


async def test_a_model_that_is_late_reads_the_turn_in_a_later_run(endpoint, now, monkeypatch):
    monkeypatch.setenv("MEMORY_EPISODE_TIMEOUT_S", "0.3")
    get_settings.cache_clear()
    endpoint.answer = answering(dataclasses.replace(completion(BOTH), delay_s=1.0))
    talk = Talk(endpoint)
    assert await talk.say(ONLY_A_MODEL_READS) == "Noted."
    assert "model_unavailable" in talk.reasons()
    assert await talk.facts() == set()

    monkeypatch.setenv("MEMORY_EPISODE_TIMEOUT_S", "30")
    get_settings.cache_clear()
    endpoint.answer = answering(completion(BOTH))
    await talk.say("Thanks!")

    assert {"profile:city", "work:job"} <= await talk.facts()
    assert await talk.memory.turns.waiting() == []


async def test_memory_asks_quietly_whatever_the_conversation_is_set_to(endpoint, now):
    endpoint.answer = answering(completion(BOTH))
    talk = Talk(endpoint, temperature=0.9, streaming=True)
    await talk.say(SAID)

    [asked] = endpoint.internal
    assert asked["temperature"] == 0
    assert asked.get("max_tokens") or asked.get("max_completion_tokens")
    assert not asked.get("stream")
    assert talk.state["memory_tax"]["input_tokens"] == 321


async def test_a_model_that_refuses_a_temperature_is_asked_without_one(endpoint, now):
    def answer(request):
        if not is_internal(request):
            return completion("Noted.")
        if "temperature" in request:
            return failure(400, "Unsupported value: 'temperature' does not support 0.")
        return completion(BOTH)

    endpoint.answer = answer
    talk = Talk(endpoint)
    await talk.say(SAID)
    await talk.say("I work as a nurse.")

    assert await talk.facts() == {"profile:city", "work:job"}
    assert ["temperature" in each for each in endpoint.internal] == [True, False, False]


async def test_the_endpoint_is_asked_strictly_for_every_field(endpoint, now):
    endpoint.answer = answering(completion(BOTH))
    talk = Talk(endpoint)
    await talk.say(SAID)

    [asked] = endpoint.internal
    wanted = asked["response_format"]["json_schema"]
    assert wanted["strict"] is True
    fact = wanted["schema"]["properties"]["facts"]["items"]
    assert {"about", "attribute", "value", "from", "replaces"} <= set(fact["required"])
    assert '"about"' in asked["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        pytest.param(completion(f"Sure! {BOTH} Hope it helps."), 2, id="prose around it"),
        pytest.param(completion(f"```json\n{BOTH}\n```"), 2, id="fenced"),
        pytest.param(completion(BOTH[:300], finish="length"), 1, id="truncated, and said so"),
        pytest.param(completion(BOTH[:300]), 1, id="truncated"),
    ],
)
async def test_what_is_usable_of_an_answer_is_kept(endpoint, now, reply, kept):
    endpoint.answer = answering(reply)
    talk = Talk(endpoint)

    assert await talk.say(ONLY_A_MODEL_READS) == "Noted."

    known = await talk.memory.facts.all()
    assert len(known) == kept
    assert {fact.extractor for fact in known} == {f"{PROMPT} small"}


async def test_single_facts_that_do_not_fit_are_dropped_and_counted(endpoint, now):
    facts = [LISBON, {"value": "no statement"}, "nonsense", NURSE]
    endpoint.answer = answering(completion(json.dumps(a_reading(*facts))))
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
        return tool_call(BOTH[:300]) if request.get("tools") else completion("Noted.")

    endpoint.answer = answer
    talk = Talk(endpoint)
    await talk.say(SAID)

    assert "profile:city" in await talk.facts()


async def test_an_exchange_worth_asking_about_costs_one_more_call_that_sees_both_sides(
    endpoint, now
):
    endpoint.answer = telling(summary="The team moves the archive to Postgres.", topic="archive")
    talk = Talk(endpoint)
    await talk.say("Good morning!")
    assert endpoint.internal == []

    await talk.say(MOVED)

    _, asked = (r["messages"][-1]["content"] for r in endpoint.internal)
    new = asked.rpartition("The exchange:")[2]
    assert "photo archive" in new
    assert "assistant: Good choice." in new
    assert "Good morning" not in new
    assert "kept because" not in asked


async def test_the_call_is_told_which_facts_were_kept_and_which_events_are_known(endpoint, now):
    endpoint.answer = telling(summary="The user moved the archive to Postgres.", topic="archive")
    talk = Talk(endpoint)
    await talk.say(MOVED)
    now.move(days=3)
    facts = json.loads(BOTH)

    def answer(request):
        asks_facts = "long-term memory" in request["messages"][-1]["content"]
        draft = {"summary": "The user moved to Lisbon and took the archive along.", "continues": 1}
        told = {**facts, "has_episode": True} if asks_facts else draft
        return completion(json.dumps(told)) if is_internal(request) else completion("Good.")

    endpoint.answer = answer
    await talk.say(f"{SAID} We decided to take the photo archive along.")

    asked = endpoint.internal[-1]["messages"][-1]["content"]
    kept, events = asked.split("Already kept as facts:")[1].split("Events known:")
    assert "Lisbon" in kept
    assert "1. 2026-11-16 (unknown) archive: The user moved the archive to Postgres." in events
    later, earlier = await talk.memory.episodes.recent(2)
    assert later.parent_episode_id == earlier.id


async def test_routine_turns_cost_no_call_at_the_endpoint(endpoint, now):
    endpoint.answer = answering(completion(BOTH))
    talk = Talk(endpoint)
    for text in ("Thanks!", "What is the capital of France?", "ok cool"):
        await talk.say(text)

    assert endpoint.internal == []


MOVED = "We decided to move the photo archive to Postgres, and the migration worked."


def telling(*, says: bool = True, **draft):
    """Answer about facts with whether something came of it, and about episodes with a draft."""

    def answer(request):
        if not is_internal(request):
            return completion("Good choice.")
        asks_facts = "long-term memory" in request["messages"][-1]["content"]
        return completion(json.dumps(a_reading(has_episode=says) if asks_facts else draft))

    return answer


@pytest.mark.parametrize("says", [True, False])
async def test_a_call_after_the_reply_decides_whatever_the_reader_said(endpoint, now, says):
    endpoint.answer = telling(says=says, worth=False)
    talk = Talk(endpoint)
    await talk.say(MOVED)

    assert len(endpoint.internal) == 2
    assert await talk.memory.episodes.all() == []


async def test_a_decision_of_few_words_lives_by_the_reply_before_it(endpoint, now):
    endpoint.answer = telling(summary="The user chose B, the boathouse.", topic="the venue")
    talk = Talk(endpoint)
    await talk.say("ok, we decided: B it is, done")

    [episode] = await talk.memory.episodes.all()
    assert episode.summary == "The user chose B, the boathouse."


async def test_a_model_named_for_episodes_writes_each_of_them(endpoint, now, monkeypatch):
    monkeypatch.setenv("MEMORY_EPISODE_MODEL", "large")
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    get_settings.cache_clear()
    endpoint.answer = telling(summary="The archive was moved to Postgres.", topic="archive")
    talk = Talk(endpoint)
    await talk.say(MOVED)

    assert [each["model"] for each in endpoint.internal] == ["small", "large"]
    [episode] = await talk.memory.episodes.all()
    assert episode.summary == "The archive was moved to Postgres."


async def test_what_follows_during_a_cooldown_joins_without_a_call_of_its_own(endpoint, now):
    endpoint.answer = telling(summary="The archive was moved to Postgres.", topic="photo archive")
    talk = Talk(endpoint)
    await talk.say(MOVED)
    before = len(endpoint.internal)
    await talk.say("The photo archive migration to Postgres failed after all, we rolled it back.")

    assert len(endpoint.internal) == before + 1
    [episode] = await talk.memory.episodes.all()
    assert "rolled it back" in episode.summary
