"""Turn a coroutine into a memory node that works in `invoke` and `ainvoke` and fails no turn."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime, get_runtime
from typing_extensions import override

from memory_graph import telemetry
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, MemoryOffError
from memory_graph.llm.models import Patience, patience
from memory_graph.once import one_turn
from memory_graph.records import MemoryDecision, MemoryKind
from memory_graph.settings import get_settings
from memory_graph.shape import Shape, using_shape
from memory_graph.state import MemoryState, OffNote
from memory_graph.store.gateway import check_synchronous_use
from memory_graph.store.labels import user_label
from memory_graph.store.owner import resolve_owner, run_context

Update = Mapping[str, object]


class Node(Runnable[MemoryState, Update]):
    """A node written once, as a coroutine; `invoke` runs it on an event loop in a thread.

    It names its input schema as a function does, so `builder.add_node(memory_hotpath)`
    adds the keys it needs to the graph.
    """

    def __init__(
        self,
        run: Callable[..., Awaitable[Update]],
        *,
        shape: Shape | None = None,
        **options: object,
    ) -> None:
        self.name = self.__name__ = str(getattr(run, "__name__", type(self).__name__))
        self.__doc__ = run.__doc__
        self._run = run
        self._options = options
        self._shape = shape

    def using(self, *, shape: Shape | None = None, **options: object) -> "Node":
        """Return the node with options that do not change from run to run, such as `model`."""
        return Node(self._run, shape=shape or self._shape, **{**self._options, **options})

    async def __call__(
        self, state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
    ) -> Update:
        """Run the node as the coroutine it is."""
        with using_shape(self._shape):
            update = await self._run(state, runtime, config, **self._options)
        # LangGraph saves every key that a node returns, changed or not.
        return {
            key: value
            for key, value in update.items()
            if key == "messages" or key not in state or state.get(key) != value
        }

    @override
    async def ainvoke(
        self, input: MemoryState, config: RunnableConfig | None = None, **kwargs: object
    ) -> Update:
        return await self(input, get_runtime(Context), config or {})

    @override
    def invoke(
        self, input: MemoryState, config: RunnableConfig | None = None, **kwargs: object
    ) -> Update:
        runtime = get_runtime(Context)
        check_synchronous_use(runtime.store)
        return run_sync(lambda: self(input, runtime, config or {}))


def as_node(run: Callable[..., Awaitable[Update]]) -> Node:
    """Make a coroutine function a node for `invoke` as well as `ainvoke`."""
    return Node(run)


UpdateT = TypeVar("UpdateT", bound=Mapping[str, object])

DEADLINE_S = 30.0
"""The longest time of a memory node, without what it may wait for models.

Store and model calls have shorter limits of their own.
"""

Waits = Callable[[Patience], float]
"""How long a node may wait for models, given the patience with each call."""

NodeFunction = Callable[..., Awaitable[UpdateT]]

Leaving = Callable[[MemoryState, Runtime[Context], RunnableConfig], Awaitable[Mapping[str, object]]]


def never_fails_the_turn(
    leaving: Leaving | None = None, waits: Waits = lambda patience: 0, name: str = ""
) -> Callable[[NodeFunction[UpdateT]], NodeFunction[UpdateT]]:
    """Make a memory node catch its failures, in any graph it is used in.

    An outage, a timeout or an unusable answer of a model ends in one event and an empty update, or
    the one that `leaving` makes; so does a run whose memory is off. A wiring mistake
    (`ConfigurationError`) is raised, because only the developer can fix it.
    """

    def guard(node: NodeFunction[UpdateT]) -> NodeFunction[UpdateT]:
        called = name or node.__name__

        @wraps(node)
        async def guarded(
            state: MemoryState, runtime: Runtime[Context], config: RunnableConfig, **options: object
        ) -> UpdateT:
            off, said = None, (state.get("memory_graph") or {}).get("off")
            label = _label(runtime, config)
            telemetry.traced.set({"memory_node": called, "memory_user": label})
            try:
                async with asyncio.timeout(DEADLINE_S + waits(patience(local=True))):
                    with one_turn():
                        update = await node(state, runtime, config, **options)
                return _with(update, state, None) if said else update
            except (ConfigurationError, GraphBubbleUp):
                raise
            except MemoryOffError as error:
                off = report_off(runtime, called, error, said)
            except Exception as error:  # noqa: BLE001 — the promise of this decorator
                telemetry.record(runtime, telemetry.NodeGaveUp.because(called, error))
            left = await _left(leaving, state, runtime, config)
            return _with(left, state, off)  # type: ignore[return-value]  # the node's own, or empty

        return guarded

    return guard


def _label(runtime: Runtime[Context], config: RunnableConfig) -> str:
    """Return the store's label of the user a run is for."""
    try:
        context = run_context(runtime, config)
        owner = resolve_owner(runtime.server_info, context, get_settings())
    except MemoryOffError:
        return ""
    return user_label(owner.user_id)


async def _left(
    leaving: Leaving | None, state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> Mapping[str, object]:
    """Return what a node leaves that could not do its work, if that much can be done."""
    try:
        return await leaving(state, runtime, config) if leaving else {}
    except Exception as error:  # noqa: BLE001 — the promise of the decorator below
        telemetry.record(runtime, telemetry.NodeGaveUp.because("memory", error))
        return {}


def _with(update: UpdateT, state: MemoryState, off: OffNote | None) -> UpdateT:
    """Return an update that also notes why memory is off, or that it is on again."""
    known = update.get("memory_graph") or state.get("memory_graph") or {}
    noted = {**known, "off": off}  # type: ignore[dict-item]
    return {**update, "memory_graph": noted}  # type: ignore[return-value]  # a key of our states


def report_off(
    runtime: Runtime[Context], node: str, error: MemoryOffError, said: OffNote | None
) -> OffNote:
    """Report that memory is off and how to switch it on, once per thread."""
    kind: MemoryKind = "episode" if node == "episodic_capture" else "fact"
    decision = MemoryDecision(kind=kind, action="skip", reason=error.reason)
    telemetry.record(runtime, telemetry.MemoryDecided.of(node, decision))
    note = OffNote(reason=error.reason, fix=str(error))
    if note != said:
        telemetry.record(runtime, telemetry.MemoryOff(node=node, **note))
    return note
