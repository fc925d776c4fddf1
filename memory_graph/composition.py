"""How does memory get into a graph somebody else wired?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import get_type_hints

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.typing import ContextT, InputT, OutputT, StateT
from typing_extensions import TypedDict, is_typeddict

from memory_graph import telemetry
from memory_graph.errors import ConfigurationError
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath
from memory_graph.nodes.informed_agent import InformedAgent
from memory_graph.state import ContextUpdate, MemoryState


def add_memory(
    builder: StateGraph[StateT, ContextT, InputT, OutputT],
    agent: str | Sequence[str] = "agent",
    *,
    model: BaseChatModel | None = None,
) -> StateGraph[StateT, ContextT, InputT, OutputT]:
    """Wire memory around an agent: call it last, just before `builder.compile(store=...)`.

    Facts are kept and recalled before whatever the graph starts with. The exchange is
    captured when the rest of the graph has come to its end, whichever way it takes there:
    an edge, a condition, a `Command`, a handoff. So no exit has to be named.

    An agent whose input has `memory_context` finds the recalled memory there. Any other
    sees it as a first system message, which is not stored.

    Args:
        builder: A graph whose state has `messages`.
        agent: The node, or nodes, that talk to the user: functions, compiled agents, subgraphs.
        model: Chat model for facts and episodes; the one settings name if left out.

    Raises:
        ConfigurationError: If the graph has no such node.
    """
    agents = [agent] if isinstance(agent, str) else list(agent)
    for name in agents:
        if name not in builder.nodes:
            known = ", ".join(builder.nodes) or "none yet"
            raise ConfigurationError(f"The graph has no node {name!r} (it has: {known}).")
    _start_with_memory(builder, agents[0])
    for name in agents:
        _inform(builder, name)
    add_memory_nodes(builder, model, capture_last=True)
    builder.add_edge(START, "memory_hotpath")
    builder.add_edge("memory_hotpath", "memory_context")
    builder.add_edge("memory_context", "episodic_capture")
    builder.add_edge("episodic_capture", END)
    return builder


def add_memory_nodes(
    builder: StateGraph[StateT, ContextT, InputT, OutputT],
    model: BaseChatModel | None = None,
    *,
    capture_last: bool = False,
) -> None:
    """Add the three memory nodes, without edges.

    They keep their own failures to themselves wherever they are used; the handler here is
    the second belt. A timeout of LangGraph's would be a third, but it rules out `invoke`.
    """
    nodes = {
        "memory_hotpath": memory_hotpath.using(model=model),
        "memory_context": memory_context,
        "episodic_capture": episodic_capture.using(model=model),
    }
    for name, node in nodes.items():
        builder.add_node(  # type: ignore[call-overload]  # a handler's `error` is not typed
            name,
            node,
            input_schema=MemoryState,
            defer=capture_last and name == "episodic_capture",
            error_handler=go_on_without_memory,
        )


def go_on_without_memory(
    state: MemoryState, runtime: Runtime[ContextT], error: NodeError
) -> dict[str, object]:
    """Let an outage cost the memory, never the reply; let a wiring mistake be seen."""
    if isinstance(error.error, ConfigurationError):
        raise error.error
    gave_up = telemetry.NodeGaveUp(node=error.node, error=type(error.error).__name__)
    telemetry.record(runtime, gave_up)
    return {}


def _start_with_memory(builder: StateGraph[StateT, ContextT, InputT, OutputT], agent: str) -> None:
    """Let what began at the start begin after recall; a graph without a start, at the agent."""
    first = {end for start, end in builder.edges if start == START}
    builder.edges -= {(START, end) for end in first}
    conditions = builder.branches.pop(START, {})
    for name, branch in conditions.items():
        reads = branch.input_schema or builder.state_schema
        builder.branches["memory_context"][name] = branch._replace(input_schema=reads)
    if not first and not conditions:
        first = {agent}
    builder.edges |= {("memory_context", end) for end in first}


def _inform(builder: StateGraph[StateT, ContextT, InputT, OutputT], agent: str) -> None:
    spec = builder.nodes[agent]
    theirs: type = spec.input_schema
    hints = get_type_hints(theirs, include_extras=True)
    if "memory_context" in hints:
        return
    ours = get_type_hints(ContextUpdate, include_extras=True)
    seen = TypedDict("seen", {**hints, **ours}, total=False)  # type: ignore[misc]
    assert isinstance(spec.runnable, Runnable)
    informed = InformedAgent(spec.runnable, _builder_of(theirs))
    del builder.nodes[agent]
    builder.add_node(agent, informed, input_schema=seen)
    builder.nodes[agent] = replace(spec, runnable=informed, input_schema=seen)


def _builder_of(schema: type) -> Callable[[Mapping[str, object]], object]:
    return dict if is_typeddict(schema) else lambda values: schema(**values)
