"""MCP over HTTP answers by the names it has, and no page of another site."""

import httpx
import pytest
from langgraph.store.memory import InMemoryStore

from memory_graph.server.mcp import ToolServer, http_app

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


async def call(headers: dict[str, str], host: str = "127.0.0.1", **tokens: str) -> int:
    app = http_app(ToolServer(InMemoryStore(), lambda: "ana"), tokens, host)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8765"
        ) as http,
    ):
        answer = await http.post("/mcp", json=INITIALIZE, headers={**ACCEPT, **headers})
    return answer.status_code


async def test_a_local_client_is_served():
    assert await call({}) == 200
    assert await call({"Host": "localhost:8765"}) == 200
    assert await call({"Origin": "http://localhost:3000"}) == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:8765"},
        {"Host": "127.0.0.1.evil.example"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://127.0.0.1.evil.example"},
        {"Origin": "null"},
    ],
    ids=str,
)
async def test_another_host_or_the_page_of_another_site_is_refused(headers, host):
    assert await call(headers, host) in {403, 421}


@pytest.mark.parametrize("host", ["0.0.0.0", "::1"])
async def test_with_tokens_nobody_is_served_without_one(host):
    assert await call({}, host, t0ken="ana") == 401
    assert await call({"Authorization": "Bearer t0ken"}, host, t0ken="ana") == 200
