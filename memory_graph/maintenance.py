"""The second graph: looks after one user's episodes, by cron or by hand.

`memory_maintenance` in `langgraph.json`. A run changes nothing unless its input says
`{"apply": true}`; either way it answers with what is, or would be, changed.
"""

from collections.abc import Awaitable, Callable

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.settings import get_settings
from memory_graph.state import DecisionNote
from memory_graph.steps.maintain import NODE, maintain
from memory_graph.steps.telling import notes, report
from memory_graph.storage.scope import open_memory


class MaintenanceState(TypedDict, total=False):
    """What a run is told, and what it answers."""

    apply: bool
    memory_decisions: list[DecisionNote]


MaintenanceGraph = CompiledStateGraph[MaintenanceState, Context, MaintenanceState, MaintenanceState]


async def look_after(
    state: MaintenanceState, runtime: Runtime[Context], config: RunnableConfig
) -> MaintenanceState:
    """Close, archive, weaken, deduplicate and re-link the user's episodes."""
    apply = state.get("apply", False)
    memory = open_memory(runtime, config)
    decisions = await maintain(memory, get_settings().upkeep, clock.utc_now(), apply=apply)
    if apply:
        report(runtime, NODE, decisions)
    return {"memory_decisions": notes(decisions)}


def build_maintenance(store: BaseStore | None = None) -> MaintenanceGraph:
    """Return the graph, ready to run; LangGraph Server brings its own store."""
    builder = StateGraph(MaintenanceState, context_schema=Context)
    looking: Callable[..., Awaitable[MaintenanceState]] = look_after
    builder.add_node("look_after", looking, input_schema=MaintenanceState)
    builder.add_edge(START, "look_after")
    builder.add_edge("look_after", END)
    return builder.compile(store=store, name="memory_maintenance")


graph = build_maintenance()
