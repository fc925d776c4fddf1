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

import httpx2
import pytest
from langgraph.store.memory import InMemoryStore
from mcp import Client, ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

import memory_graph
from memory_graph.memory import Memory
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
    "replay_topic": {"topic": "Postgres"},
    "add_pattern": {"name": "retry-once", "trigger": "a timeout", "action": "retry once"},
    "get_causal_path": {"from_pattern": "retry-once", "to_pattern": "retry-once"},
    "get_decision_sequence": {"episode_id": "ep-unknown"},
    "bootstrap_context": {"task": "call the upstream service"},
}
"""What each tool is called with; a tool that is not here needs nothing."""


def command(store: Path, *options: str) -> list[str]:
    main = "import sys; from memory_graph.cli import main; sys.exit(main())"
    return [sys.executable, "-c", main, "mcp", "--store", f"sqlite:{store}", *options]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


async def list_and_call_everything(session: ClientSession) -> dict[str, str]:
    """Do what a client does; return each tool's answer."""
    told = await session.initialize()
    assert told.server_info.version == memory_graph.__version__
    listed = (await session.list_tools()).tools
    assert {tool.name for tool in listed} == {tool.name for tool in memory_tools("all")}
    assert all(tool.description for tool in listed)
    answers = {}
    for tool in listed:
        assert "runtime" not in str(tool.input_schema)
        assert tool.annotations
        given = ARGUMENTS.get(tool.name, {})
        result = await session.call_tool(tool.name, given)
        assert bool(result.is_error) == ("unknown" in str(given)), result.content
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
    assert wrong.is_error
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


def client_in_this_process() -> Client:
    return Client(ToolServer(InMemoryStore(), lambda: "ana").as_mcp())


async def test_tools_say_what_they_do_to_memory() -> None:
    async with client_in_this_process() as client:
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}

    assert hints["recall_facts"].read_only_hint
    assert hints["search_episodes"].read_only_hint
    assert not hints["remember_fact"].read_only_hint
    assert not hints["remember_fact"].destructive_hint
    assert hints["forget_fact"].destructive_hint
    assert hints["delete_episode"].destructive_hint


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
    async with httpx2.AsyncClient() as client:
        for _ in range(150):
            try:
                await client.post(url, json={})
            except httpx2.ConnectError:
                await asyncio.sleep(0.2)
            else:
                return
    pytest.fail("the server did not come up")


async def use(url: str, do, token: str | None = None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        asyncio.timeout(60),
        httpx2.AsyncClient(headers=headers, timeout=30) as client,
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
        async with httpx2.AsyncClient() as client:
            refused = await client.post(url, json={}, headers={"Authorization": "Bearer guess"})

    assert "retry-once" in anas
    assert "retry-once" not in bens
    assert refused.status_code == 401
