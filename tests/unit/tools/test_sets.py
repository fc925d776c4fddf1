"""Small sets of tools by purpose, and what they tell a model."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.embedding.encoders import count_tokens
from memory_graph.records import ToolSet
from memory_graph.state import State
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.tools import memory_tools
from tests.examples import NOON, a_fact


def tokens_of(tools):
    told = [json.dumps(convert_to_openai_tool(each), separators=(",", ":")) for each in tools]
    return sum(map(count_tokens, told))


def test_the_default_set_costs_less_than_1200_tokens_in_every_call():
    assert {each.name for each in memory_tools()} == {
        "remember_fact",
        "recall_facts",
        "forget_fact",
    }
    assert tokens_of(memory_tools()) < 1200


def test_the_set_that_searches_episodes_also_adds_reads_and_deletes_them():
    names = {each.name for each in memory_tools("episodes")}
    assert {"add_episode", "search_episodes", "get_episode", "delete_episode"} <= names


def test_the_page_lists_every_set_with_its_tools():
    page = (Path(__file__).parents[3] / "docs/how-to/tools.md").read_text(encoding="utf-8")
    for name in (each for each in get_args(ToolSet) if each != "all"):
        listed = page.partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]
        assert {each.name for each in memory_tools(name)} == set(
            re.findall(r"^\| `(\w+)`", listed, re.M)
        )


def test_sets_join_and_all_has_every_tool_once():
    both = {each.name for each in memory_tools("facts", "episodes")}
    names = [each.name for each in memory_tools("all")]

    assert {"correct_fact", "search_episodes"} <= both
    assert len(names) == len(set(names)) > len(both)


async def answer(store, tool, args, *said):
    builder = StateGraph(State, context_schema=Context)
    builder.add_node("tools", ToolNode(memory_tools("all")))
    builder.add_edge(START, "tools")
    call = {"name": tool, "args": args, "id": f"c{len(said)}"}
    messages = [*(HumanMessage(text) for text in said), AIMessage("", tool_calls=[call])]
    state = await builder.compile(store=store).ainvoke(
        {"messages": messages}, context=Context(user_id="ana")
    )
    return str(state["messages"][-1].text)


@pytest.fixture
async def store(now):
    store = InMemoryStore()
    memory = memory_of(Owner("ana"), store)
    fact = a_fact("profile:pet:luna:age", "The user's cat Luna is 4 years old.")
    await memory.commit(await memory.facts.puts([fact], NOON))
    return store


@pytest.mark.parametrize(
    "filters",
    [
        {"as_of": "2026-11-16"},
        {"as_of": "2027-01-01"},
        {"category": "health"},
        {"entity": "cat food"},
    ],
    ids=str,
)
async def test_filters_that_a_model_fills_in_hide_nothing_that_is_known(store, filters):
    assert "Luna is 4" in await answer(store, "recall_facts", {"query": "cat", **filters})


async def test_what_the_user_never_said_is_not_remembered(store):
    fact = {"statement": "The user's dentist is Dr. Silva.", "value": "Dr. Silva"}

    told = await answer(store, "remember_fact", fact, "Who is my dentist?")

    assert "has not said that" in told
    assert len(await memory_of(Owner("ana"), store).facts.all()) == 1


async def test_an_identical_statement_is_kept_once(store):
    fact = {"statement": "The user's cat Luna is 4 years old."}

    told = await answer(store, "remember_fact", fact, "Remember that my cat Luna is 4 years old.")

    assert told.startswith("Known already")
    assert len(await memory_of(Owner("ana"), store).facts.all()) == 1


@pytest.mark.parametrize("tool", ["recall_facts", "search_episodes", "query_patterns"])
async def test_what_a_tool_answers_may_be_passed_on_to_the_user(tool, now):
    told = await answer(InMemoryStore(), tool, {"query": "a dentist"})

    assert "Do not" not in told
    assert "user" not in told
