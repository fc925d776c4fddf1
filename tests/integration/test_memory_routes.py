import json

import httpx
import pytest
from langgraph_sdk import get_client

from memory_graph.testing import Scenario, ServerSurface
from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("server")


@pytest.fixture
async def http(server: Server):
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        yield client


async def tell(server: Server, user: str, *texts: str) -> None:
    async with get_client(url=server.url) as client:
        talk = Scenario(ServerSurface(client), user=user)
        for text in texts:
            await talk.user_says(text)


async def test_what_is_remembered_can_be_listed_searched_and_explained(
    server: Server, http: httpx.AsyncClient
) -> None:
    await tell(server, "rosa", "My cat Luna is 3.", "Luna turned 4 yesterday!")
    rosa = {"user": "rosa"}

    listed = (await http.get("/memory", params=rosa)).json()["memories"]
    found = (await http.get("/memory/search", params={**rosa, "q": "cat"})).json()["memories"]
    history = (await http.get("/memory/history/profile:pet:luna:age", params=rosa)).json()
    why = (await http.get("/memory/why/profile:pet:luna:age", params=rosa)).json()
    stats = (await http.get("/memory/stats", params=rosa)).json()
    exported = (await http.get("/memory/export", params=rosa)).text.splitlines()

    assert "profile:pet:luna:age" in {each["id"] for each in listed}
    assert found[0]["score"] > 0
    assert (history["history"][0]["value"], history["value"]) == ("3", "4")
    actions = [d["action"] for entry in why["entries"] for d in entry["decisions"]]
    assert {"create", "update"} <= set(actions)
    assert stats["facts"] == sum(each["kind"] == "fact" for each in listed)
    assert [json.loads(line) for line in exported] == listed


async def test_forgetting_leaves_nothing(server: Server, http: httpx.AsyncClient) -> None:
    await tell(server, "otto", "I live in Lisbon.", "We decided to go with Postgres.")
    otto = {"user": "otto"}

    gone = await http.delete("/memory/profile:city", params=otto)
    unconfirmed = await http.delete("/memory", params=otto)
    everything = await http.delete("/memory", params={**otto, "everything": "true"})

    assert gone.json()["forgotten"] == "profile:city"
    assert unconfirmed.status_code == 422
    assert everything.json()["forgotten"]["episodes"] == 1
    assert (await http.get("/memory", params=otto)).json() == {"memories": []}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/memory", 401),
        ("/memory/search?user=ana", 422),
        ("/memory/search?user=ana&q=x&limit=many", 422),
        ("/memory/why/nothing?user=nobody-yet", 404),
        ("/memory/history/nothing?user=nobody-yet", 404),
        ("/memory/health", 200),
    ],
)
async def test_what_cannot_be_answered_is_said_in_json(
    http: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await http.get(path)

    assert answer.status_code == status
    assert answer.json()


async def test_metrics_count_decisions_and_name_nobody(
    server: Server, http: httpx.AsyncClient
) -> None:
    await tell(server, "a-very-special-user", "I live in Reykjavik.")

    text = (await http.get("/memory/metrics")).text

    assert 'memory_graph_decisions_total{action="create",kind="fact",reason="new_fact"}' in text
    assert "memory_graph_search_seconds_bucket" in text
    assert "special" not in text
    assert "Reykjavik" not in text


async def test_the_openapi_page_has_the_routes(http: httpx.AsyncClient) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]

    assert {"/memory", "/memory/search", "/memory/health", "/memory/metrics"} <= set(paths)
    assert set(paths["/memory"]) == {"get", "delete"}
    assert paths["/memory"]["get"]["summary"]
