"""A thread that goes back takes its memory along, and one that comes back brings it again."""

from langchain_core.messages import HumanMessage

from memory_graph import background
from memory_graph.context import Context
from tests.faults.conftest import Conversation, in_pairs

PACE = {"capture": {"cooldown_turns": 0, "cooldown_minutes": 0}}
ANA = Context(user_id="ana", policies=PACE)


async def known(memory) -> str:
    """The facts that hold, and the words that are found."""
    await background.drain()
    facts = [fact.statement for fact in await memory.facts.all() if fact.valid_to is None]
    words = [turn.text for turn in await memory.turns.all() if not turn.withdrawn]
    return "\n".join([*facts, *words])


async def ends(conversation: Conversation) -> list[dict]:
    """Where each turn of the thread's latest branch ended, the first one first."""
    past = [each async for each in conversation.graph.aget_state_history(conversation.config)]
    return [each.config for each in past if not each.next][::-1]


async def go_on(conversation: Conversation, place, *said: str) -> dict:
    await conversation.graph.ainvoke(
        {"messages": [HumanMessage(each) for each in said]}, place, context=ANA
    )
    past = [each async for each in conversation.graph.aget_state_history(conversation.config)]
    return past[0].config


@in_pairs
async def test_the_first_branch_brings_its_words_again(conversation, memory_for):
    await conversation.say("ana", "My cat Luna is 3.")
    await conversation.say("ana", "I am a nurse.")
    first, second = await ends(conversation)
    await go_on(conversation, first, "I am a lawyer.")
    told = await known(memory_for("ana"))
    assert "lawyer" in told
    assert "nurse" not in told

    await go_on(conversation, second, "Thanks!")

    told = await known(memory_for("ana"))
    assert "Luna" in told
    assert "nurse" in told
    assert "lawyer" not in told


@in_pairs
async def test_editing_the_first_turn_and_coming_back_leaves_everything(conversation, memory_for):
    for text in ("My cat Luna is 3.", "I am a nurse.", "I live in Rome."):
        await conversation.say("ana", text)
    *_, last = await ends(conversation)
    past = [each async for each in conversation.graph.aget_state_history(conversation.config)]
    await go_on(conversation, past[-1].config, "My cat Milo is 5.")
    told = await known(memory_for("ana"))
    assert "Milo" in told
    assert not [word for word in ("Luna", "nurse", "Rome") if word in told]

    await go_on(conversation, last, "Thanks!")

    told = await known(memory_for("ana"))
    assert "Milo" not in told
    assert not [word for word in ("Luna", "nurse", "Rome") if word not in told]


@in_pairs
async def test_regenerating_the_first_reply_keeps_its_message(conversation, memory_for):
    for text in ("My cat Luna is 3.", "I am a nurse."):
        await conversation.say("ana", text)
    past = [each async for each in conversation.graph.aget_state_history(conversation.config)]
    begun = next(each for each in reversed(past) if each.values.get("messages"))
    await conversation.graph.ainvoke(None, begun.config, context=ANA)
    await conversation.say("ana", "I live in Rome.")

    told = await known(memory_for("ana"))
    assert "Luna" in told
    assert "Rome" in told
    assert "nurse" not in told


async def test_where_no_run_follows_nothing_changes(conversation, memory_for):
    await conversation.say("ana", "My cat Luna is 3.")
    [first] = await ends(conversation)
    await conversation.say("ana", "I am a nurse.")
    await conversation.graph.aupdate_state(first, {"messages": []})

    told = await known(memory_for("ana"))
    assert "nurse" in told


@in_pairs
async def test_a_message_edited_under_its_id_replaces_what_it_said(conversation, memory_for):
    await conversation.say("ana", "My cat Luna is 3.")
    [first] = await ends(conversation)
    await conversation.say("ana", HumanMessage("I am a nurse.", id="m2"))
    edited = {"messages": [HumanMessage("My dog Rex is 5.", id="m2")]}
    await conversation.graph.ainvoke(edited, first, context=ANA)

    told = await known(memory_for("ana"))
    assert "Rex" in told
    assert "Luna" in told
    assert "nurse" not in told
