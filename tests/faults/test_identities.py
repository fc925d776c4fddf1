"""Odd identities: each is refused or is somebody of their own, and never anybody else."""

from hashlib import sha256
from unicodedata import normalize

import pytest
from langchain_core.messages import HumanMessage
from langgraph.runtime import ServerInfo

from memory_graph.context import Context, read_context
from memory_graph.errors import NoUserError
from memory_graph.records import storable_id
from memory_graph.settings import get_settings
from memory_graph.store.labels import user_label
from memory_graph.store.owner import Owner, resolve_owner
from memory_graph.store.scope import memory_of
from tests.faults.conftest import Conversation, foreign_nodes, rows_of

ODD = ["ana", "Ana", "ana ", "ana.", "a%na", "an_a", "ana\x00", "ana\ud800", "ana\udfff", "аna"]


@pytest.mark.parametrize("odd", [b"ana", 7.0, True, ["ana"], bytearray(b"ana")], ids=repr)
def test_what_is_no_text_is_nobody(odd):
    assert Context(user_id=odd).user_id is None
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


def _composed(name: str) -> str:
    return normalize("NFC", name)


ALIKE = {
    "Kelvin sign": "\u212aarel",
    "Greek question mark": "ana\u037eben",
    "decomposed": normalize("NFD", "jos\u00e9"),
    "Angstrom sign": "\u212bsa",
    "long and decomposed": normalize("NFD", "\u00e9" * 1120),
}


@pytest.mark.parametrize("odd", ALIKE.values(), ids=ALIKE)
async def test_an_id_that_looks_like_another_is_refused_and_the_other_keeps_its_memory(store, odd):
    graph = foreign_nodes(store, None)
    await Conversation(graph, "theirs").say(_composed(odd), "I live in Porto.")
    before = await rows_of(store, _composed(odd))

    answered = await Conversation(graph, "odd").say(odd, "I live in Atlantis.")

    assert answered["messages"][-1].text
    assert "Porto" in before
    assert await rows_of(store, _composed(odd)) == before
    with pytest.raises(NoUserError, match="NFC"):
        resolve_owner(None, Context(user_id=odd), get_settings())
    with pytest.raises(NoUserError, match="NFC"):
        memory_of(Owner(odd), store)


@pytest.mark.parametrize("odd", ALIKE.values(), ids=ALIKE)
def test_labels_are_injective_on_what_is_given(odd):
    assert user_label(odd) != user_label(_composed(odd))


def test_labels_stay_as_they_were():
    assert user_label("ana@example.com") == "ana@example=2Ecom"
    assert user_label("jos\u00e9") == "jos=C3=A9"
    assert user_label("x" * 121) == f"{'x' * 48}~{sha256(b'x' * 121).hexdigest()}"


def test_a_signed_in_identity_that_looks_like_another_is_refused():
    class User:
        identity = ALIKE["Kelvin sign"]
        permissions = ()

    server = ServerInfo(assistant_id="a", graph_id="g", user=User())
    with pytest.raises(NoUserError, match="NFC"):
        resolve_owner(server, Context(), get_settings())
