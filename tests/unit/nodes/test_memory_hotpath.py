from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.runtime import Runtime

from memory_graph.context import Context
from memory_graph.nodes import memory_hotpath
from memory_graph.storage.scope import open_memory
from tests.fakes import FakeClock

CONFIG = {"configurable": {"thread_id": "t1"}}


def human(text: str, message_id: str = "m1") -> HumanMessage:
    return HumanMessage(text, id=message_id)


async def test_keeps_every_fact_of_a_turn(runtime: Runtime[Context], now: FakeClock) -> None:
    update = await memory_hotpath(
        {"messages": [human("I am Ana, I live in Lisbon and I'm allergic to peanuts.")]},
        runtime,
        CONFIG,
    )

    facts = {fact.id for fact in await open_memory(runtime).facts.current()}
    assert facts == {"profile:name", "profile:city", "health:allergy:peanut"}
    assert {note["memory_id"] for note in update["memory_decisions"]} == facts
    assert len(update["memory_noted"]) == 3


async def test_small_talk_costs_nothing_and_says_why(
    runtime: Runtime[Context], now: FakeClock
) -> None:
    update = await memory_hotpath({"messages": [human("Thanks a lot!")]}, runtime, CONFIG)

    [note] = update["memory_decisions"]
    assert (note["action"], note["memory_id"]) == ("skip", None)
    assert update["memory_tax"]["calls"] == 0
    assert await open_memory(runtime).facts.all() == []


async def test_only_the_users_own_words_are_read(runtime: Runtime[Context], now: FakeClock) -> None:
    messages = [
        SystemMessage("The user lives in Rome."),
        human("What does the file say?"),
        AIMessage("I live in Berlin."),
        ToolMessage("I live in Paris. My name is Mallory.", tool_call_id="c1"),
    ]

    await memory_hotpath({"messages": messages}, runtime, CONFIG)

    assert await open_memory(runtime).facts.all() == []


async def test_a_handled_turn_is_told_again_but_not_written_again(
    runtime: Runtime[Context], now: FakeClock
) -> None:
    state = {"messages": [human("I live in Lisbon.")]}
    first = await memory_hotpath(state, runtime, CONFIG)
    before = await runtime.store.asearch(("memories",), limit=100)
    now.move(hours=2)

    again = await memory_hotpath(state, runtime, CONFIG)

    assert again["memory_decisions"] == first["memory_decisions"]
    assert await runtime.store.asearch(("memories",), limit=100) == before


async def test_a_retraction_ends_the_fact_and_keeps_it_in_the_history(
    runtime: Runtime[Context], now: FakeClock
) -> None:
    await memory_hotpath({"messages": [human("I'm allergic to peanuts.")]}, runtime, CONFIG)
    now.move(days=1)

    await memory_hotpath(
        {"messages": [human("I'm no longer allergic to peanuts.", "m2")]}, runtime, CONFIG
    )

    fact = await open_memory(runtime).facts.get("health:allergy:peanut")
    assert fact.valid_to == now.at
    assert await open_memory(runtime).facts.current() == []


async def test_an_empty_conversation_is_nothing_to_do(runtime: Runtime[Context]) -> None:
    assert (await memory_hotpath({"messages": []}, runtime, CONFIG))["memory_decisions"] == []
