"""The store of a running server passes the public checks, both ways in which memory reaches it."""

import pytest
from langgraph_sdk import get_client

from memory_graph.testing.store_contract import CHECKS
from tests.integration.conftest import Server

pytestmark = pytest.mark.xdist_group("server")


@pytest.mark.parametrize("through", ["a graph", "routes"])
async def test_the_store_of_a_server_passes_every_check(server: Server, through: str) -> None:
    async with get_client(url=server.url) as client:
        state = await client.runs.wait(None, "certified", input={"through": through})

    assert len(state["problems"]) == len(CHECKS)
    assert {name: told for name, told in state["problems"].items() if told} == {}
