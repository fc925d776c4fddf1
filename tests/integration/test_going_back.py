"""Going back on a real server: by edit, regenerate, checkpoint and rollback; and memory off."""

import asyncio

import httpx
import pytest
from langgraph_sdk import get_client

from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("server")

GRAPH = "memory_graph"


class Thread:
    """One user's thread on the server."""

    def __init__(self, client, user: str) -> None:
        self.client, self.user, self.id = client, user, ""

    async def say(self, *said: str, **run) -> None:
        self.id = self.id or (await self.client.threads.create())["thread_id"]
        messages = [{"role": "user", "content": each} for each in said]
        context = {"user_id": self.user, **run.pop("context", {})}
        given = {"messages": messages} if said else None
        await self.client.runs.wait(self.id, GRAPH, input=given, context=context, **run)

    async def history(self) -> list[dict]:
        return await self.client.threads.get_history(self.id, limit=100)

    async def known(self) -> str:
        found = await self.client.store.search_items(("memories", self.user), limit=100)
        values = [item["value"] for item in found["items"]]
        facts = [v["statement"] for v in values if v.get("statement") and not v.get("valid_to")]
        return "\n".join(facts)


@pytest.fixture
async def client(server: Server):
    async with get_client(url=server.url) as opened:
        yield opened


def end_of(history: list[dict], count: int) -> str:
    """Return the checkpoint at which the thread held so many messages and nothing was to do."""
    return next(
        each["checkpoint"]["checkpoint_id"]
        for each in history
        if len(each["values"].get("messages") or ()) == count and not each["next"]
    )


async def test_an_edit_withdraws_and_coming_back_reads_again(client) -> None:
    thread = Thread(client, "edits")
    await thread.say("My cat Luna is 3.")
    await thread.say("I work as a nurse.")
    history = await thread.history()
    first, second = end_of(history, 2), end_of(history, 4)

    await thread.say("I work as a lawyer.", checkpoint_id=first)
    told = await thread.known()
    assert "Luna" in told
    assert "lawyer" in told
    assert "nurse" not in told

    await thread.say("Thanks!", checkpoint_id=second)
    told = await thread.known()
    assert "Luna" in told
    assert "nurse" in told
    assert "lawyer" not in told


async def test_regenerating_the_first_reply_keeps_its_message(client) -> None:
    thread = Thread(client, "regenerates")
    await thread.say("My cat Luna is 3.")
    await thread.say("I work as a nurse.")
    begun = next(
        each["checkpoint"]["checkpoint_id"]
        for each in reversed(await thread.history())
        if len(each["values"].get("messages") or ()) == 1
    )
    await thread.say(checkpoint_id=begun)

    told = await thread.known()
    assert "Luna" in told
    assert "nurse" not in told


async def test_a_first_run_that_is_rolled_back_leaves_nothing(client) -> None:
    for attempt in range(8):
        thread = Thread(client, f"rolls-back-{attempt}")
        if await rolled_back(client, thread, "My cat Luna is 3."):
            break
    else:
        pytest.skip("every run had ended before it could be rolled back")
    await thread.say("I work as a nurse.")

    told = await thread.known()
    assert "nurse" in told
    assert "Luna" not in told


async def rolled_back(client, thread: Thread, text: str) -> bool:
    """Begin a thread with a run, and roll it back; say whether that came in time."""
    thread.id = (await client.threads.create())["thread_id"]
    said = {"messages": [{"role": "user", "content": text}]}
    run = await client.runs.create(thread.id, GRAPH, input=said, context={"user_id": thread.user})
    for _ in range(400):
        if "Luna" in await thread.known():
            break
        await asyncio.sleep(0.005)
    try:
        await client.runs.cancel(thread.id, run["run_id"], wait=True, action="rollback")
    except httpx.HTTPStatusError as error:
        if error.response.status_code != 404:
            raise
        return False  # it had ended
    return not (await client.threads.get_state(thread.id))["values"].get("messages")


async def test_what_is_said_with_memory_off_is_kept_by_no_later_run(client) -> None:
    thread = Thread(client, "off")
    await thread.say("My cat Luna is 3.", context={"memory": False})
    await thread.say("Thanks!")
    await thread.say("I work as a nurse.")

    told = await thread.known()
    assert "nurse" in told
    assert "Luna" not in told


async def test_no_state_of_a_thread_holds_what_was_recalled(client) -> None:
    told = Thread(client, "recalls")
    await told.say("My cat Luna is 3.")
    asked = Thread(client, "recalls")
    await asked.say("What do you know about my pets?")

    for each in await asked.history():
        rest = {key: value for key, value in each["values"].items() if key != "messages"}
        assert "Luna" not in str(rest)
