import json

import httpx
import pytest
from langgraph_sdk import get_client

from memory_graph.testing.scenario import Scenario, ServerSurface
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
    fact = (await http.get("/memory/profile:pet:luna:age", params=rosa)).json()
    why = (await http.get("/memory/why/profile:pet:luna:age", params=rosa)).json()
    exported = (await http.get("/memory/export", params=rosa)).text.splitlines()

    assert "profile:pet:luna:age" in {each["id"] for each in listed}
    assert found[0]["score"] > 0
    assert (fact["history"][0]["value"], fact["value"]) == ("3", "4")
    actions = [d["action"] for entry in why["entries"] for d in entry["decisions"]]
    assert {"create", "update"} <= set(actions)
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
    assert everything.json()["left"] == {}
    assert (await http.get("/memory", params=otto)).json()["memories"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/memory", 401),
        ("/memory/search?user=ana", 422),
        ("/memory/search?user=ana&q=x&limit=many", 422),
        ("/memory/why/nothing?user=nobody-yet", 404),
        ("/memory/health", 200),
    ],
)
async def test_what_cannot_be_answered_is_said_in_json(
    http: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await http.get(path)

    assert answer.status_code == status
    assert answer.json()


async def test_a_server_leaves_what_it_has_loaded_to_no_collection(http: httpx.AsyncClient) -> None:
    assert (await http.get("/memory/health")).json()["collector"] == "spared"


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
    assert set(paths["/memory"]) == {"get", "post", "delete"}
    assert paths["/memory"]["get"]["summary"]


async def test_every_route_says_whose_memory_and_describes_all_its_answers(
    http: httpx.AsyncClient,
) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]
    about_somebody = {
        (path, method): described
        for path, methods in paths.items()
        if path.startswith("/memory") and path not in {"/memory/health", "/memory/metrics"}
        for method, described in methods.items()
    }

    assert len(about_somebody) > 15
    for described in about_somebody.values():
        assert "user" in {each["name"] for each in described["parameters"]}
        for response in described["responses"].values():
            [content] = response["content"].values()
            assert content["schema"]


async def test_a_fact_is_added_corrected_pinned_and_taken_back(http: httpx.AsyncClient) -> None:
    mia = {"user": "mia"}
    added = await http.post("/memory", params=mia, json={"text": "My cat Luna is 3."})
    [fact] = added.json()["facts"]
    corrected = await http.post(
        f"/memory/correct/{fact['id']}",
        params=mia,
        json={"statement": "The user's cat Luna is 4 years old.", "value": "4"},
    )
    pinned = await http.post(f"/memory/pin/{fact['id']}", params=mia, json={})
    shown = await http.get(f"/memory/{fact['id']}", params=mia)
    why = (await http.get(f"/memory/why/{fact['id']}", params=mia)).json()
    [last] = [each["id"] for each in why["entries"] if each["node"] == "pin"]
    undone = await http.post("/memory/undo", params=mia, json={"entry": last})
    again = await http.post("/memory/undo", params=mia, json={"entry": last})

    assert fact["value"] == "3"
    assert corrected.json()["value"] == "4"
    assert pinned.json() == {"memory_id": fact["id"], "pinned": True, "changed": True}
    assert shown.json()["pinned"]
    assert undone.json()["undone"][0]["restored"]["pinned"] is False
    assert again.status_code == 409


async def test_lists_come_in_parts(server: Server, http: httpx.AsyncClient) -> None:
    await tell(server, "lea", "My cat Luna is 3.", "I live in Porto.", "I work as a nurse.")
    lea = {"user": "lea"}
    whole = (await http.get("/memory", params=lea)).json()

    parts, offset = [], 0
    while offset is not None:
        page = (await http.get("/memory", params={**lea, "limit": 2, "offset": offset})).json()
        parts += page["memories"]
        offset = page["next_offset"]

    assert whole["next_offset"] is None
    assert len(whole["memories"]) == whole["total"] > 2
    assert parts == whole["memories"]


async def test_episodes_and_patterns_are_told(server: Server, http: httpx.AsyncClient) -> None:
    await tell(server, "uli", "We decided to go with Postgres for the shop.")
    uli = {"user": "uli"}

    listed = (await http.get("/memory", params={**uli, "kind": "episode"})).json()
    [episode] = listed["memories"]
    one = (await http.get(f"/memory/{episode['id']}", params=uli)).json()
    patterns = (await http.get("/memory", params={**uli, "kind": "pattern"})).json()
    unknown = await http.post("/memory/patterns/confirm/nothing-like-it", params=uli, json={})
    audit = (await http.get("/memory/audit", params=uli)).json()

    assert one == episode
    assert patterns == {"memories": [], "total": 0, "next_offset": None}
    assert unknown.status_code == 404
    assert audit["junk"] == 0


async def test_what_came_from_a_thread_is_taken_back(http: httpx.AsyncClient) -> None:
    max_ = {"user": "max"}
    said = {"text": "I live in Lisbon.", "thread_id": "poisoned"}
    await http.post("/memory", params=max_, json=said)

    planned = await http.post("/memory/rollback", params=max_, json={"thread": "poisoned"})
    done = await http.post(
        "/memory/rollback", params=max_, json={"thread": "poisoned", "apply": True}
    )
    anything = await http.post("/memory/rollback", params=max_, json={})

    assert planned.json()["removed"] == ["profile:city"]
    assert (planned.json()["applied"], done.json()["applied"]) == (False, True)
    assert (await http.get("/memory/profile:city", params=max_)).status_code == 404
    assert anything.status_code == 409


async def test_a_form_of_another_site_changes_nothing(http: httpx.AsyncClient) -> None:
    posted = await http.post(
        "/memory",
        params={"user": "eva"},
        content='{"text": "I live in Rome."}',
        headers={"Content-Type": "text/plain"},
    )

    assert posted.status_code == 415
    assert (await http.get("/memory", params={"user": "eva"})).json()["total"] == 0


async def test_a_name_of_the_web_that_points_here_reaches_nothing(http: httpx.AsyncClient) -> None:
    await http.post("/memory", params={"user": "zoe"}, json={"text": "I live in Rome."})
    rebound = {"Host": "evil.example"}

    asked = [
        await http.get("/memory/export", params={"user": "zoe"}, headers=rebound),
        await http.delete("/memory", params={"user": "zoe", "everything": "true"}, headers=rebound),
        await http.post("/threads/search", json={}, headers=rebound),
        await http.post("/runs/wait", json={"assistant_id": "memory_graph"}, headers=rebound),
        await http.post("/store/items/search", json={"namespace_prefix": []}, headers=rebound),
    ]

    assert [each.status_code for each in asked] == [403] * 5
    assert (await http.get("/memory", params={"user": "zoe"})).json()["total"] > 0
