"""The inspector's two applications: under LangGraph Server, and on one's own machine."""

from collections.abc import Callable, Mapping

from langgraph.store.base import BaseStore
from starlette.applications import Starlette
from starlette.routing import Route

from memory_graph.server.inspector.actions import CHANGES
from memory_graph.server.inspector.guard import LocalDoor, ServerDoor
from memory_graph.server.inspector.pages import PAGES
from memory_graph.server.inspector.site import Site, routes


def server_routes(store: Callable[[], BaseStore], prefix: str) -> list[Route]:
    """Return the pages as routes of a server, with the same user as its runs."""
    site = Site(ServerDoor(), store, prefix, setup={"store": "LangGraph Server"})
    return routes(site, PAGES, CHANGES)


def local_app(
    store: BaseStore,
    door: LocalDoor,
    *,
    zone: str | None = None,
    store_option: tuple[str, ...] = (),
    setup: Mapping[str, str] | None = None,
) -> Starlette:
    """Return the pages as an application for one person on their own machine."""
    site = Site(door, lambda: store, zone=zone, store_option=store_option, setup=setup or {})
    return Starlette(routes=routes(site, PAGES, CHANGES))
