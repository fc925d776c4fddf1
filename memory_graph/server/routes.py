"""What can be done with one user's memory over HTTP? The YAML below is the OpenAPI page."""

from collections.abc import Awaitable, Callable
from functools import cache, wraps

from langgraph_sdk import get_client
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from memory_graph import clock
from memory_graph.errors import NoUserError, RecordNotFoundError, StoreUnavailableError
from memory_graph.server.identity import owner_of
from memory_graph.server.sdk_store import SdkStore
from memory_graph.steps.forget import BEYOND_REACH, forget, forget_everything
from memory_graph.steps.lookup import AmbiguousIdError, entries_about, find_fact, find_memory
from memory_graph.steps.search import search_everything
from memory_graph.steps.stats import count_memories
from memory_graph.steps.transfer import as_json, everything, export_lines
from memory_graph.storage.scope import UserMemory, memory_of

_MOST_FOUND = 100
_STATUS: dict[type[Exception], int] = {
    NoUserError: 401,
    RecordNotFoundError: 404,
    AmbiguousIdError: 409,
    ValueError: 422,
    StoreUnavailableError: 503,
}
Answer = Callable[[Request, UserMemory], Awaitable[Response]]
Handler = Callable[[Request], Awaitable[Response]]


def of_one_user(answer: Answer) -> Handler:
    """Give a route the memory of whoever asks, and tell failures in JSON."""

    @wraps(answer)
    async def handler(request: Request) -> Response:
        try:
            return await answer(request, memory_of(owner_of(request), _store()))
        except tuple(_STATUS) as error:
            status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
            return JSONResponse({"detail": str(error)}, status_code=status)

    return handler


@cache
def _store() -> SdkStore:
    return SdkStore(get_client())


@of_one_user
async def list_memories(request: Request, memory: UserMemory) -> Response:
    """List everything remembered: facts, episodes, turns.

    ---
    summary: Everything remembered about the user
    tags: [memory]
    parameters:
      - {name: kind, in: query, schema: {type: string, enum: [fact, episode, turn]}}
    responses: {"200": {description: Facts, episodes and turns}}
    """
    kind = request.query_params.get("kind")
    told = [as_json(each) for each in await everything(memory)]
    return JSONResponse({"memories": [each for each in told if kind in {None, each["kind"]}]})


@of_one_user
async def search_memories(request: Request, memory: UserMemory) -> Response:
    """Find memories.

    ---
    summary: Memories that fit a query, with the parts of their scores
    tags: [memory]
    parameters:
      - {name: q, in: query, required: true, schema: {type: string}}
      - {name: limit, in: query, schema: {type: integer, default: 10, maximum: 100}}
    responses: {"200": {description: The best first}, "422": {description: No query}}
    """
    text = request.query_params.get("q", "").strip()
    if not text:
        raise ValueError("`q` says what to look for.")
    limit = min(max(int(request.query_params.get("limit", "10")), 1), _MOST_FOUND)
    found = await search_everything(memory, text, limit, clock.utc_now())
    told = [{**as_json(e.record), "score": e.score, "parts": e.parts} for e in found]
    return JSONResponse({"memories": told})


@of_one_user
async def show_history(request: Request, memory: UserMemory) -> Response:
    """Tell which values a fact had.

    ---
    summary: The values a fact had, and when
    tags: [memory]
    parameters:
      - {name: memory_id, in: path, required: true, schema: {type: string}}
    responses: {"200": {description: The fact with its history}, "404": {description: No such fact}}
    """
    return JSONResponse(as_json(await find_fact(memory, request.path_params["memory_id"])))


@of_one_user
async def show_why(request: Request, memory: UserMemory) -> Response:
    """Tell the decisions about a memory.

    ---
    summary: Every decision about a memory, with its reason and scores
    tags: [memory]
    parameters:
      - {name: memory_id, in: path, required: true, schema: {type: string}}
    responses: {"200": {description: Oldest first}, "404": {description: No such memory}}
    """
    memory_id, entries = await entries_about(memory, request.path_params["memory_id"])
    told = [entry.model_dump(mode="json") for entry in entries]
    return JSONResponse({"memory_id": memory_id, "entries": told})


@of_one_user
async def forget_memory(request: Request, memory: UserMemory) -> Response:
    """Forget a memory.

    ---
    summary: Forget one memory, with every decision about it
    tags: [memory]
    parameters:
      - {name: memory_id, in: path, required: true, schema: {type: string}}
    responses: {"200": {description: What is left to do}, "404": {description: No such memory}}
    """
    record = await find_memory(memory, request.path_params["memory_id"])
    forgotten = await forget(memory, record, clock.utc_now())
    return JSONResponse(
        {
            "forgotten": record.id,
            "told_in": list(forgotten.told_in),
            "beyond_reach": list(BEYOND_REACH),
        }
    )


@of_one_user
async def forget_all(request: Request, memory: UserMemory) -> Response:
    """Forget everything about the user.

    ---
    summary: Forget everything about the user
    tags: [memory]
    parameters:
      - {name: everything, in: query, required: true, schema: {type: string, enum: ["true"]}}
    responses: {"200": {description: How much was forgotten}, "422": {description: Not confirmed}}
    """
    if request.query_params.get("everything") != "true":
        raise ValueError("`?everything=true` confirms that all of it is to be forgotten.")
    counts = await forget_everything(memory, clock.utc_now())
    return JSONResponse({"forgotten": dict(counts), "beyond_reach": list(BEYOND_REACH)})


@of_one_user
async def export_memories(request: Request, memory: UserMemory) -> Response:
    """Export everything.

    ---
    summary: Every fact and episode as JSON Lines, to import elsewhere
    tags: [memory]
    responses: {"200": {description: One memory per line}}
    """
    lines = await export_lines(memory)
    text = "".join(f"{line}\n" for line in lines)
    return PlainTextResponse(text, media_type="application/x-ndjson")


@of_one_user
async def show_stats(request: Request, memory: UserMemory) -> Response:
    """Count what is remembered.

    ---
    summary: How much is remembered, and what was decided how often
    tags: [memory]
    responses: {"200": {description: Counts}}
    """
    return JSONResponse(dict(await count_memories(memory)))


ROUTES = [
    Route("/memory", list_memories, methods=["GET"]),
    Route("/memory", forget_all, methods=["DELETE"]),
    Route("/memory/search", search_memories, methods=["GET"]),
    Route("/memory/export", export_memories, methods=["GET"]),
    Route("/memory/stats", show_stats, methods=["GET"]),
    Route("/memory/history/{memory_id:path}", show_history, methods=["GET"]),
    Route("/memory/why/{memory_id:path}", show_why, methods=["GET"]),
    Route("/memory/{memory_id:path}", forget_memory, methods=["DELETE"]),
]
