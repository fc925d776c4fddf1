"""No page of another site reads or deletes memory through somebody's browser."""

import httpx
import pytest

from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("server")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://localhost.evil.example", "null"]
)
def test_another_site_is_not_let_in(server: Server, origin: str) -> None:
    asked = {"Origin": origin, "Access-Control-Request-Method": "DELETE"}

    read = httpx.get(f"{server.url}/memory", params={"user": "ana"}, headers={"Origin": origin})
    preflight = httpx.options(f"{server.url}/memory/x", headers=asked)

    assert "access-control-allow-origin" not in read.headers
    assert "access-control-allow-origin" not in preflight.headers


def test_studio_is_let_in(server: Server) -> None:
    studio = {"Origin": "https://smith.langchain.com"}

    read = httpx.get(f"{server.url}/memory", params={"user": "ana"}, headers=studio)

    assert read.headers["access-control-allow-origin"] == "https://smith.langchain.com"


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:5173"])
def test_a_page_on_this_machine_is_let_in(server: Server, origin: str) -> None:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-api-key",
    }

    preflight = httpx.options(f"{server.url}/threads", headers=asked)

    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize("given", ["p", "profile", "%2e", "%2e%2e", "x/%2e%2e/profile:city"])
def test_a_slip_deletes_nothing(server: Server, given: str) -> None:
    gone = httpx.delete(f"{server.url}/memory/{given}", params={"user": "slip"})

    assert gone.status_code in {404, 405, 422}
