"""The second graph, `memory_maintenance`: upkeep and retention for one user or for all.

A run changes nothing unless its input says `{"apply": true}`; either way it returns what it
changed or would change. With `{"all_users": true}` it handles a bounded number of users, and the
next run continues where this one ended or died.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, PutOp
from typing_extensions import TypedDict

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.curation.forget import look_after_user
from memory_graph.episodes.closing import close_all
from memory_graph.episodes.upkeep import NODE
from memory_graph.episodes.writing import writer_for
from memory_graph.errors import ConfigurationError, MemoryOffError
from memory_graph.llm.models import models_for
from memory_graph.memory import new_change
from memory_graph.patterns.learning import learn
from memory_graph.records import MemoryDecision
from memory_graph.settings import Settings, get_settings
from memory_graph.state import DecisionNote
from memory_graph.store.gateway import Gateway, open_gateway
from memory_graph.store.labels import labels_of
from memory_graph.store.owner import Run, run_context
from memory_graph.store.scope import UserMemory, memory_under, open_memory
from memory_graph.telemetry import UsersMaintained, notes, record, report

logger = logging.getLogger(__name__)
_PLACE = ("memory_graph", "maintenance")
_KEY = "sweep"  # where a run over all users keeps its place
_SAVE_EVERY = 20  # users between saves; handling some again changes nothing


class Swept(TypedDict):
    """The result of a run over all users."""

    users: int
    failed: int  # users whose maintenance failed; the log says why
    remaining: int  # users left for the next run
    changes: dict[str, int]  # changes by reason


class MaintenanceInput(TypedDict, total=False):
    """The input of a run."""

    apply: bool
    all_users: bool


class MaintenanceState(MaintenanceInput, total=False):
    """The input of a run, and its answer."""

    memory_decisions: list[DecisionNote]
    memory_sweep: Swept


MaintenanceGraph = CompiledStateGraph[MaintenanceState, Context, MaintenanceInput, MaintenanceState]


async def look_after(
    state: MaintenanceState, runtime: Runtime[Context], config: RunnableConfig
) -> MaintenanceState:
    """Close, archive, weaken, deduplicate and re-link the user's episodes; drop what expired."""
    apply, context = state.get("apply", False), run_context(runtime, config)
    decisions = await _maintain(open_memory(runtime, config), context, apply=apply)
    if apply:
        report(runtime, NODE, decisions)
    return {"memory_decisions": notes(decisions)}


async def _maintain(
    memory: UserMemory, context: Context, *, apply: bool
) -> Sequence[MemoryDecision]:
    """Look after one user; where learning is switched on, propose what kept working or failing."""
    settings, now = get_settings(), clock.utc_now()
    decisions = await look_after_user(memory, settings.upkeep, settings.verbatim, now, apply=apply)
    if apply:
        writer = writer_for(models_for(context).episode)
        decisions = (*decisions, *await close_all(memory, writer, now))
    if not apply or not context.policies.learning.enabled:
        return decisions
    learned = await learn(memory, context.policies.learning, new_change("learn"))
    return [*decisions, *learned.decisions]


async def look_after_all(
    state: MaintenanceState, runtime: Runtime[Context], config: RunnableConfig
) -> MaintenanceState:
    """Maintain the memory of all users, up to the limit of one run."""
    if runtime.store is None:
        raise MemoryOffError("Maintenance needs a store: `build_maintenance(store)`.", "no_store")
    check_may_sweep(runtime, get_settings())
    context = run_context(runtime, config)
    swept = await sweep(runtime.store, context, apply=state.get("apply", False))
    record(runtime, UsersMaintained(**swept))
    return {"memory_sweep": swept}


def check_may_sweep(run: Run, settings: Settings) -> None:
    """Refuse callers who may not act for other users."""
    server = run.server_info
    identity = getattr(server.user, "identity", None) if server else None
    if server is None or (not identity and settings.trusts_client_user_id):
        return
    if settings.act_as_permission in (getattr(server.user, "permissions", None) or ()):
        return
    if identity in settings.operators:
        return
    raise ConfigurationError(
        "Maintenance of all users needs somebody signed in with the permission "
        f"`{settings.act_as_permission}` (MEMORY_GRAPH_ACT_AS_PERMISSION), or whose identity is "
        "among MEMORY_GRAPH_OPERATORS. The runs of a cron have an identity and no permissions."
    )


async def sweep(
    store: BaseStore,
    context: Context,
    update: Callable[[int, int], None] = lambda done, users: None,
    *,
    apply: bool,
    pause_s: float = 0.0,
) -> Swept:
    """Maintain users in the order of their labels, from where the last run ended.

    A user whose maintenance fails is counted and left for the next round. `update` gets progress.
    """
    settings = get_settings()
    gateway = open_gateway(store, settings)
    labels = await labels_of(gateway)
    found = await gateway.get(_PLACE, [_KEY]) if apply else []
    place = str(found[0].value.get("after") or "") if found else ""
    due = [label for label in labels if label > place]
    batch = due[: settings.upkeep.users_per_run]
    swept = Swept(users=0, failed=0, remaining=len(due) - len(batch), changes={})
    changes: Counter[str] = Counter()
    for number, label in enumerate(batch, 1):
        try:
            memory = memory_under(label, store)
            decisions = await _maintain(memory, context, apply=apply)
        except Exception as error:  # noqa: BLE001 — the others' memory is maintained all the same
            logger.warning("Maintenance of one user failed (%s).", type(error).__name__)
            swept["failed"] += 1
        else:
            changes.update(each.reason for each in decisions)
        swept["users"] += 1
        update(number, len(batch))
        await asyncio.sleep(pause_s)
        if apply and number % _SAVE_EVERY == 0:
            await _save_place(gateway, label)
    if apply:
        await _save_place(gateway, batch[-1] if swept["remaining"] else "")
    swept["changes"] = dict(changes)
    return swept


async def _save_place(gateway: Gateway, label: str) -> None:
    await gateway.write([PutOp(_PLACE, _KEY, {"after": label}, index=False)])


def build_maintenance(store: BaseStore | None = None) -> MaintenanceGraph:
    """Return the graph, ready to run; LangGraph Server brings its own store."""
    builder = StateGraph(MaintenanceState, context_schema=Context, input_schema=MaintenanceInput)
    steps: tuple[Callable[..., Awaitable[MaintenanceState]], ...] = (look_after, look_after_all)
    for step in steps:
        builder.add_node(step.__name__, step, input_schema=MaintenanceState)
        builder.add_edge(step.__name__, END)
    builder.add_conditional_edges(
        START,
        lambda state: "look_after_all" if state.get("all_users") else "look_after",
        ["look_after", "look_after_all"],
    )
    return builder.compile(store=store, name="memory_maintenance")


graph = build_maintenance()
