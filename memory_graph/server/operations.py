"""Turn a function into a route: its signature describes the request, a model the answer.

Both are checked against these. The server builds its OpenAPI page from the docstrings of endpoints,
so the description is appended to them.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from inspect import signature
from types import UnionType
from typing import Any, Literal

from langgraph.runtime import ServerInfo
from langgraph_sdk import get_client
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_graph import errors
from memory_graph.context import Context
from memory_graph.curation.lookup import AmbiguousIdError
from memory_graph.curation.undo import CannotUndoError
from memory_graph.memory import Memory
from memory_graph.server.sdk_store import SdkStore
from memory_graph.settings import get_settings
from memory_graph.store.owner import Owner, resolve_owner

Method = Literal["GET", "POST", "DELETE"]
Answer = type[object] | UnionType | str
Handle = Callable[..., Awaitable[object]]
Schema = dict[str, Any]

STATUS: Mapping[type[Exception], int] = {
    errors.NoUserError: 401,
    errors.RecordNotFoundError: 404,
    AmbiguousIdError: 409,
    CannotUndoError: 409,
    errors.RefusedError: 422,
    ValueError: 422,
    errors.StoreUnavailableError: 503,
}
"""How an error is answered, by its kind."""

_PROBLEMS: Mapping[int, str] = {
    400: "The request is no HTTP that can be read",
    401: "Nobody is signed in, and no user is named",
    404: "There is no such memory",
    409: "The id is ambiguous, or a newer change must be undone first",
    415: "The request is not marked as `application/json`",
    422: "The request does not fit, and `detail` says why",
    503: "The store did not answer in time",
}
_USER: Schema = {
    "name": "user",
    "in": "query",
    "description": "Whose memory, where nobody is signed in and the server trusts its clients, "
    "or where the one signed in may act for others.",
    "schema": {"type": "string"},
}


class Query(BaseModel):
    """Query parameters; unknown ones are ignored."""

    model_config = ConfigDict(extra="ignore")


class Body(BaseModel):
    """A JSON body; unknown fields are refused, since they may be mistakes."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why a request failed."""

    detail: str


def operation(
    method: Method, path: str, answer: Answer | None = None, **fields: object
) -> Callable[[Handle], Route]:
    """Make a function of one user's memory a route.

    Its arguments besides the memory are query parameters, for `POST` fields of a JSON body;
    `{memory_id:path}` and the like come from the path.

    Args:
        method: The HTTP method.
        path: The path.
        answer: The model of what the function returns; for an answer that is not JSON, its media
            type.
        fields: Instead of `answer`, the fields of the answer by name.
    """
    named: dict[str, Any] = {name: (kind, ...) for name, kind in fields.items()}
    answer = answer or create_model("Answer", **named)

    def route(handle: Handle) -> Route:
        asked = _asked_by(handle, method)
        adapter = None if isinstance(answer, str) else _adapter(answer)

        async def endpoint(request: Request) -> Response:
            try:
                given = asked.model_validate(await _given(request, method))
                memory = Memory(server_store(), user_id=owner_of(request).user_id)
                done = await handle(memory, **dict(given))
            except HTTPException as error:
                return _problem(error.status_code, error.detail)
            except ValidationError as error:
                problems = [
                    f"`{'.'.join(map(str, each['loc'])) or 'request'}`: {each['msg']}"
                    for each in error.errors(include_url=False)
                ]
                return _problem(422, "; ".join(problems))
            except tuple(STATUS) as error:
                status = next(code for kind, code in STATUS.items() if isinstance(error, kind))
                return _problem(status, str(error))
            if adapter is None:
                assert isinstance(done, Response)
                return done
            answered = adapter.validate_python(done, from_attributes=True)
            return Response(adapter.dump_json(answered), media_type="application/json")

        endpoint.__doc__ = _page(handle.__doc__ or "", method, path, asked, answer)
        endpoint.__name__ = getattr(handle, "__name__", "endpoint")
        return Route(path, endpoint, methods=[method])

    return route


def _adapter(answer: type[object] | UnionType) -> TypeAdapter[object]:
    return TypeAdapter(answer)  # type: ignore[arg-type]  # a union is a type, too


