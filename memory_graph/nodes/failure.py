"""What happens when memory fails? It costs the memory, never the reply."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from memory_graph import telemetry
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, NoUserError
from memory_graph.records import MemoryDecision, MemoryKind
from memory_graph.state import MemoryState

Update = TypeVar("Update", bound=Mapping[str, object])

DEADLINE_S = 30.0
"""No memory node holds up a turn longer; store and model calls have shorter limits of their own."""


Node = Callable[..., Awaitable[Update]]
Leaving = Callable[[MemoryState, RunnableConfig], Mapping[str, object]]


def costs_no_reply(leaving: Leaving | None = None) -> Callable[[Node[Update]], Node[Update]]:
    """Make a memory node keep its failures to itself, in any graph it is used in.

    An outage, a timeout or a model's nonsense ends in one event and an empty update, or the
    one that `leaving` makes. A wiring mistake (`ConfigurationError`) is raised, because only
    its author can mend it.
    """

    def guard(node: Node[Update]) -> Node[Update]:
        @wraps(node)
        async def guarded(
            state: MemoryState, runtime: Runtime[Context], config: RunnableConfig, **options: object
        ) -> Update:
            try:
                async with asyncio.timeout(DEADLINE_S):
                    return await node(state, runtime, config, **options)
            except (ConfigurationError, GraphBubbleUp):
                raise
            except NoUserError:
                report_no_user(runtime, node.__name__)
            except Exception as error:  # noqa: BLE001 — the promise of this decorator
                telemetry.record(runtime, telemetry.NodeGaveUp.because(node.__name__, error))
                if leaving:
                    return leaving(state, config)  # type: ignore[return-value]  # the node's own
            return {}  # type: ignore[return-value]  # an empty update fits every node

        return guarded

    return guard


def report_no_user(runtime: Runtime[Context], node: str) -> None:
    """Say that memory was off for this turn, because nobody is known whose it would be."""
    kind: MemoryKind = "episode" if node == "episodic_capture" else "fact"
    decision = MemoryDecision(kind=kind, action="skip", reason="no_user")
    telemetry.record(runtime, telemetry.MemoryDecided.of(node, decision))
