"""The second graph: looks after one user's episodes and learns from them, by cron or by hand.

`memory_maintenance` in `langgraph.json`. A run changes nothing unless its input says
`{"apply": true}`; either way it answers with what is, or would be, changed.
"""

from collections.abc import Awaitable, Callable
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.llm.models import models_for
from memory_graph.settings import get_settings
from memory_graph.state import DecisionNote
from memory_graph.steps.learning import learn
from memory_graph.steps.maintain import NODE, maintain
from memory_graph.steps.patterns import Change
from memory_graph.steps.telling import notes, report
from memory_graph.storage.scope import open_memory, run_context


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


async def learn_patterns(
    state: MaintenanceState, runtime: Runtime[Context], config: RunnableConfig
) -> MaintenanceState:
    """Propose patterns from what kept working or failing, where learning is switched on."""
    context = run_context(runtime, config)
    earlier = state.get("memory_decisions", [])
    if not (context.learning.enabled and state.get("apply", False)):
        return {"memory_decisions": earlier}
    memory = open_memory(runtime, config)
    change = Change(id=uuid4().hex, by="learn", at=clock.utc_now())
    learned = await learn(memory, context.learning, change, models_for(context).episode)
    report(runtime, "learn", learned.decisions)
    return {"memory_decisions": [*earlier, *notes(learned.decisions)]}


def build_maintenance(store: BaseStore | None = None) -> MaintenanceGraph:
    """Return the graph, ready to run; LangGraph Server brings its own store."""
    builder = StateGraph(MaintenanceState, context_schema=Context)
    steps: dict[str, Callable[..., Awaitable[MaintenanceState]]] = {
        "look_after": look_after,
        "learn_patterns": learn_patterns,
    }
    for name, step in steps.items():
        builder.add_node(name, step, input_schema=MaintenanceState)
    builder.add_edge(START, "look_after")
    builder.add_edge("look_after", "learn_patterns")
    builder.add_edge("learn_patterns", END)
    return builder.compile(store=store, name="memory_maintenance")


graph = build_maintenance()
