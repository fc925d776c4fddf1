"""Every message belongs to the user of the run it came in with, and to nobody else."""

import pytest
from langchain_core.messages import HumanMessage

from memory_graph.context import Context
from tests.fakes import CountingModel
from tests.faults.conftest import Conversation, StoreWithOutages, rows_of

HERS = "My salary is 90000 and we decided to sell the house."
HIS = "We decided to buy a bike."


async def test_two_users_of_one_thread_keep_their_own_words(conversation, store):
    await conversation.say("alice", HERS)
    await conversation.say("bob", HIS)
    await conversation.say("alice", "We decided to keep the garden shed.")
    await conversation.say("bob", "We decided to paint the fence green.")

    alice, bob = await rows_of(store, "alice"), await rows_of(store, "bob")
    assert "90000" in alice
    assert "shed" in alice
    assert "bike" in bob
    assert "fence" in bob
    assert not [word for word in ("90000", "house", "shed") if word in bob]
    assert not [word for word in ("bike", "fence") if word in alice]


async def test_what_was_said_without_a_user_is_nobodys(conversation, store):
    await conversation.say(None, HERS)
    await conversation.say("bob", HIS)
    await conversation.say(None, "I am allergic to nuts.")
    await conversation.say("bob", "We decided to paint the fence green.")

    bob = await rows_of(store, "bob")
    assert "bike" in bob
    assert "fence" in bob
    assert not [word for word in ("90000", "house", "nuts") if word in bob]


async def test_an_outage_is_made_up_for_to_whom_it_happened(conversation, store):
    store.is_down = True
    await conversation.say("alice", "I live in Porto.")
    store.is_down = False
    await conversation.say("bob", "I live in Braga.")
    await conversation.say("alice", "I am a nurse.")

    alice, bob = await rows_of(store, "alice"), await rows_of(store, "bob")
    assert "Porto" not in bob
    assert "Porto" in alice
    assert "Braga" not in alice


async def test_two_messages_of_one_run_are_both_the_users(conversation, store):
    await conversation.say("bob", "I live in Braga.", "We decided to buy a bike.")

    bob = await rows_of(store, "bob")
    assert "Braga" in bob
    assert "bike" in bob


async def test_in_a_group_each_keeps_their_own(conversation, store):
    await conversation.say("alice", HumanMessage(HERS, name="alice"))
    await conversation.say(
        "bob",
        HumanMessage("I live in Rome and we decided to get a parrot.", name="carol"),
        HumanMessage(HIS, name="bob"),
    )

    bob = await rows_of(store, "bob")
    assert "bike" in bob
    assert not [word for word in ("90000", "house", "Rome", "parrot") if word in bob]


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
async def test_no_model_is_shown_another_persons_words(surface, store: StoreWithOutages):
    model = CountingModel(answers=[{"facts": []}] * 20)
    if surface.__name__ == "our_graph":
        pytest.skip("its agent shares the thread with everybody, and so does its model")
    conversation = Conversation(surface(store, model))
    await conversation.say("alice", HERS)
    asked = model.calls

    await conversation.say("bob", "I live in Braga and we decided to buy a bike.")

    assert model.calls > asked
    assert "90000" not in "\n".join(model.prompts[asked:])


@pytest.mark.parametrize("is_down", [False, True], ids=["nobody signed in", "store down"])
async def test_nobody_is_told_what_the_last_user_was_told(conversation, store, is_down):
    await conversation.say("alice", "I live in Porto.")
    assert "Porto" in await shown(conversation, "alice", "What city do I live in?")

    store.is_down = is_down
    assert "Porto" not in await shown(conversation, "bob" if is_down else None, "Hello!")


async def shown(conversation: Conversation, user_id: str | None, said: str) -> str:
    """Say something, and return what the agent was shown of memory."""
    keys = ["memory_context", "memory_recall", "memory_noted"]
    values = await conversation.graph.ainvoke(
        {"messages": [HumanMessage(said)]},
        conversation.config,
        context=Context(user_id=user_id),
        output_keys=keys,
    )
    assert {*values} <= {*keys}
    return str(values)
