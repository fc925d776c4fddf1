"""With auth on, Ben tries every way into Ana's memory."""

import asyncio
import unicodedata

import httpx
import pytest
from langgraph_sdk import get_client

from memory_graph.store.labels import user_label
from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("guarded-server")

ANA, BEN = "token-of-ana", "token-of-ben"
ANA_ID = "ana@example.com"
SECRET = "Reykjavik"
ANAS = ["memories", user_label(ANA_ID)]

LOOK_ALIKES = [
    ANA_ID,
    "ana@example.com/../ana@example.com",
    "../ana@example.com",
    "ana%",
    "a_a@example_com",
    "%",
    "_",
    "ana=40example=2Ecom",
    user_label(ANA_ID),
    "аna@example.com",  # a Cyrillic а
    unicodedata.normalize("NFKD", "ána@example.com"),
    "ana@example.com\u200b",
    "ANA@EXAMPLE.COM",
    "ana",
]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def say(asked: Server, token: str, text: str, **run) -> dict:
    async with get_client(url=asked.url, headers=bearer(token)) as client:
        return await client.runs.wait(
            None,
            "memory_graph",
            input={"messages": [{"role": "user", "content": text}]},
            **run,
        )


@pytest.fixture
async def http(guarded: Server):
    """Ben's HTTP client, once Ana has told her secret."""
    await say(guarded, ANA, f"I live in {SECRET}.")
    async with httpx.AsyncClient(base_url=guarded.url, headers=bearer(BEN), timeout=30) as client:
        yield client
        facts = (await client.get("/memory", headers=bearer(ANA))).json()["memories"]
        assert [fact["value"] for fact in facts if fact["id"] == "profile:city"] == [SECRET]


async def test_ana_reads_her_own(guarded: Server, http: httpx.AsyncClient) -> None:
    listed = await http.get("/memory", headers=bearer(ANA))

    assert SECRET in listed.text


@pytest.mark.parametrize("named", LOOK_ALIKES)
async def test_a_user_id_sent_along_opens_nothing(
    http: httpx.AsyncClient, guarded: Server, named: str
) -> None:
    for path in ("/memory", "/memory/export", "/memory/search"):
        answer = await http.get(path, params={"user": named, "q": "where do I live"})
        assert answer.status_code == 200
        assert SECRET not in answer.text
    why = await http.get("/memory/why/profile:city", params={"user": named})
    gone = await http.delete("/memory/profile:city", params={"user": named})
    erased = await http.delete("/memory", params={"user": named, "everything": "true"})

    assert (why.status_code, gone.status_code) == (404, 404)
    assert erased.status_code == 200


async def test_a_user_id_sent_along_changes_nothing(http: httpx.AsyncClient) -> None:
    ana = {"user": ANA_ID}
    for path in ("/memory/turns", "/memory/audit"):
        answer = await http.get(path, params=ana)
        assert answer.status_code == 200
        assert SECRET not in answer.text
    recalled = await http.post("/memory/recall", params=ana, json={"text": "Where do I live?"})
    added = await http.post("/memory", params=ana, json={"text": "I live in Oslo."})
    own = await http.get("/memory/profile:city")
    refused = [
        await http.post("/memory/undo", params=ana, json={"entry": "0" * 32}),
        await http.post(
            "/memory/why-not", params=ana, json={"text": "?", "memory_id": "profile:x"}
        ),
        await http.get("/memory/profile:name", params=ana),
    ]

    assert SECRET not in recalled.text
    assert added.status_code == 200
    assert own.json()["value"] == "Oslo"
    assert {answer.status_code for answer in refused} == {404}
    await http.delete("/memory", params={"everything": "true"})


async def test_nobody_is_let_in_without_a_token(guarded: Server) -> None:
    async with httpx.AsyncClient(base_url=guarded.url, timeout=30) as stranger:
        for path in ("/memory", "/memory/turns", "/memory/audit", "/memory/profile:city"):
            answer = await stranger.get(path, params={"user": ANA_ID})
            assert answer.status_code in {401, 403}
        posted = await stranger.post(
            "/memory", params={"user": ANA_ID}, json={"text": "I live in Oslo."}
        )

    assert posted.status_code in {401, 403}


@pytest.mark.parametrize("where", ["context", "configurable"])
async def test_a_run_as_somebody_else_is_a_run_as_oneself(
    http: httpx.AsyncClient, guarded: Server, where: str
) -> None:
    async def ask_and_overwrite(named: str) -> str:
        sent = {"user_id": named}
        given = {"context": sent} if where == "context" else {"config": {"configurable": sent}}
        asked = await say(guarded, BEN, "Where do I live?", **given)
        await say(guarded, BEN, "I live in Oslo.", **given)
        return str(asked)

    answers = await asyncio.gather(*map(ask_and_overwrite, LOOK_ALIKES))

    assert not [answer for answer in answers if SECRET in answer]
    own = (await http.get("/memory")).json()["memories"]
    assert "Oslo" in str(own)
    await http.delete("/memory", params={"everything": "true"})


PREFIXES = [
    ANAS,
    [*ANAS, "facts"],
    ["memories"],
    ["memories", user_label("ben@example.com")[:3]],
    ["memories", "%"],
    ["memories", "_" * len(ANAS[1])],
]


@pytest.mark.parametrize("prefix", PREFIXES, ids=str)
async def test_the_store_api_refuses_other_namespaces(
    http: httpx.AsyncClient, prefix: list[str]
) -> None:
    found = await http.post("/store/items/search", json={"namespace_prefix": prefix, "limit": 99})
    listed = await http.post("/store/namespaces", json={"prefix": prefix})
    place = {"namespace": prefix, "key": "profile:city"}
    put = await http.put("/store/items", json={**place, "value": {"text": "mine now"}})
    deleted = await http.request("DELETE", "/store/items", json=place)
    read = await http.get(
        "/store/items", params={"namespace": ".".join(prefix), "key": "profile:city"}
    )

    answers = (found, listed, put, deleted, read)
    assert [answer.status_code for answer in answers] == [403] * 5
    assert all(SECRET not in answer.text for answer in answers)


@pytest.mark.parametrize("body", [{}, {"prefix": []}, {"suffix": ["facts"]}])
async def test_namespaces_are_not_listed_without_a_prefix(
    http: httpx.AsyncClient, body: dict[str, list[str]]
) -> None:
    assert (await http.post("/store/namespaces", json=body)).status_code == 403


async def test_ones_own_namespace_is_open(http: httpx.AsyncClient) -> None:
    own = ["memories", user_label("ben@example.com")]

    found = await http.post("/store/items/search", json={"namespace_prefix": own})

    assert found.status_code == 200


async def test_threads_and_their_states_are_ones_own(guarded: Server, http) -> None:
    async with get_client(url=guarded.url, headers=bearer(ANA)) as client:
        thread = await client.threads.create()
        await client.runs.wait(
            thread["thread_id"],
            "memory_graph",
            input={"messages": [{"role": "user", "content": f"I live in {SECRET}."}]},
        )
    state = await http.get(f"/threads/{thread['thread_id']}/state")
    listed = await http.post("/threads/search", json={})

    assert state.status_code == 404
    assert SECRET not in listed.text


@pytest.mark.parametrize("path", ["/memory", "/memory/turns", "/memory/metrics", "/threads/search"])
async def test_nothing_is_open_without_a_token(guarded: Server, path: str) -> None:
    async with httpx.AsyncClient(base_url=guarded.url) as nobody:
        method = "POST" if path.startswith("/threads") else "GET"
        answer = await nobody.request(method, path, params={"user": ANA_ID})

    assert answer.status_code in {401, 403}
