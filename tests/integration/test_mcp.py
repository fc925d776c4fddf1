import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from langgraph.store.memory import InMemoryStore
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_connected_server_and_client_session

import memory_graph
from memory_graph.memory import Memory
from memory_graph.records import ToolSet
from memory_graph.server.mcp import ToolServer
from memory_graph.tools import memory_tools
from tests.integration.conftest import ROOT

ARGUMENTS: dict[str, dict[str, object]] = {
    "remember_fact": {"statement": "The user lives in Lisbon."},
    "correct_fact": {"fact_id": "profile:unknown", "statement": "The user lives in Porto."},
    "forget_fact": {"fact_id": "profile:unknown"},
    "add_episode": {"content": "We decided to go with Postgres."},
    "store_episode": {"content": "We decided to go with Postgres."},
    "start_episode": {"topic": "moving to Postgres"},
    "update_episode": {"episode_id": "ep-unknown", "content": "It is done."},
    "close_episode": {"episode_id": "ep-unknown"},
    "get_episode": {"episode_id": "ep-unknown"},
    "delete_episode": {"episode_id": "ep-unknown"},
    "search_episodes": {"query": "Postgres"},
    "get_episode_chain": {"episode_id": "ep-unknown"},
    "get_episode_sequence": {"topic": "Postgres"},
    "replay_topic": {"topic": "Postgres"},
    "add_pattern": {"name": "retry-once", "trigger": "a timeout", "action": "retry once"},
    "get_causal_path": {"from_pattern": "retry-once", "to_pattern": "retry-once"},
    "get_decision_sequence": {"episode_id": "ep-unknown"},
    "bootstrap_context": {"task": "call the upstream service"},
}
"""What each tool is called with; a tool that is not here needs nothing."""


def command(store: Path, *options: str) -> list[str]:
    main = "import sys; from memory_graph.cli import main; sys.exit(main())"
    served = ["mcp", "--tools", "all", "--store", f"sqlite:{store}"]
    return [sys.executable, "-c", main, *served, *options]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


async def list_and_call_everything(session: ClientSession) -> dict[str, str]:
    """Do what a client does; return each tool's answer."""
    told = await session.initialize()
    assert told.serverInfo.version == memory_graph.__version__
    listed = (await session.list_tools()).tools
    assert {tool.name for tool in listed} == {tool.name for tool in memory_tools("all")}
    assert all(tool.description for tool in listed)
    answers = {}
    for tool in listed:
        assert "runtime" not in str(tool.inputSchema)
        assert tool.annotations
        given = ARGUMENTS.get(tool.name, {})
        result = await session.call_tool(tool.name, given)
        assert bool(result.isError) == ("unknown" in str(given)), result.content
        answers[tool.name] = result.content[0].text
    return answers


async def test_a_client_lists_and_calls_every_tool_over_stdio(tmp_path: Path) -> None:
    run, *arguments = command(tmp_path / "memory.sqlite", "--user", "ana")
    parameters = StdioServerParameters(command=run, args=arguments, env=environment())

    async with (
        asyncio.timeout(60),
        stdio_client(parameters) as (read, write),
        ClientSession(read, write) as session,
    ):
        answers = await list_and_call_everything(session)
        wrong = await session.call_tool("add_pattern", {"name": ""})

    assert answers["add_pattern"].startswith("Created")
    assert wrong.isError
    assert "name" in wrong.content[0].text


