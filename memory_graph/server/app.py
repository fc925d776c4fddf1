"""The web application that `http.app` in `langgraph.json` mounts beside the server's routes."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_graph.metrics import exposition, process_metrics
from memory_graph.server.routes import ROUTES
from memory_graph.settings import get_settings


async def show_health(request: Request) -> Response:
    """Say what this process works with; asks no store.

    ---
    summary: What this process works with
    tags: [memory]
    responses: {"200": {description: Up}}
    """
    settings = get_settings()
    return JSONResponse(
        {
            "status": "ok",
            "embedder": settings.embedder,
            "model": settings.model or "offline",
            "trusts_client_user_id": settings.trusts_client_user_id,
        }
    )


async def show_metrics(request: Request) -> Response:
    """Expose counters of this process, for Prometheus.

    ---
    summary: Counters and histograms of this process, for Prometheus
    tags: [memory]
    responses: {"200": {description: Text exposition}, "404": {description: Not installed}}
    """
    exposed = exposition()
    if exposed is None:
        detail = "Metrics need the extra: pip install 'langgraph-memory-nodes[metrics]'."
        return JSONResponse({"detail": detail}, status_code=404)
    return Response(exposed.body, media_type=exposed.content_type)


process_metrics()
app = Starlette(
    routes=[
        Route("/memory/health", show_health, methods=["GET"]),
        Route("/memory/metrics", show_metrics, methods=["GET"]),
        *ROUTES,
    ]
)
