import re

import pytest
from langgraph_sdk import get_client

from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("server")


async def say(server: Server, text: str, **run) -> tuple[dict, list[dict]]:
    """Run one turn on a new thread; return the final state and the custom events."""
    state: dict = {}
    events: list[dict] = []
    async with get_client(url=server.url) as client:
        thread = await client.threads.create()
        async for chunk in client.runs.stream(
            thread["thread_id"],
            "memory_graph",
            input={"messages": [{"role": "user", "content": text}]},
            stream_mode=["custom", "values"],
            **run,
        ):
            assert chunk.event != "error", chunk.data
            if chunk.event == "custom":
                events.append(chunk.data)
            elif chunk.event == "values":
                state = chunk.data
    return state, events


async def test_a_fact_is_kept_and_recalled_across_two_threads(server: Server) -> None:
    _, events = await say(server, "My cat Luna is 3.", context={"user_id": "ana"})
    state, _ = await say(server, "How old is Luna?", context={"user_id": "ana"})

    assert "profile:pet:luna:age" in {event.get("memory_id") for event in events}
    assert "3" in state["messages"][-1]["content"]


async def test_the_user_may_come_from_configurable(server: Server) -> None:
    await say(server, "I live in Lisbon.", config={"configurable": {"user_id": "eva"}})
    state, _ = await say(server, "Where do I live?", config={"configurable": {"user_id": "eva"}})

    assert "Lisbon" in state["messages"][-1]["content"]


async def test_a_run_that_names_nobody_has_no_memory(server: Server) -> None:
    state, events = await say(server, "I live in Lisbon.")

    assert {event.get("reason") for event in events} == {"no_user"}
    assert state["messages"][-1]["content"]


async def test_studio_gets_the_fields_of_a_run(server: Server) -> None:
    async with get_client(url=server.url) as client:
        [assistant] = await client.assistants.search(graph_id="memory_graph")
        schemas = await client.assistants.get_schemas(assistant["assistant_id"])

    assert set(schemas["context_schema"]["properties"]) >= {"user_id", "capture", "recall"}


async def test_the_server_logs_no_blocking_call(server: Server) -> None:
    await say(server, "We decided to go with Postgres for billing.", context={"user_id": "joe"})

    log = server.log.read_text(encoding="utf-8")
    assert "episodic.create" in log
    assert not re.search(r"blocking|Traceback", log, re.IGNORECASE)


async def test_episodes_are_looked_after_by_a_graph_of_their_own(server: Server) -> None:
    decided = "We decided to move the photo archive to Postgres, because SQLite kept locking."
    await say(server, decided, context={"user_id": "mia"})

    async with get_client(url=server.url) as client:
        result = await client.runs.wait(
            None, "memory_maintenance", input={}, context={"user_id": "mia"}
        )

    assert result == {"memory_decisions": []}
