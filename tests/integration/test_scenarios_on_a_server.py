import pytest
from langgraph.store.memory import InMemoryStore
from langgraph_sdk import get_client

from memory_graph.testing.scenario import Saying, ServerSurface
from tests.integration.conftest import Server
from tests.scenarios.comparing import run
from tests.scenarios.scenarios import (
    OUTAGE,
    SCENARIOS,
    SCRIPTED,
    scripted_model,
)
from tests.scenarios.surfaces import SURFACES, open_surface

pytestmark = pytest.mark.xdist_group("server")


def when_and_whether(saying: Saying) -> dict[str, object]:
    """The clock and the outages of the graphs in `served.py`."""
    return {"said_at": saying.at.isoformat(), "outage": saying.text.startswith(OUTAGE)}


@pytest.mark.parametrize("name", SCENARIOS)
async def test_a_scenario_holds_and_writes_the_same_on_a_server(name: str, server: Server) -> None:
    model = scripted_model() if name in SCRIPTED else None
    expected = await run(name, open_surface(SURFACES["graph"], InMemoryStore(), model))

    async with get_client(url=server.url) as client:
        for user in ("ana", "ben"):
            params = {"user": user, "everything": "true"}
            await client.http.delete("/memory", params=params)
            await forget_threads(client)
        graph = "scripted" if name in SCRIPTED else "timed"
        outcome = await run(name, ServerSurface(client, graph, when_and_whether))

    assert outcome == expected


async def forget_threads(client) -> None:
    for thread in await client.threads.search(limit=100):
        await client.threads.delete(thread["thread_id"])
