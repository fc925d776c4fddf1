"""How can one coroutine be a node of graphs that are awaited and of graphs that are not?"""

from collections.abc import Awaitable, Callable, Mapping

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import Runtime, get_runtime
from typing_extensions import override

from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.state import MemoryState
from memory_graph.storage.loops import check_synchronous_use

Update = Mapping[str, object]


class Node(Runnable[MemoryState, Update]):
    """A node written once: `ainvoke` awaits it, `invoke` runs it on a loop in the background.

    It names its input schema as a function does, so `builder.add_node(memory_hotpath)`
    adds the keys it needs to the graph.
    """

    def __init__(self, run: Callable[..., Awaitable[Update]], **options: object) -> None:
        self.name = self.__name__ = str(getattr(run, "__name__", type(self).__name__))
        self.__doc__ = run.__doc__
        self._run = run
        self._options = options

    def using(self, **options: object) -> "Node":
        """Return the node with options that do not change from run to run, such as `model`."""
        return Node(self._run, **{**self._options, **options})

    async def __call__(
        self, state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
    ) -> Update:
        """Run the node as the coroutine it is."""
        return await self._run(state, runtime, config, **self._options)

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


def both_ways(run: Callable[..., Awaitable[Update]]) -> Node:
    """Make a coroutine function a node for `invoke` as well as `ainvoke`."""
    return Node(run)