def _asked_by(handle: Handle, method: Method) -> type[BaseModel]:
    """Return the model of a function's arguments."""
    _, *taken = signature(handle).parameters.values()
    fields: dict[str, Any] = {
        each.name: (each.annotation, ... if each.default is each.empty else each.default)
        for each in taken
    }
    return create_model("Asked", __base__=Body if method == "POST" else Query, **fields)


@cache
def server_store() -> SdkStore:
    """Return the server's own store, as routes and pages use it."""
    return SdkStore(get_client())


def owner_of(request: Request) -> Owner:
    """Return whose memory a request is about, by the same rule as for runs.

    The signed-in user; `user` in the query counts only on a server without auth that trusts its
    clients, as `langgraph dev` does, or with the permission to act for others.

    Raises:
        NoUserError: If nobody is known.
    """
    user = request.scope.get("user")
    signed_in = user if getattr(user, "identity", None) else None
    server = ServerInfo(assistant_id="", graph_id="", user=signed_in)
    context = Context(user_id=request.query_params.get("user") or None)
    return resolve_owner(server, context, get_settings())


async def _given(request: Request, method: Method) -> dict[str, object]:
    """Return the values of a request: from its body or query, and from its path."""
    path = {name: str(value) for name, value in request.path_params.items()}
    for value in path.values():
        if {".", ".."} & set(value.split("/")):
            raise errors.RecordNotFoundError("memory", value)
    if method != "POST":
        return {**request.query_params, **path}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    raw = await request.body()
    if kind != "application/json":  # a page of another site can send all other kinds
        raise HTTPException(415, "Send `Content-Type: application/json`, without a body, too.")
    try:
        body = json.loads(raw) if raw else {}
    except (ValueError, RecursionError) as error:
        raise HTTPException(422, "The body is not JSON.") from error
    if not isinstance(body, dict) or body.keys() & path.keys():
        raise HTTPException(
            422, "The body must be a JSON object, without the parameters of the path."
        )
    return {**body, **path}


def _problem(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status_code=status)


# — the OpenAPI page —
def _page(doc: str, method: Method, path: str, asked: type[BaseModel], answer: Answer) -> str:
    """Return a docstring with its part of the OpenAPI page."""
    summary, _, more = doc.strip().partition("\n")
    schema = _inlined(asked.model_json_schema())
    properties, required = schema.get("properties", {}), schema.get("required", [])
    in_path = [each for each in properties if f"{{{each}:" in path]
    in_query = [each for each in properties if method != "POST" and each not in in_path]
    described: Schema = {
        "summary": summary.rstrip("."),
        "tags": ["memory"],
        "parameters": [
            {
                "name": name,
                "in": "path" if name in in_path else "query",
                "required": name in in_path or name in required,
                "schema": properties[name],
            }
            for name in properties
            if name in in_path or name in in_query
        ]
        + [_USER],
        "responses": {
            "200": {"description": summary, "content": _content(answer)},
            **{
                str(n): {"description": p, "content": _content(Problem)}
                for n, p in _PROBLEMS.items()
            },
        },
    }
    if more.strip():
        described["description"] = " ".join(more.split())
    if method == "POST":
        body = {
            **schema,
            "properties": {name: properties[name] for name in properties if name not in in_path},
            "required": [name for name in required if name not in in_path],
        }
        described["requestBody"] = {
            "required": bool(body["required"]),
            "content": {"application/json": {"schema": body}},
        }
    return f"{doc.strip()}\n---\n{json.dumps(described)}"


def _content(answer: Answer) -> Schema:
    if isinstance(answer, str):
        return {answer: {"schema": {"type": "string"}}}
    schema = _inlined(_adapter(answer).json_schema(mode="serialization"))
    return {"application/json": {"schema": schema}}


def _inlined(schema: Schema) -> Schema:
    """Return a JSON schema that stands alone: each reference replaced by what it names."""
    known = schema.pop("$defs", {})

    def inlined(value: Any) -> Any:  # noqa: ANN401 — whatever JSON holds
        if isinstance(value, list):
            return [inlined(each) for each in value]
        if not isinstance(value, dict):
            return value
        named = known[value["$ref"].rpartition("/")[2]] if "$ref" in value else {}
        rest = {name: each for name, each in value.items() if name not in {"$ref", "discriminator"}}
        return {name: inlined(each) for name, each in {**named, **rest}.items()}

    return inlined(schema)  # type: ignore[no-any-return]
