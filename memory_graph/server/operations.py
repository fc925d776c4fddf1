"""How a function becomes a route: its signature says what is asked, a model what is answered.

Both are checked by these, and described by them: the server makes its OpenAPI page from the
docstrings of endpoints, so the description is appended to these.
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
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from memory_graph.context import Context
from memory_graph.curation.lookup import AmbiguousIdError
from memory_graph.curation.undo import CannotUndoError
from memory_graph.errors import (
    NoUserError,
    RecordNotFoundError,
    RefusedError,
    StoreUnavailableError,
)
from memory_graph.memory import Memory
from memory_graph.server.sdk_store import SdkStore
from memory_graph.settings import get_settings
from memory_graph.store.scope import Owner, resolve_owner

Method = Literal["GET", "POST", "DELETE"]
Schema = dict[str, object]


class Query(BaseModel):
    """What is asked in the address; what is not known is passed over."""

    model_config = ConfigDict(extra="ignore")


class Body(BaseModel):
    """What is asked in JSON; what is not known is refused, since it may be a slip."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why something could not be answered."""

    detail: str


_MODEL = "asked"
"""What a function calls the model of all that it is asked."""

Answer = type[object] | UnionType | str
Handle = Callable[..., Awaitable[object]]

_PROBLEMS: Mapping[int, str] = {
    400: "The request is no HTTP that can be read",
    401: "Nobody is signed in, and no user is named",
    404: "There is no such memory",
    409: "Several memories are meant, or something newer stands in the way",
    415: "The body is not `application/json`",
    422: "The request does not fit, and `detail` says why",
    503: "The store did not answer in time",
}
_STATUS: Mapping[type[Exception], int] = {
    NoUserError: 401,
    RecordNotFoundError: 404,
    AmbiguousIdError: 409,
    CannotUndoError: 409,
    RefusedError: 422,
    ValueError: 422,
    StoreUnavailableError: 503,
}
_USER: Schema = {
    "name": "user",
    "in": "query",
    "description": "Whose memory, where nobody is signed in and the server trusts its clients, "
    "or where the one signed in may act for others.",
    "schema": {"type": "string"},
}


def operation(method: Method, path: str, answer: Answer) -> Callable[[Handle], Route]:
    """Make a function of one user's memory a route.

    What it takes besides the memory is asked in the address, and for `POST` in a body of JSON;
    `{memory_id:path}` and its like in the path. It may also take a model of all that, as `asked`.

    Args:
        method: How it is called.
        path: Where.
        answer: What it answers, by the names of what the function returns; for an answer that is
            no JSON, its media type.
    """

    def route(handle: Handle) -> Route:
        asked, by_name = _asked_by(handle, method)
        adapter = None if isinstance(answer, str) else _adapter(answer)

        async def endpoint(request: Request) -> Response:
            try:
                given = asked.model_validate(await _given(request, method))
                memory = Memory(server_store(), user_id=owner_of(request).user_id)
                told = await (handle(memory, **dict(given)) if by_name else handle(memory, given))
            except _UnreadableBodyError as error:
                return _problem(error.status, str(error))
            except ValidationError as error:
                return _problem(422, "; ".join(map(_complaint, error.errors(include_url=False))))
            except tuple(_STATUS) as error:
                return _problem(_status_of(error), str(error))
            if adapter is None:
                assert isinstance(told, Response)
                return told
            answered = adapter.validate_python(told, from_attributes=True)
            return Response(adapter.dump_json(answered), media_type="application/json")

        endpoint.__doc__ = _page(handle.__doc__ or "", method, path, asked, answer)
        endpoint.__name__ = getattr(handle, "__name__", "endpoint")
        return Route(path, endpoint, methods=[method])

    return route


def _adapter(answer: type[object] | UnionType) -> TypeAdapter[object]:
    return TypeAdapter(answer)  # type: ignore[arg-type]  # a union is a type, too


def _asked_by(handle: Handle, method: Method) -> tuple[type[BaseModel], bool]:
    """Return what a function takes besides the memory, and whether it takes that by name."""
    _, *taken = signature(handle).parameters.values()
    models = [each.annotation for each in taken if each.name == _MODEL]
    if models:
        return models[0], False
    fields: dict[str, Any] = {
        each.name: (each.annotation, ... if each.default is each.empty else each.default)
        for each in taken
    }
    base = Body if method == "POST" else Query
    return create_model("Asked", __base__=base, **fields), True


@cache
def server_store() -> SdkStore:
    """Return the server's own store, as routes and pages use it."""
    return SdkStore(get_client())


class _UnreadableBodyError(Exception):
    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


