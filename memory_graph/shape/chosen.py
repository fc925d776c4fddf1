"""Which shape a run has: the one its context names, the one given in code, or the file's."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, MemoryOffError
from memory_graph.settings import get_settings
from memory_graph.shape.definition import Shape
from memory_graph.shape.files import DEFAULT, read_shapes

PLAIN = Shape()
_given: ContextVar[Shape | None] = ContextVar("memory_graph_shape", default=None)


@contextmanager
def using_shape(shape: Shape | None) -> Iterator[None]:
    """Let everything in this block that names no other shape have this one."""
    token = _given.set(shape or _given.get())
    try:
        yield
    finally:
        _given.reset(token)


def shape_of(context: Context) -> Shape:
    """Return the shape of a run.

    Raises:
        MemoryOffError: If the context names one that the file of shapes does not hold.
    """
    given = _given.get()
    if context.shape is None and given is not None:
        return given
    path = get_settings().shapes
    shapes = _read(path) if path else {}
    if context.shape is None:
        return shapes.get(DEFAULT, PLAIN)
    if context.shape not in shapes:
        known = ", ".join(sorted(shapes)) or "none: set MEMORY_GRAPH_SHAPES"
        raise MemoryOffError(
            f"Memory is off: there is no shape {context.shape!r}. There are: {known}.",
            "unknown_shape",
        )
    return shapes[context.shape]


@cache
def _read(path: Path) -> dict[str, Shape]:
    """Return the shapes of a file, by name.

    Raises:
        ConfigurationError: If one of them is not sound.
    """
    shapes, problems = read_shapes(path)
    if problems:
        wrong = "; ".join(f"{each.where}: {each.what}" for each in problems)
        raise ConfigurationError(f"{path.name} is no file of shapes: {wrong}.")
    return shapes
