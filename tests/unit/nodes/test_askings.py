"""Questions, requests and looks back: none of 60, in four languages, is kept as anything."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from evals.harness.runner import CASES
from memory_graph.compose import add_memory
from memory_graph.context import Context
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.fakes import FakeClock

ASKINGS = (CASES / "askings.txt").read_text(encoding="utf-8").splitlines()
TOLD = "We moved the billing database to Postgres 16 yesterday, it went fine."
RECAP = "We spoke of the billing database: the move to Postgres 16 went fine. Here it is."


async def answer(state: MessagesState) -> MessagesState:
    is_told = state["messages"][-1].content == TOLD
    return {"messages": [AIMessage("Good to hear." if is_told else RECAP)]}


@pytest.mark.parametrize("asking", ASKINGS)
async def test_an_asking_is_kept_neither_as_an_episode_nor_as_a_fact(
    asking: str, store, now: FakeClock
) -> None:
    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("agent", answer)
    builder.add_edge(START, "agent")
    builder.add_edge("agent", END)
    graph = add_memory(builder).compile(store=store)
    context, config = Context(user_id="ana"), {"configurable": {"thread_id": "t"}}
    history: list[object] = [HumanMessage(TOLD, id="told")]
    state = await graph.ainvoke({"messages": history}, context=context, config=config)
    now.move(days=1)
    messages = [*state["messages"], HumanMessage(asking, id="asked")]
    await graph.ainvoke({"messages": messages}, context=context, config=config)

    memory = memory_of(Owner("ana"), store)
    kept = [*await memory.episodes.all(), *await memory.facts.all()]
    assert kept, "what was told is kept"
    assert [each.id for each in kept if "asked" in each.source.message_ids] == []
