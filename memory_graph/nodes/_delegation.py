"""What one agent hands to another is nobody's: mark it where the other one begins."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from langchain_core.messages import BaseMessage, HumanMessage

from memory_graph.shape import Shape, using_shape
from memory_graph.turns.messages import id_of

R = TypeVar("R")

_outer: ContextVar[frozenset[str] | None] = ContextVar("memory_graph_outer", default=None)


class Call(Protocol):
    """A call of a tool, as a tool node gives it to wrappers."""

    @property
    def state(self) -> object:
        """The state of the agent that calls."""
        ...


CallT = TypeVar("CallT", bound=Call)


def outer_messages() -> frozenset[str] | None:
    """Return the messages of the conversation around this agent; `None` if it is the outermost."""
    return _outer.get()


@contextmanager
def handing_over(messages: Iterable[object]) -> Iterator[None]:
    """Let agents that run in this block know which messages are the user's: these."""
    own = frozenset(
        id_of(place, message)
        for place, message in enumerate(messages)
        if isinstance(message, HumanMessage)
    )
    around = _outer.get()
    token = _outer.set(own if around is None else own & around)
    try:
        yield
    finally:
        _outer.reset(token)


def mark_tool_call(request: CallT, execute: Callable[[CallT], R]) -> R:
    """Run a tool, and let an agent in it know whose messages it is given.

    For a tool node of your own: `ToolNode(tools, wrap_tool_call=mark_tool_call,
    awrap_tool_call=amark_tool_call)`. The graph, `add_memory` and the middleware do it themselves.
    """
    with handing_over(messages_in(request.state)):
        return execute(request)


async def amark_tool_call(request: CallT, execute: Callable[[CallT], Awaitable[R]]) -> R:
    """Run a tool as `mark_tool_call` does, in an asynchronous run."""
    with handing_over(messages_in(request.state)):
        return await execute(request)


def tool_wrappers(
    shape: Shape | None = None,
) -> tuple[Callable[[CallT, Callable[[CallT], R]], R], Callable[..., Awaitable[R]]]:
    """Return what a tool node wraps calls with, synchronous and asynchronous, for one shape."""

    def call(request: CallT, execute: Callable[[CallT], R]) -> R:
        with using_shape(shape):
            return mark_tool_call(request, execute)

    async def acall(request: CallT, execute: Callable[[CallT], Awaitable[R]]) -> R:
        with using_shape(shape):
            return await amark_tool_call(request, execute)

    return call, acall


def messages_in(state: object) -> Sequence[BaseMessage]:
    """Return the messages of a state, whatever it is made of."""
    held = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", None)
    return [each for each in held or () if isinstance(each, BaseMessage)]