async def test_the_zone_and_the_project_have_their_effect(tmp_path: Path) -> None:
    store = tmp_path / "memory.sqlite"
    options = ("--zone", "Pacific/Kiritimati", "--project", "billing")
    run, *arguments = command(store, "--user", "ana", *options)
    parameters = StdioServerParameters(command=run, args=arguments, env=environment())
    async with (
        asyncio.timeout(60),
        stdio_client(parameters) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        await session.call_tool("store_episode", ARGUMENTS["store_episode"])

    async with Memory.open(f"sqlite:{store}", user_id="ana") as memory:
        [episode] = await memory.aepisodes()
    today = datetime.now(ZoneInfo("Pacific/Kiritimati")).date().isoformat()
    assert (episode.project, episode.date_iso) == ("billing", today)


def client_in_this_process(*purposes: ToolSet):
    tools = memory_tools(*purposes)
    server = ToolServer(InMemoryStore(), lambda: "ana", tools=tools).as_mcp()
    return create_connected_server_and_client_session(server)


async def test_the_default_set_is_small_and_its_schemas_are_closed() -> None:
    async with client_in_this_process() as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == ["remember_fact", "recall_facts", "forget_fact"]
    assert all(tool.inputSchema["additionalProperties"] is False for tool in listed)


async def test_a_number_is_taken_where_a_value_is_text() -> None:
    given = {"statement": "The user's cat Luna is 4 years old.", "attribute": "age", "value": 4}
    async with client_in_this_process() as client:
        answer = await client.call_tool("remember_fact", {**given, "entity": "Luna"})
    assert not answer.isError, answer.content


async def test_the_profile_is_a_resource_and_begins_a_chat() -> None:
    async with client_in_this_process() as client:
        before = await client.read_resource("memory://profile")
        await client.call_tool("remember_fact", {"statement": "The user lives in Lisbon."})
        after = await client.read_resource("memory://profile")
        prompt = await client.get_prompt("start_with_memory")
    assert before.contents[0].text == "Nothing is known yet."
    assert "Lisbon" in after.contents[0].text
    assert "Lisbon" in prompt.messages[0].content.text


async def test_the_adapters_of_langchain_use_the_server() -> None:
    from langchain_mcp_adapters.tools import load_mcp_tools

    async with client_in_this_process() as client:
        tools = {tool.name: tool for tool in await load_mcp_tools(client)}
        await tools["remember_fact"].ainvoke({"statement": "The user lives in Lisbon."})
        answer = await tools["recall_facts"].ainvoke({"query": "home"})
    assert "Lisbon" in str(answer)


async def test_tools_say_what_they_do_to_memory() -> None:
    async with client_in_this_process("all") as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    assert hints["recall_facts"].readOnlyHint
    assert hints["search_episodes"].readOnlyHint
    assert not hints["remember_fact"].readOnlyHint
    assert not hints["remember_fact"].destructiveHint
    assert hints["forget_fact"].destructiveHint
    assert hints["delete_episode"].destructiveHint


@contextmanager
def listening(store: Path, **more: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = command(store, "--user", "ana", "--transport", "http", "--port", str(port))
    process = subprocess.Popen(options, env=environment(**more), stdout=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(timeout=20)


async def wait_for(url: str) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(150):
            try:
                await client.post(url, json={})
            except httpx.ConnectError:
                await asyncio.sleep(0.2)
            else:
                return
    pytest.fail("the server did not come up")


async def use(url: str, do, token: str | None = None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        asyncio.timeout(60),
        httpx.AsyncClient(headers=headers, timeout=30) as client,
        streamable_http_client(url, http_client=client) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        return await do(session)


async def test_a_client_lists_and_calls_every_tool_over_http(tmp_path: Path) -> None:
    with listening(tmp_path / "memory.sqlite") as url:
        await wait_for(url)
        answers = await use(url, list_and_call_everything)

    assert answers["add_pattern"].startswith("Created")


async def test_the_token_says_whose_memory_it_is(tmp_path: Path) -> None:
    async def remember(session: ClientSession) -> None:
        await session.initialize()
        await session.call_tool("add_pattern", ARGUMENTS["add_pattern"])

    async def look_up(session: ClientSession) -> str:
        await session.initialize()
        return (await session.call_tool("query_patterns", {})).content[0].text

    tokens = "ana=secret-a,ben=secret-b"
    with listening(tmp_path / "memory.sqlite", MEMORY_GRAPH_MCP_TOKENS=tokens) as url:
        await wait_for(url)
        await use(url, remember, "secret-a")
        anas, bens = await use(url, look_up, "secret-a"), await use(url, look_up, "secret-b")
        async with httpx.AsyncClient() as client:
            refused = await client.post(url, json={}, headers={"Authorization": "Bearer guess"})

    assert "retry-once" in anas
    assert "retry-once" not in bens
    assert refused.status_code == 401
