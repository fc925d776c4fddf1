"""The test server's graphs, whose clock and outages are part of a run's configuration.

Loaded by the server in the test's copy of the project, never by the product.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from langgraph.config import get_config
from langgraph.store.base import Op, Result

from memory_graph import clock
from memory_graph.graph import wire
from memory_graph.store.gateway import Gateway
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


clock.utc_now = _said_at
Gateway._batch = _batch
graph = wire().compile()
scripted = wire(scripted_model(), [deploy]).compile()
