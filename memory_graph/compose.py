"""`add_memory`: add the memory nodes to somebody else's graph."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast, get_args, get_type_hints

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.errors import ParentCommand
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import get_runtime
from langgraph.types import Command
from langgraph.typing import ContextT, InputT, OutputT, StateT
from typing_extensions import TypedDict, is_typeddict

from memory_graph import framework, prompts
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError
from memory_graph.llm.models import ModelLike, models_for
from memory_graph.nodes import episodic_capture, memory_context, memory_hotpath
from memory_graph.nodes._delegation import handing_over, messages_in
from memory_graph.nodes.memory_context import recalled
from memory_graph.nodes.supervisor import agent_memory, last_words, stable_notes
from memory_graph.shape import Shape
from memory_graph.state import MemoryKeys, MemoryState

MESSAGE_ID = "memory-graph-context"
"""Always the same, so that the message is recognised in what the agent returns."""

_NODES = ("memory_hotpath", "memory_context", "episodic_capture")
_REDUCED = "`messages: Annotated[list[AnyMessage], add_messages]`, or build it on `MessagesState`"

T = TypeVar("T")
State = Mapping[str, object]


def informed(
    agent: Runnable[object, object], as_their_state: Callable[[State], object]
) -> Runnable[State, object]:
    """Return somebody's agent as one that sees what memory holds and never returns it.

    Both functions name `agent`: so LangGraph finds the subgraphs in it.
    """

    def run(state: State, config: RunnableConfig) -> object:
        runtime = get_runtime(Context)
        known = run_sync(lambda: recalled(cast(MemoryState, state), runtime, config))
        try:
            with handing_over(messages_in(state)):
                return without_memory(agent.invoke(as_their_state(_with_memory(known)), config))
        except ParentCommand as handoff:
            raise ParentCommand(without_memory(handoff.args[0])) from handoff

    async def arun(state: State, config: RunnableConfig) -> object:
        known = await recalled(cast(MemoryState, state), get_runtime(Context), config)
        try:
            with handing_over(messages_in(state)):
                answer = await agent.ainvoke(as_their_state(_with_memory(known)), config)
                return without_memory(answer)
        except ParentCommand as handoff:
            raise ParentCommand(without_memory(handoff.args[0])) from handoff

    return RunnableLambda(run, arun, name=agent.get_name())


def _with_memory(state: Mapping[str, object]) -> State:
    """Insert the notes before the user's last message, which stays last and unchanged."""
    theirs = {key: value for key, value in state.items() if not key.startswith("memory_")}
    messages = state.get("messages")
    notes = "\n\n".join(filter(None, (stable_notes(state), agent_memory(state))))
    if notes and isinstance(messages, Sequence):
        place = last_words(messages)
        at = len(messages) if place is None else place
        memory = HumanMessage(notes, id=MESSAGE_ID, additional_kwargs={"lc_source": "memory"})
        theirs["messages"] = [*messages[:at], memory, *messages[at:]]
    return theirs


def without_memory(returned: T) -> T:
    """Return what an agent returned, without the message that holds the notes."""
    if isinstance(returned, Command):
        return replace(returned, update=without_memory(returned.update))
    if isinstance(returned, Mapping) and isinstance(returned.get("messages"), list):
        return {**returned, "messages": without_memory(returned["messages"])}  # type: ignore[return-value]
    if isinstance(returned, list):
        kept = (e for e in returned if not (isinstance(e, BaseMessage) and e.id == MESSAGE_ID))
        return [without_memory(each) for each in kept]  # type: ignore[return-value]
    return returned


def add_memory(
    builder: StateGraph[StateT, ContextT, InputT, OutputT],
    agent: str | Sequence[str] = "agent",
    *,
    model: ModelLike | None = None,
    shape: Shape | None = None,
) -> StateGraph[StateT, ContextT, InputT, OutputT]:
    """Wire memory around an agent: call it last, just before `builder.compile(store=...)`.

    Facts are kept and recalled before the graph's first node. The exchange is captured after
    the rest of the graph has ended, by whatever route: an edge, a condition, a `Command`, a
    handoff. So no exit has to be named.

    An agent whose input has `memory_context` finds the recalled memory there. Any other agent
    sees it in a message before the user's last one, which is not stored.

    Args:
        builder: A graph whose state has `messages`.
        agent: The node, or nodes, that talk to the user: functions, compiled agents, subgraphs.
        model: Chat model for facts and episodes, or its name such as `anthropic:…`; by default
            the one that the settings name.
        shape: What matters in the product, and what is never kept.

    Raises:
        ConfigurationError: If memory cannot be added to the graph as it is, the model cannot be
            loaded, or a setting is invalid; the message says what to change.
    """
    models_for(Context(), model)  # an unusable name is reported at start, and an unusable prompt
    prompts.check_own()
    agents = [agent] if isinstance(agent, str) else list(agent)
    _check(builder, agents)
    framework.move_start(builder, "memory_context", otherwise=agents[0])
    for name in agents:
        _inform(builder, name)
    framework.untrack(builder, ["memory_context"])
    add_memory_nodes(builder, model, shape=shape, capture_last=True)
    builder.add_edge(START, "memory_hotpath")
    builder.add_edge("memory_hotpath", "memory_context")
    builder.add_edge("memory_context", "episodic_capture")
    builder.add_edge("episodic_capture", END)
    return builder


