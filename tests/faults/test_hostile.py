"""Hostile text and sizes: in the message, the user, the thread and the message's id."""

import asyncio
from unicodedata import normalize

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from memory_graph.context import Context
from tests.fakes import CountingModel
from tests.faults.conftest import Conversation, foreign_nodes, rows_of

HOSTILE = {
    "NUL": "a\x00b",
    "lone surrogate": "a\ud800b",
    "right to left": "\u202eabc\u202c",
    "zero width": "a\u200b\u200d\ufeffb",
    "combining": "e" + "\u0301" * 500,
    "line separators": "a\u2028b\u2029c\x85d",
    "controls": "".join(map(chr, range(1, 32))),
    "beyond the plane": "𝒜🏴\U000e0067\U0010ffff",
    "SQL": "'; DROP TABLE store; --",
    "wildcards": "%_.*?[a-z]",
    "template": "{x} ${y} {{z}} %s",
    "closing tags": "</memory></user-turns>```",
    "dots": "../../etc",
    "long": "x" * 5000,
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_text_costs_neither_reply_nor_memory(store, name):
    text = HOSTILE[name]
    conversation = Conversation(foreign_nodes(store, None))
    conversation.config["configurable"]["thread_id"] = f"t{text}"
    said = HumanMessage(f"I live in Porto. {text}", id=f"m{text}", name=f"n{text}"[:200])
    user = normalize("NFC", f"u{text}")

    reply = await conversation.say(user, said)
    await conversation.say(user, "Thanks!")

    assert reply["messages"][-1].text
    assert "Porto" in await rows_of(store, Context(user_id=user).user_id)
    assert await rows_of(store, "u") == "[]"


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_text_in_a_key_costs_neither_reply_nor_memory(store, memory_for, name):
    text = HOSTILE[name]
    cat = {"statement": f"The user's cat {text} is 3.", "category": "profile", "value": "3"}
    cat |= {"entity": f"cat {text}", "entity_kind": "cat", "attribute": f"age {text}"}
    city = {"statement": "The user lives in Porto.", "category": "profile", "value": "Porto"}
    city |= {"entity": "user", "attribute": "city"}
    model = CountingModel(answers=[{"facts": [cat, city]}])
    conversation = Conversation(foreign_nodes(store, model))

    reply = await conversation.say("ana", f"I live in Porto. My cat {text} is 3.")

    assert reply["messages"][-1].text
    memory = memory_for("ana")
    facts = await memory.facts.all()
    assert "profile:city" in {fact.id for fact in facts}
    assert [await memory.facts.get(fact.id) for fact in facts] == facts


@pytest.mark.parametrize("size", [1_000_000, 10_000_000])
async def test_a_huge_message_is_answered_and_read_at_both_ends(store, size):
    model = CountingModel(answers=[{"facts": []}])
    conversation = Conversation(foreign_nodes(store, model))
    filler = "We walked to the market and bought bread. " * (size // 42)

    async with asyncio.timeout(90):
        reply = await conversation.say("ana", f"I live in Porto. {filler} My cat Luna is 3.")

    assert reply["messages"][-1].text
    assert "I live in Porto." in model.prompts[0]
    assert "My cat Luna is 3." in model.prompts[0]
    assert len(await rows_of(store, "ana")) < 1_000_000


async def test_a_thread_of_five_thousand_messages_is_gone_on_with(store, memory_for):
    conversation = Conversation(foreign_nodes(store, None))
    past = [
        message
        for n in range(2500)
        for message in (HumanMessage(f"say {n}", id=f"h{n}"), AIMessage("ok", id=f"a{n}"))
    ]
    await conversation.graph.aupdate_state(conversation.config, {"messages": past})

    async with asyncio.timeout(60):
        await conversation.say("ana", "I live in Porto.")

    assert "profile:city" in {fact.id for fact in await memory_for("ana").facts.all()}
    assert "say 2499" not in await rows_of(store, "ana"), "nobody's run brought it"
