"""The web application that `http.app` in `langgraph.json` names: the routes and the pages."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_graph import prompts
from memory_graph.metrics import exposition, process_metrics
from memory_graph.server.host import HostGuard
from memory_graph.server.operations import server_store
from memory_graph.server.routes import ROUTES
from memory_graph.settings import get_settings


async def show_health(request: Request) -> Response:
    """Return what this process uses, without asking the store.

    ---
    summary: Which embedder and model this process uses
    tags: [memory]
    responses: {"200": {description: Up}}
    """
    settings = get_settings()
    health = {
        "status": "ok",
        "embedder": settings.embedder,
        "model": settings.model or "offline",
        "trusts_client_user_id": settings.trusts_client_user_id,
        "collector": "spared" if gc.get_freeze_count() else "default",
    }
    return JSONResponse(health)


async def show_metrics(request: Request) -> Response:
    """Expose counters of this process, for Prometheus.

    ---
    summary: Counters and histograms of this process, for Prometheus
    tags: [memory]
    responses: {"200": {description: Text exposition}, "404": {description: Not installed}}
    """
    exposed = exposition()
    if exposed is None:
        return _needs_extra("Metrics", "metrics")
    return Response(exposed.body, media_type=exposed.content_type)


def page_routes() -> list[Route]:
    """Return the pages of the inspector, or one route that says how to install them."""
    prefix = "/memory/ui"
    try:
        from memory_graph.server.inspector.app import server_routes  # noqa: PLC0415 — an extra
    except ModuleNotFoundError as error:
        if error.name not in {"jinja2", "markupsafe"}:
            raise
        missing = _needs_extra("The pages", "inspect")
        return [Route(prefix, lambda _: missing, methods=["GET"], include_in_schema=False)]
    return server_routes(server_store, prefix)


def _needs_extra(what: str, extra: str) -> Response:
    detail = f"{what} need the extra: pip install 'langgraph-memory-nodes[{extra}]'."
    return JSONResponse({"detail": detail}, status_code=404)


def spare_collector() -> None:
    """Let garbage collection leave alone what this process has loaded, and look less often.

    A tenth of what a turn costs a worker is looking for garbage among modules and models that stay
    (`benchmarks/throughput.py`). For processes that do nothing but serve.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@asynccontextmanager
async def _serving(_: Starlette) -> AsyncIterator[None]:
    spare_collector()
    yield


get_settings()  # so that an invalid setting stops the server, not the first run
prompts.check_own()
process_metrics()
app = Starlette(
    routes=[
        Route("/memory/health", show_health, methods=["GET"]),
        Route("/memory/metrics", show_metrics, methods=["GET"]),
        *page_routes(),
        *ROUTES,
    ],
    middleware=[Middleware(HostGuard)],  # the server applies it to all its routes
    lifespan=_serving,
)
