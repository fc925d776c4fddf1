"""The test server's graphs, whose clock and outages are part of a run's configuration.

Loaded by the server in the test's copy of the project, never by the product.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypedDict

from langgraph.config import get_config
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import Op, Result

from memory_graph import clock
from memory_graph.graph import wire
from memory_graph.server.operations import server_store
from memory_graph.store.gateway import Gateway
from memory_graph.testing.store_contract import certify
from tests.scenarios.scenarios import deploy, scripted_model

BEFORE = datetime(2000, 1, 1, tzinfo=UTC)
_real_time, _real_batch = clock.utc_now, Gateway._batch


def _configured(name: str) -> object:
    try:
        return (get_config().get("configurable") or {}).get(name)
    except RuntimeError:  # outside a run
        return None


def _is_in_a_run() -> bool:
    """Say whether a graph is running; the server's own routes have a configuration, too."""
    return bool(_configured("thread_id"))


def _said_at() -> datetime:
    """Return a run's own time; what is erased between scenarios was erased before them."""
    if not _is_in_a_run():
        return BEFORE
    said_at = _configured("said_at")
    return datetime.fromisoformat(str(said_at)) if said_at else _real_time()


async def _batch(self: Gateway, ops: Sequence[Op]) -> list[Result]:
    if _configured("outage"):
        raise ConnectionError("store is down")
    return await _real_batch(self, ops)


class Certified(TypedDict, total=False):
    """What the checks of a store found, by their name; nothing means that it held."""

    through: str
    problems: dict[str, str | None]


async def _certify(state: Certified, runtime: Runtime) -> Certified:
    """Check the server's store as graphs are given it, or as routes reach it."""
    store = runtime.store if state["through"] == "a graph" else server_store()
    assert store is not None
    return {"problems": {each.name: each.problem for each in await certify(store)}}


clock.utc_now = _said_at
Gateway._batch = _batch
graph = wire().compile()
scripted = wire(scripted_model(), [deploy]).compile()
certified = StateGraph(Certified).add_node(_certify).add_edge(START, "_certify").compile()
