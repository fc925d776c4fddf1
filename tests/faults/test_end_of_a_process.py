"""What is read beside a reply is read to its end, where the process may end before."""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from memory_graph.settings import Settings
from memory_graph.store.configured import open_configured_store
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

ROOT = Path(__file__).parents[2]

SCRIPT = """
import json, sys, time
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from memory_graph import Memory, memory_context, memory_hotpath, open_store
from memory_graph.background import run_sync
from tests.examples import a_reading, a_stated

fact = a_stated("Luna is 3.", about="Luna (cat)", attribute="age", value="3")
reader = FakeListChatModel(responses=[json.dumps(a_reading(fact))] * 9, sleep=0.5)
opening = open_store("sqlite:" + sys.argv[1])
store = run_sync(opening.__aenter__)
builder = StateGraph(MessagesState)
builder.add_node("memory_hotpath", memory_hotpath.using(model=reader))
builder.add_node("memory_context", memory_context)
builder.add_edge(START, "memory_hotpath")
builder.add_edge("memory_hotpath", "memory_context")
graph = builder.compile(store=store)
config = {"configurable": {"user_id": "ana", "thread_id": "t"}}
graph.invoke({"messages": [HumanMessage("My cat Luna is 3.")]}, config)
if sys.argv[2] == "drain":
    assert Memory(store, user_id="ana").drain() == 0
    import os
    os._exit(0)
"""


@pytest.mark.parametrize("how", ["drain", "exit hook"])
async def test_a_script_that_ends_after_a_reply_has_read_its_message(how, tmp_path, embedder):
    address = f"sqlite:{tmp_path / 'memory.sqlite'}"
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "memory.sqlite"), how]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=PIPE, stderr=STDOUT)
    told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()

    async with open_configured_store(Settings(store=address), embedder) as opened:
        [fact] = await memory_of(Owner("ana"), opened.store).facts.all()
    assert fact.value == "3"
