"""Odd identities: each is refused or is somebody of their own, and never anybody else."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.runtime import ServerInfo
from pydantic import ValidationError

from memory_graph.context import Context, read_context
from memory_graph.errors import NoUserError
from memory_graph.records import storable_id
from memory_graph.settings import get_settings
from memory_graph.store.scope import resolve_owner, user_label
from tests.faults.conftest import Conversation, foreign_nodes, rows_of

ODD = ["ana", "Ana", "ana ", "ana.", "a%na", "an_a", "ana\x00", "ana\ud800", "ana\udfff", "аna"]


@pytest.mark.parametrize("odd", [b"ana", 7.0, True, ["ana"], bytearray(b"ana")], ids=repr)
def test_what_is_no_text_is_nobody(odd):
    with pytest.raises(ValidationError):
        Context(user_id=odd)
    assert read_context(None, {"user_id": odd}).user_id is None
    assert read_context({"user_id": odd}, {"user_id": "ben"}).user_id is None


@pytest.mark.parametrize("odd", [b"ana", 7])
def test_a_signed_in_identity_that_is_no_text_is_refused(odd):
    class User:
        identity = odd
        permissions = ()

    server = ServerInfo(assistant_id="a", graph_id="g", user=User())
    with pytest.raises(NoUserError):
        resolve_owner(server, Context(user_id="ana"), get_settings())


def test_different_ids_have_different_labels():
    ids = [*ODD, storable_id("ana\ud800"), "bytes:616e61eda080"]
    assert len({user_label(Context(user_id=each).user_id or "") for each in ids}) >= len(ODD) + 1
    assert storable_id("ana\ud800") != storable_id(storable_id("ana\ud800"))


async def test_odd_users_keep_their_own_memory(store):
    graph = foreign_nodes(store, None)
    for number, user in enumerate(ODD):
        city = "ABCDEFGHIJ"[number] + "ville"
        await Conversation(graph, f"t{number}").say(user, f"I live in {city}.")

    for number, user in enumerate(ODD):
        rows = await rows_of(store, Context(user_id=user).user_id)
        assert "ABCDEFGHIJ"[number] + "ville" in rows
        assert rows.count("ville.") >= 1
        assert not any(
            f"{each}ville" in rows for each in "ABCDEFGHIJ".replace("ABCDEFGHIJ"[number], "")
        )


async def test_lone_surrogates_cost_no_memory(store):
    conversation = Conversation(foreign_nodes(store, None), "thread")
    conversation.config["configurable"]["thread_id"] = "thread\ud800"
    said = HumanMessage("I live in Porto.", id="m\udc00", name="an\udc00a")

    await conversation.say("ana\udc00", said)

    assert "Porto" in await rows_of(store, Context(user_id="ana\udc00").user_id)
