"""The pages on a server without auth, where the address names the user."""

import httpx
import pytest

from tests.integration.conftest import Server
from tests.integration.test_memory_routes import tell

pytestmark = pytest.mark.xdist_group("server")


@pytest.fixture
async def http(server: Server):
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        yield client


async def test_the_address_names_the_user_and_links_hand_it_on(
    server: Server, http: httpx.AsyncClient
) -> None:
    await tell(server, "maria", "I live in Coimbra.")

    page = await http.get("/memory/ui", params={"user": "maria"})
    data = (await http.get("/memory/ui/index.json", params={"user": "maria"})).json()

    assert page.status_code == 200
    assert "Coimbra" in page.text
    assert 'href="/memory/ui/recall?user=maria"' in page.text
    assert 'href="/memory/ui/facts/profile:city?user=maria"' in page.text
    assert data["user"] == "maria"


async def test_without_a_user_nothing_is_shown(http: httpx.AsyncClient) -> None:
    answer = await http.get("/memory/ui")

    assert answer.status_code == 401
    assert "Nobody is signed in" in answer.text


async def test_the_pages_are_no_part_of_the_api(http: httpx.AsyncClient) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]

    assert not [path for path in paths if path.startswith("/memory/ui")]
