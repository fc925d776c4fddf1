"""Messages without words, in pieces, or changed afterwards."""

import pytest
from langchain_core.messages import HumanMessage

from memory_graph import Memory
from tests.faults.conftest import rows_of

IMAGE = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
AUDIO = {"type": "audio", "base64": "aGk=", "mime_type": "audio/wav"}


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
@pytest.mark.parametrize(
    "content", [[IMAGE], [AUDIO], "", "   ", [], [{"type": "text", "text": ""}, IMAGE]], ids=repr
)
async def test_a_message_without_words_recalls_as_usual(conversation, content, caplog):
    await conversation.say("ana", "I live in Porto.")

    caplog.set_level("INFO", logger="memory_graph")
    reply = await conversation.say("ana", HumanMessage(content))

    assert reply["messages"][-1].text
    assert "memory.search" in caplog.text
    assert "gave_up" not in caplog.text


async def test_blocks_of_text_are_joined_with_a_space(conversation, store):
    blocks = ["We decided", {"type": "text", "text": "to buy a bike."}, IMAGE]

    await conversation.say("ana", HumanMessage(blocks))

    assert "We decided to buy a bike." in await rows_of(store, "ana")


async def test_an_edited_message_is_read_again(conversation, store):
    await conversation.say("ana", HumanMessage("I live in Porto.", id="m1"))
    await conversation.say("ana", HumanMessage("I live in Braga.", id="m1"))
    await conversation.say("ana", HumanMessage("I live in Braga.", id="m1"))

    known = await Memory(store, user_id="ana").afacts()
    assert [fact.value for fact in known] == ["Braga"]