async def _given(request: Request, method: Method) -> dict[str, object]:
    """Return all that a request says: in its body or its query, and in its path."""
    path = {name: _plain(str(value)) for name, value in request.path_params.items()}
    if method != "POST":
        return {**request.query_params, **path}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
    raw = await request.body()
    if kind != "application/json" and (raw or kind):
        raise _UnreadableBodyError(415, "Send the body as `application/json`.")
    try:
        body = json.loads(raw) if raw else {}
    except (ValueError, RecursionError) as error:
        raise _UnreadableBodyError(422, "The body is not JSON.") from error
    if not isinstance(body, dict) or body.keys() & path.keys():
        raise _UnreadableBodyError(422, "The body is to be an object, without what the path says.")
    return {**body, **path}


def _plain(asked: str) -> str:
    """Return an id in a path.

    Raises:
        RecordNotFoundError: If it is a way to somewhere rather than an id.
    """
    if {".", ".."} & set(asked.split("/")):
        raise RecordNotFoundError("memory", asked)
    return asked


def _status_of(error: Exception) -> int:
    return next(code for kind, code in _STATUS.items() if isinstance(error, kind))


def _complaint(problem: Mapping[str, object]) -> str:
    """Return what is wrong with which field, without what it holds."""
    place = problem["loc"]
    named = ".".join(map(str, place)) if isinstance(place, tuple) and place else "request"
    return f"`{named}`: {problem['msg']}"


def _problem(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status_code=status)


def _page(doc: str, method: Method, path: str, asked: type[BaseModel], answer: Answer) -> str:
    """Return a docstring with its part of the OpenAPI page."""
    summary, _, more = doc.strip().partition("\n")
    described: Schema = {
        "summary": summary.rstrip("."),
        "tags": ["memory"],
        "parameters": [*_parameters(method, path, asked), _USER],
        "responses": {
            "200": {"description": summary, "content": _content(answer)},
            **{str(code): _described(words) for code, words in _PROBLEMS.items()},
        },
    }
    if more.strip():
        described["description"] = " ".join(more.split())
    if method == "POST":
        body = _body(path, asked)
        required = bool(body.get("required"))
        described["requestBody"] = {
            "required": required,
            "content": {"application/json": {"schema": body}},
        }
    return f"{doc.strip()}\n---\n{json.dumps(described)}"


def _described(words: str) -> Schema:
    schema = inlined(Problem.model_json_schema(mode="serialization"))
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def _content(answer: Answer) -> Schema:
    if isinstance(answer, str):
        return {answer: {"schema": {"type": "string"}}}
    schema = inlined(_adapter(answer).json_schema(mode="serialization"))
    return {"application/json": {"schema": schema}}


def _in_path(path: str) -> set[str]:
    return {part.partition(":")[0].partition("}")[0] for part in path.split("{")[1:]}


def _parameters(method: Method, path: str, asked: type[BaseModel]) -> list[Schema]:
    named = _in_path(path)
    _, properties, required = _properties(asked)
    return [
        {
            "name": name,
            "in": "path" if name in named else "query",
            "required": name in named or name in required,
            "schema": each,
        }
        for name, each in properties.items()
        if name in named or method != "POST"
    ]


def _body(path: str, asked: type[BaseModel]) -> Schema:
    named = _in_path(path)
    schema, properties, required = _properties(asked)
    return {
        **schema,
        "properties": {name: each for name, each in properties.items() if name not in named},
        "required": [each for each in required if each not in named],
    }


def _properties(asked: type[BaseModel]) -> tuple[Schema, Schema, list[str]]:
    schema = inlined(asked.model_json_schema())
    properties, required = schema.get("properties", {}), schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    return schema, properties, required


def inlined(schema: object, known: Mapping[str, object] | None = None) -> Schema:
    """Return a JSON schema that stands alone: each reference replaced by what it names."""
    assert isinstance(schema, dict)
    known = known if known is not None else schema.get("$defs", {})
    result = _inlined({k: v for k, v in schema.items() if k != "$defs"}, known)
    assert isinstance(result, dict)
    return result


def _inlined(value: object, known: Mapping[str, object]) -> object:
    if isinstance(value, dict):
        if "$ref" in value:
            named = _inlined(known[str(value["$ref"]).rpartition("/")[2]], known)
            assert isinstance(named, dict)
            return {**named, **{k: v for k, v in value.items() if k != "$ref"}}
        return {
            name: _inlined(each, known) for name, each in value.items() if name != "discriminator"
        }
    return [_inlined(each, known) for each in value] if isinstance(value, list) else value


def owner_of(request: Request) -> Owner:
    """Return whose memory a request is about, by the rule that holds for runs.

    Whoever is signed in; a `user` in the query counts only on a server without auth whose
    settings trust it, which `langgraph dev` is, or with the permission to act as others.

    Raises:
        NoUserError: If nobody is known.
    """
    user = request.scope.get("user")
    signed_in = user if getattr(user, "identity", None) else None
    server = ServerInfo(assistant_id="", graph_id="", user=signed_in)
    context = Context(user_id=request.query_params.get("user") or None)
    return resolve_owner(server, context, get_settings())
