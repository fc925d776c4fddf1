"""What was worked out of people's words, kept while a turn is handled and no longer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_MOST = 20_000
"""Bounds the memory of one turn, whatever it compares."""

_kept: ContextVar[dict[object, Any] | None] = ContextVar("memory_graph_kept", default=None)


@contextmanager
def one_turn() -> Iterator[None]:
    """Keep what is worked out in this block for the block and the tasks it starts."""
    if _kept.get() is not None:
        yield
        return
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def once_a_turn(function: Callable[P, R]) -> Callable[P, R]:
    """Make a pure function work on the same arguments once a turn; outside of one, always."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        kept = _kept.get()
        if kept is None:
            return function(*args, **kwargs)
        key = (function, args, *kwargs.items())
        if key in kept:
            found: R = kept[key]
            return found
        result = function(*args, **kwargs)
        if len(kept) < _MOST:
            kept[key] = result
        return result

    return wrapped


def known_this_turn(what: str) -> dict[Any, Any]:
    """Return what is known of one kind in this turn, to be added to; outside of one, nothing."""
    kept = _kept.get()
    known: dict[Any, Any] = {} if kept is None else kept.setdefault(what, {})
    return known


def digest_of(text: str) -> bytes:
    """Return what a text may be known by where its words are not to be kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
