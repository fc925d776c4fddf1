"""A cron of an operator maintains everybody's memory on a server with auth."""

import asyncio
from collections.abc import Mapping

import pytest
from langgraph_sdk import get_client

from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("guarded-server")

EVERYBODY = {"all_users": True, "apply": True}
EACH_SECOND = "* * * * * *"


async def outcome_of_a_cron(running: Server, headers: Mapping[str, str]) -> dict[str, object]:
    """Create a cron on a thread of its own, and return what its first run left there."""
    async with get_client(url=running.url, headers=dict(headers)) as client:
        thread = (await client.threads.create())["thread_id"]
        created = await client.crons.create_for_thread(
            thread, "memory_maintenance", schedule=EACH_SECOND, input=EVERYBODY
        )
        try:
            async with asyncio.timeout(40):
                while True:
                    runs = await client.runs.list(thread)
                    if over := [r for r in runs if r["status"] in {"success", "error"}]:
                        break
                    await asyncio.sleep(0.3)
        finally:
            await client.crons.delete(str(created["cron_id"]))
        values = (await client.threads.get_state(thread))["values"]
        return {"status": over[0]["status"], "swept": dict(values).get("memory_sweep")}


async def test_with_auth_by_an_operator(guarded: Server) -> None:
    outcome = await outcome_of_a_cron(guarded, {"Authorization": "Bearer token-of-ana"})
    assert outcome["status"] == "success"
    assert outcome["swept"]["failed"] == 0


async def test_with_auth_by_anybody_else_it_is_refused(guarded: Server) -> None:
    outcome = await outcome_of_a_cron(guarded, {"Authorization": "Bearer token-of-ben"})
    assert outcome["status"] == "error"
