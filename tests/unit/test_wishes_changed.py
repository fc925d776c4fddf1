"""Wishes are ended, changed and listed in conversation, without a model."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory
from memory_graph.context import Context
from memory_graph.graph import build_graph

NO_EMOJIS = "Please never use emojis in your answers."
SIGNED = "Always sign my mails with Tom."


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def memory(store: InMemoryStore) -> Memory:
    return Memory(store, user_id="ana")


async def in_force(memory: Memory) -> list[str]:
    return [each.wish for each in await memory.ainstructions()]


@pytest.mark.parametrize(
    "says",
    [
        "you can use emojis again",
        "Du kannst wieder Emojis benutzen.",
        "ya no hace falta que evites los emojis",
        "Forget the rule about emojis.",
    ],
)
async def test_the_wish_that_is_meant_ends_and_the_others_hold(memory: Memory, says: str) -> None:
    await memory.aadd(NO_EMOJIS)
    await memory.aadd(SIGNED)

    await memory.aadd(says)

    assert await in_force(memory) == [SIGNED]


@pytest.mark.parametrize(
    "says", ["forget that rule", "Vergiss diese Regel.", "olvida esa regla", "esquece essa regra"]
)
async def test_that_rule_is_the_newest(memory: Memory, says: str) -> None:
    await memory.aadd(NO_EMOJIS)
    await memory.aadd(SIGNED)

    await memory.aadd(says)

    assert await in_force(memory) == [NO_EMOJIS]


@pytest.mark.parametrize(
    "says",
    [
        "you can park here again",
        "my doctor says you can eat bread again",
        "Can I use emojis again?",
        "Forget what I told you about my job.",
    ],
)
async def test_what_is_about_no_wish_ends_none(memory: Memory, says: str) -> None:
    await memory.aadd(NO_EMOJIS)

    await memory.aadd(says)

    assert await in_force(memory) == [NO_EMOJIS]


async def test_a_fact_on_rules_stays_where_a_wish_ends(memory: Memory) -> None:
    await memory.aadd("Remember that the rule of our house is no shoes inside.")
    await memory.aadd(NO_EMOJIS)

    await memory.aadd("forget that rule")

    assert await in_force(memory) == []
    assert [fact.statement for fact in await memory.afacts()] == [
        "Remember that the rule of our house is no shoes inside."
    ]


async def test_another_wish_takes_the_place_of_the_one_it_changes(memory: Memory) -> None:
    await memory.aadd(SIGNED)

    await memory.aadd("Actually sign my mails with Thomas instead.")

    [wish] = await memory.ainstructions()
    assert wish.wish == "Actually sign my mails with Thomas instead."
    assert wish.history == (SIGNED,)


async def test_an_order_for_once_changes_nothing_where_nothing_was_wished(memory: Memory) -> None:
    await memory.aadd("Actually sign my mails with Thomas instead.")

    assert await in_force(memory) == []


async def reply(store: InMemoryStore, text: str) -> str:
    graph = build_graph(store=store)
    said = {"messages": [HumanMessage(text)]}
    state = await graph.ainvoke(said, context=Context(user_id="ana"))
    return str(state["messages"][-1].content)


@pytest.mark.parametrize(
    "asked",
    [
        "What rules did I give you?",
        "Welche Regeln habe ich dir gegeben?",
        "¿Qué reglas te he dado?",
        "Quelles règles t'ai-je données ?",
        "Quais regras eu te dei?",
    ],
)
async def test_the_reply_lists_the_wishes_in_force(
    memory: Memory, store: InMemoryStore, asked: str
) -> None:
    await memory.aadd(NO_EMOJIS)
    await memory.aadd(SIGNED)

    told = await reply(store, asked)

    assert f"- “{NO_EMOJIS}”\n- “{SIGNED}”" in told


async def test_rules_of_something_else_are_not_asked_of_the_agent(
    memory: Memory, store: InMemoryStore
) -> None:
    await memory.aadd(NO_EMOJIS)

    assert NO_EMOJIS not in await reply(store, "What are the rules of chess?")
