import asyncio
import re
from datetime import UTC, datetime, timedelta

import pytest
from langgraph_sdk import get_client

from tests.examples import an_episode
from tests.integration.conftest import Server
from tests.integration.test_crons import outcome_of_a_cron

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
    _, events = await say(server, "My cat Luna is 3.", context={"user_id": "two-threads"})
    state, _ = await say(server, "How old is Luna?", context={"user_id": "two-threads"})

    assert "profile:pet:luna:age" in {event.get("memory_id") for event in events}
    assert "3" in state["messages"][-1]["content"]


async def test_the_user_may_come_from_configurable(server: Server) -> None:
    await say(server, "I live in Lisbon.", config={"configurable": {"user_id": "configured"}})
    state, _ = await say(
        server, "Where do I live?", config={"configurable": {"user_id": "configured"}}
    )

    assert "Lisbon" in state["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("run", "fix"),
    [
        ({}, '"user_id": "ana"'),
        ({"config": {"configurable": {"userid": "ana"}}}, "did you mean `user_id`"),
    ],
    ids=["no user", "misspelt"],
)
async def test_a_run_that_names_nobody_says_so(server: Server, run: dict, fix: str) -> None:
    state, events = await say(server, "I live in Lisbon.", **run)

    assert {event.get("reason") for event in events} == {"no_user"}
    [off] = [event for event in events if event["event"] == "memory.off"]
    assert fix in off["fix"]
    assert fix in state["messages"][-1]["content"]
    log = server.log.read_text(encoding="utf-8")
    assert any("memory.off" in line and "warning" in line for line in log.splitlines())


async def test_studio_gets_the_fields_that_a_person_sets(server: Server) -> None:
    async with get_client(url=server.url) as client:
        [assistant] = await client.assistants.search(graph_id="memory_graph")
        schemas = await client.assistants.get_schemas(assistant["assistant_id"])

    for name in ("input_schema", "output_schema"):
        assert list(schemas[name]["properties"]) == ["messages"]
        assert schemas[name]["required"] == ["messages"]
        assert schemas[name]["properties"]["messages"]["description"]
    shown = schemas["context_schema"]["properties"]
    known = {"user_id", "time_zone", "project", "model", "memory", "policies", "shape", "tools"}
    assert set(shown) == known
    assert shown["memory"]["default"] is True
    assert all(each["description"] for each in shown.values())


async def test_memory_may_be_switched_off_for_a_run(server: Server) -> None:
    off = {"user_id": "quiet", "memory": False}
    _, events = await say(server, "I live in Lisbon.", context=off)
    state, _ = await say(server, "Where do I live?", context={"user_id": "quiet"})

    assert {event.get("reason") for event in events} == {"switched_off"}
    assert "Lisbon" not in state["messages"][-1]["content"]


async def test_a_policy_is_changed_for_one_run(server: Server) -> None:
    context = {"user_id": "one-run", "policies": {"capture": {"enabled": False}}}

    _, events = await say(server, "We decided to go with Postgres.", context=context)

    assert "disabled" in {event.get("reason") for event in events}


async def test_the_server_logs_no_blocking_call(server: Server) -> None:
    before = len(server.log.read_text(encoding="utf-8"))

    await say(
        server, "We decided to go with Postgres for billing.", context={"user_id": "unblocked"}
    )

    log = server.log.read_text(encoding="utf-8")[before:]
    assert "episodic.create" in log
    assert not re.search(r"blocking|Traceback", log, re.IGNORECASE)


async def test_episodes_are_looked_after_by_a_graph_of_their_own(server: Server) -> None:
    decided = "We decided to move the photo archive to Postgres, because SQLite kept locking."
    await say(server, decided, context={"user_id": "looked-after"})

    async with get_client(url=server.url) as client:
        result = await client.runs.wait(
            None, "memory_maintenance", input={}, context={"user_id": "looked-after"}
        )

    assert result == {"memory_decisions": []}


async def test_a_cron_looks_after_everybody(server: Server) -> None:
    outcome = await outcome_of_a_cron(server, {})
    assert outcome["status"] == "success"
    assert outcome["swept"]["failed"] == 0


async def test_a_thousand_users_are_looked_after_by_runs_of_which_one_is_cancelled(
    server: Server,
) -> None:
    ended = datetime.now(UTC) - timedelta(days=200)
    old = an_episode("ep-old", ended_at=ended).model_dump(mode="json")
    value = {**old, "text": "an old episode"}
    users = [f"sweep-{number:04}" for number in range(1000)]
    async with get_client(url=server.url) as client:
        for start in range(0, len(users), 50):
            await asyncio.gather(
                *(put_unindexed(client, user, value) for user in users[start : start + 50])
            )
        thread = await client.threads.create()
        everybody = {"all_users": True, "apply": True}
        run = await client.runs.create(thread["thread_id"], "memory_maintenance", input=everybody)
        for _ in range(600):
            if await place_of(client):
                break
            await asyncio.sleep(0.1)
        await client.runs.cancel(thread["thread_id"], run["run_id"], wait=True)
        assert await place_of(client), "the run was through before it could be cancelled"
        changed = 0
        while True:
            result = await client.runs.wait(None, "memory_maintenance", input=everybody)
            swept = result["memory_sweep"]
            changed += swept["changes"].get("old", 0)
            assert swept["failed"] == 0
            if not swept["remaining"]:
                break
        found = [
            await client.store.get_item(("memories", user, "episodes"), "ep-old")
            for user in (users[0], users[500], users[-1])
        ]

    assert 0 < changed < 1000
    assert {each["value"]["status"] for each in found} == {"archived"}


async def put_unindexed(client, user: str, value: dict) -> None:
    await client.store.put_item(("memories", user, "episodes"), "ep-old", value, index=False)


async def place_of(client) -> str:
    item = await client.store.get_item(("memory_graph", "maintenance"), "sweep")
    return str(item["value"]["after"]) if item else ""
