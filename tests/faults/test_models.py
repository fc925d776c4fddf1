"""A model that times out, refuses, breaks off or talks nonsense costs no reply and no words."""

import json

import pytest
from langchain_openai import ChatOpenAI

from memory_graph.settings import get_settings
from tests.faults.conftest import Conversation, foreign_nodes
from tests.openai_endpoint import Endpoint, Reply, completion, failure, serving

FACT = json.dumps(
    {
        "facts": [
            {
                "statement": "The user lives in Porto.",
                "category": "profile",
                "entity": "user",
                "attribute": "city",
                "value": "Porto",
            }
        ]
    }
)
ANSWERS = {
    "timeout": lambda request: Reply("{}", delay_s=3),
    "429": lambda request: failure(429),
    "500": lambda request: failure(500),
    "prose": lambda request: completion("Of course! I will remember that for you."),
    "truncated": lambda request: completion(FACT[: len(FACT) // 2], finish="length"),
    "refusal": lambda request: completion(None, refusal="I cannot help with that."),
    "HTML": lambda request: Reply("<html>Bad gateway</html>", content_type="text/html"),
    "empty": lambda request: completion(""),
    "nothing at all": lambda request: Reply(""),
}


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_EXTRACTION_TIMEOUT_S", "1")
    monkeypatch.setenv("MEMORY_EPISODE_TIMEOUT_S", "1")
    get_settings.cache_clear()
    with serving() as served:
        yield served


@pytest.mark.parametrize("answer", ANSWERS)
async def test_whatever_a_model_does_the_turn_goes_on(
    endpoint: Endpoint, store, memory_for, answer
):
    endpoint.answer = ANSWERS[answer]
    model = ChatOpenAI(base_url=endpoint.url, api_key="none", model="small", max_retries=0)
    conversation = Conversation(foreign_nodes(store, model))
    said = "I live in Porto and we decided to sell the house."

    reply = await conversation.say("ana", said)

    assert reply["messages"][-1].text == "I see."
    endpoint.answer = lambda request: completion(FACT)
    for _ in range(3):
        await conversation.say("ana", "Thanks!")
    memory = memory_for("ana")
    assert said in [turn.text for turn in await memory.turns.all()]
    told = [fact.statement for fact in await memory.facts.all()]
    assert not [each for each in told if "remember that for you" in each or "cannot" in each]
    if answer in {"timeout", "429", "500"}:
        assert "profile:city" in {fact.id for fact in await memory.facts.all()}
