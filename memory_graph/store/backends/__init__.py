"""The kinds of stores that this package knows, one module each, found by its `BACKEND`."""

from contextlib import AbstractAsyncContextManager
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from langgraph.store.base import BaseStore

from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.protocol import Backend, OpenedStore
from memory_graph.store.backends.server import BACKEND as ANY_STORE


@cache
def known_backends() -> tuple[Backend, ...]:
    """Return the backend of every module in this package."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    return tuple(module.BACKEND for module in modules if hasattr(module, "BACKEND"))


def known_schemes() -> dict[str, Backend]:
    """Return what an address may begin with, before its `:`, and the backend that it names."""
    return {
        form.partition(":")[0]: backend
        for backend in known_backends()
        for form in backend.url_forms
    }


def backend_of(store: BaseStore) -> Backend:
    """Return the backend that knows a store, whoever opened it."""
    owners = (backend for backend in known_backends() if backend.owns(store))
    return next(owners, ANY_STORE)


async def reach_store(url: str) -> None:
    """Raise why nobody answers at `url`; what waits for a database that starts tells later."""
    if backend := known_schemes().get(url.partition(":")[0]):
        await backend.reach(url)


def open_store(url: str, embedder: Embedder) -> AbstractAsyncContextManager[OpenedStore]:
    """Open the store at `url`; `embedder` fills its own vector index, if it has one.

    For entry points only: inside a graph the store comes from the runtime.

    Raises:
        ConfigurationError: If no backend opens such a URL.
    """
    scheme = url.partition(":")[0]
    backend = known_schemes().get(scheme)
    if backend is not None:
        return backend.open(url, embedder)
    forms = [f"`{form}`" for backend in known_backends() for form in backend.url_forms]
    raise ConfigurationError(
        f"`MEMORY_GRAPH_STORE` names an unknown store ({scheme!r}). "
        f"Use {', '.join(forms[:-1])} or {forms[-1]}."
    )
