"""The calls that the sources describe, as JSON, through every way in and on every store."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.base import BaseStore
from mcp.shared.memory import create_connected_server_and_client_session

from memory_graph.cli import main
from memory_graph.context import Context
from memory_graph.server.mcp import ToolServer
from memory_graph.state import State
from memory_graph.tools import memory_tools
from tests.contract.conftest import BACKENDS

CALLS = json.loads((Path(__file__).parent / "seed_calls.json").read_text(encoding="utf-8"))

Said = tuple[str, bool]
"""An answer, and whether it is an error."""

Call = Callable[[str, dict[str, object]], Awaitable[Said]]


async def play(call: Call) -> None:
    """Make every call in order, and hold each answer against what the sources promise."""
    kept: dict[str, str] = {}
    for each in CALLS:
        args, expected = _filled(each["args"], kept), _filled(each, kept)
        answer, failed = await call(each["tool"], args)
        assert failed == each.get("fails", False), f"{each['tool']} {args}: {answer}"
        for text in expected["says"]:
            assert text in answer, f"{each['tool']} {args}: {text!r} is not in {answer}"
        for text in expected.get("lacks", ()):
            assert text not in answer, f"{each['tool']} {args}: {text!r} is in {answer}"
        places = [answer.index(text) for text in expected.get("in_order", ())]
        assert places == sorted(places), answer
        if "keeps" in each:
            kept[each["keeps"]] = re.findall(r"id (ep-\w+)", answer)[0]


def _filled(value: object, kept: dict[str, str]) -> object:
    text = json.dumps(value)
    for name, record_id in kept.items():
        text = text.replace(f"${name}", record_id)
    return json.loads(text)


def through_a_graph(store: BaseStore) -> Call:
    builder = StateGraph(State, context_schema=Context)
    builder.add_node("tools", ToolNode(memory_tools("all")))
    builder.add_edge(START, "tools")
    graph = builder.compile(store=store)
    made = iter(range(1000))

    async def call(name: str, args: dict[str, object]) -> Said:
        asked = AIMessage(
            "", id=f"m{next(made)}", tool_calls=[{"name": name, "args": args, "id": "call_0"}]
        )
        result = await graph.ainvoke({"messages": [asked]}, context=Context(user_id="ana"))
        answer = result["messages"][-1]
        assert isinstance(answer, ToolMessage)
        return str(answer.content), answer.status == "error"

    return call


async def test_the_calls_of_the_sources_run_as_langchain_tools(backend):
    await play(through_a_graph(backend.store))


async def test_the_calls_of_the_sources_run_for_an_mcp_client(backend):
    server = ToolServer(backend.store, lambda: "ana", tools=memory_tools("all")).as_mcp()
    async with create_connected_server_and_client_session(server) as client:

        async def call(name: str, args: dict[str, object]) -> Said:
            result = await client.call_tool(name, args)
            return result.content[0].text, bool(result.isError)

        await play(call)


@pytest.mark.parametrize("kind", ["sqlite-vec", "postgres"])
async def test_the_calls_of_the_sources_run_on_the_command_line(kind, request, capsys):
    store = BACKENDS[kind](request)

    async def call(name: str, args: dict[str, object]) -> Said:
        given = ["tools", "call", name, json.dumps(args), "--user", "ana", "--store", store]
        code = await asyncio.to_thread(main, given)
        return capsys.readouterr().out, code != 0

    await play(call)