def add_memory_nodes(
    builder: StateGraph[StateT, ContextT, InputT, OutputT],
    model: ModelLike | None = None,
    *,
    shape: Shape | None = None,
    capture_last: bool = False,
) -> None:
    """Add the three memory nodes, without edges.

    Wherever they are used, their failures do not fail the run (`nodes/_node.py`).
    """
    hotpath = memory_hotpath.using(model=model, shape=shape)
    capture = episodic_capture.using(model=model, shape=shape)
    builder.add_node("memory_hotpath", hotpath, input_schema=MemoryState)
    builder.add_node("memory_context", memory_context.using(shape=shape), input_schema=MemoryState)
    builder.add_node("episodic_capture", capture, input_schema=MemoryState, defer=capture_last)


def _check(builder: object, agents: Sequence[str]) -> None:
    """Find mistakes before anything is changed."""
    if isinstance(builder, CompiledStateGraph):
        raise ConfigurationError(
            "`add_memory` takes the graph before it is compiled: `add_memory(builder, …)`, "
            "then `builder.compile(store=…)`. A compiled graph has it as `.builder`."
        )
    if not isinstance(builder, StateGraph):
        raise ConfigurationError(f"`add_memory` takes a StateGraph, not {builder!r}.")
    names = framework.node_names(builder)
    if taken := sorted({*names} & {*_NODES}):
        raise ConfigurationError(
            f"The graph has memory already ({', '.join(taken)}): call `add_memory` once, "
            "with all agents in a list."
        )
    if not agents:
        raise ConfigurationError("Name the node that talks to the user: `add_memory(builder, …)`.")
    for name in agents:
        if name not in names:
            known = ", ".join(names) or "none yet"
            raise ConfigurationError(f"The graph has no node {name!r} (it has: {known}).")
    _check_messages(builder)
    for name in agents:
        _check_input(builder, name)


def _check_messages(builder: "StateGraph[Any, Any, Any, Any]") -> None:
    """See that the state holds messages: without `add_messages`, LangGraph leaves dicts as such."""
    reducer = framework.reducer_of(builder, "messages")
    if reducer is None and "messages" not in framework.state_keys(builder):
        raise ConfigurationError(f"The graph's state has no `messages`: give it {_REDUCED}.")
    if reducer is add_messages or getattr(reducer, "func", None) is add_messages:
        return
    hint = get_type_hints(builder.state_schema, include_extras=True).get("messages")
    if not any(issubclass(kind, BaseMessage) for kind in _types_in(hint)):
        raise ConfigurationError(
            "The graph's `messages` may be dicts, which memory cannot read, since no reducer "
            f"makes them messages: give the state {_REDUCED}."
        )


def _check_input(builder: "StateGraph[Any, Any, Any, Any]", agent: str) -> None:
    _, schema = framework.node_parts(builder, agent)
    if not {"messages", "memory_context"} & get_type_hints(schema).keys():
        raise ConfigurationError(
            f"The node {agent!r} reads neither `messages` nor `memory_context`, so it cannot "
            "see what memory holds: add one of them to its input schema."
        )


def _types_in(hint: object) -> Iterator[type]:
    """Yield the classes that an annotation is made of."""
    if isinstance(hint, type) and not get_args(hint):
        yield hint
    for part in get_args(hint):
        yield from _types_in(part)


def _inform(builder: StateGraph[StateT, ContextT, InputT, OutputT], agent: str) -> None:
    runnable, theirs = framework.node_parts(builder, agent)
    hints = get_type_hints(theirs, include_extras=True)
    if "memory_context" in hints:
        return
    ours = get_type_hints(MemoryKeys, include_extras=True)
    seen = TypedDict("seen", {**hints, **ours}, total=False)  # type: ignore[misc]
    as_theirs = dict if is_typeddict(theirs) else lambda values: theirs(**values)
    framework.replace_node(builder, agent, informed(runnable, as_theirs), seen)
