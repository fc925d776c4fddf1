"""The inspector as a web application: its routes, and one visit to a page."""

import shlex
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlencode

from jinja2 import DictLoader, Environment, StrictUndefined
from langgraph.store.base import BaseStore
from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.curation.audit import MEANINGS
from memory_graph.errors import NoUserError, RecordNotFoundError
from memory_graph.memory import Memory
from memory_graph.patterns.evidence import trust
from memory_graph.recall.trace import FATES
from memory_graph.server.inspector import guard, wording
from memory_graph.server.inspector.wording import Days, say, say_or
from memory_graph.server.operations import STATUS
from memory_graph.store.scope import UserMemory, memory_of

PLACES = (
    ("start", "/"),
    ("recall", "/recall"),
    ("turns", "/turns"),
    ("episodes", "/episodes"),
    ("patterns", "/patterns"),
    ("health", "/health"),
    ("yours", "/yours"),
)
"""What the navigation lists."""

_STATUS: dict[type[Exception], int] = {guard.RefusedRequestError: 403, **STATUS}
_HERE = Path(__file__).parent
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_FILES = {
    each.name: each.read_bytes()
    for each in sorted((_HERE / "static").iterdir())
    if each.suffix in _TYPES
}
"""The static files, read once: a server must not read files while it answers."""

_VERSION = sha256(b"".join(_FILES.values())).hexdigest()[:12]
_CARRIED = ("user", "zone")
"""Parameters that links pass on to the next page."""


@dataclass(frozen=True)
class Site:
    """One inspector: who may enter, which store it shows, under which address."""

    door: guard.Door
    store: Callable[[], BaseStore]
    prefix: str = ""
    zone: str | None = None
    store_option: tuple[str, ...] = ()
    """What commands need to find the same store."""

    setup: Mapping[str, str] = field(default_factory=dict)
    """More about the store, for the page about its health."""

    @property
    def is_local(self) -> bool:
        """Whether it runs on the visitor's own machine."""
        return isinstance(self.door, guard.LocalDoor)


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page shows; its data is also its JSON."""

    place: str
    """The part of the site that it belongs to."""

    data: Mapping[str, object]
    template: str = ""
    """Unset: that of the place."""

    title: str = ""
    command: tuple[str, ...] = ()
    view: Mapping[str, object] = field(default_factory=dict)
    """What only the page needs, such as charts and addresses."""


@dataclass(frozen=True)
class Visit:
    """One request: whose memory it is about, and when."""

    request: Request
    site: Site
    visitor: guard.Visitor
    now: datetime

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return self.visitor.owner.user_id

    @property
    def context(self) -> Context:
        """What a run for this person would be given."""
        zone = self.request.query_params.get("zone") or self.site.zone
        return Context(user_id=self.user, time_zone=zone)

    @property
    def memory(self) -> Memory:
        """The memory that is shown and changed."""
        return Memory(self.site.store(), user_id=self.user, context=self.context)

    @property
    def scope(self) -> UserMemory:
        """The same memory, where a page looks at the records themselves."""
        return memory_of(self.visitor.owner, self.site.store())

    @property
    def days(self) -> Days:
        """How days are said."""
        zone = self.context.zone
        return Days(zone, self.now.astimezone(zone).date())

    @property
    def carried(self) -> dict[str, str]:
        """The parameters that every link passes on."""
        given = self.request.query_params
        return {name: given[name] for name in _CARRIED if given.get(name)}

    def asked(self, name: str) -> str:
        """Return a parameter of the address."""
        return self.request.query_params.get(name, "").strip()

    def page_number(self) -> int:
        """Return which page of a list is asked for."""
        given = self.asked("page")
        return max(int(given), 1) if given.isdecimal() and len(given) < _DIGITS else 1

    def plain_url(self, path: str) -> str:
        """Return the address of a page without passed-on parameters, for forms that send them."""
        return f"{self.site.prefix}{path}"

    def url(self, path: str, **params: object) -> str:
        """Return the address of a page."""
        query = urlencode({**self.carried, **{k: v for k, v in params.items() if v}})
        return f"{self.site.prefix}{path}{f'?{query}' if query else ''}"

    def record_url(self, kind: str, record_id: str, act: str = "", **params: object) -> str:
        """Return the address of one record, or of something done to it."""
        return self.url(record_path(kind, record_id, act), **params)

    def to(self, address: str) -> Response:
        """Return a redirect after a change, so that reloading changes nothing again."""
        return RedirectResponse(address, status_code=303)


_DIGITS = 7


def record_path(kind: str, record_id: str, act: str = "") -> str:
    """Return the path of a record under the site's address."""
    return f"/{kind}/{quote(record_id, safe=':')}{f'/{act}' if act else ''}"


Show = Callable[[Visit], Awaitable[Page | Response]]
Change = Callable[[Visit, Mapping[str, str]], Awaitable[Page | Response]]
Handler = Callable[[Request], Awaitable[Response]]


def routes(site: Site, pages: Mapping[str, Show], changes: Mapping[str, Change]) -> list[Route]:
    """Return the routes of the inspector; every page also has a JSON route."""

    def route(path: str, handler: Handler, method: str) -> Route:
        return Route(f"{site.prefix}{path}", handler, methods=[method], include_in_schema=False)

    found = [route("/static/{version}/{name}", _serve_file, "GET")]
    if isinstance(site.door, guard.LocalDoor):
        found.append(route("/enter", _unlock(site, site.door), "GET"))
    elif site.prefix:
        found.append(route("", _showing(site, pages["/"]), "GET"))
    for path, show in pages.items():
        if "." not in path:
            named = "/index.json" if path == "/" else f"{path}.json"
            found.append(route(named, _showing(site, show, as_json=True), "GET"))
        found.append(route(path, _showing(site, show), "GET"))
    for path, change in changes.items():
        found.append(route(path, _showing(site, _changing(change)), "POST"))
    return found


async def _serve_file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES:
        return Response(status_code=404, headers=guard.HEADERS)
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(
        _FILES[name], media_type=_TYPES[Path(name).suffix], headers={**guard.HEADERS, **kept}
    )


def _unlock(site: Site, door: guard.LocalDoor) -> Handler:
    async def handler(request: Request) -> Response:
        try:
            response = door.unlock(request)
        except guard.RefusedRequestError as error:
            return _problem(site, error, as_json=False)
        response.headers.update(guard.HEADERS)
        return response

    return handler


def _showing(site: Site, show: Show, *, as_json: bool = False) -> Handler:
    async def handler(request: Request) -> Response:
        try:
            visit = Visit(request, site, site.door.enter(request), clock.utc_now())
            return _answer(visit, await show(visit), as_json=as_json)
        except tuple(_STATUS) as error:
            return _problem(site, error, as_json=as_json)

    return handler


def _changing(change: Change) -> Show:
    async def changed(visit: Visit) -> Page | Response:
        return await change(visit, await guard.read_form(visit.request, visit.visitor))

    return changed


def _answer(visit: Visit, shown: Page | Response, *, as_json: bool) -> Response:
    if isinstance(shown, Response):
        response = shown
    elif as_json:
        response = JSONResponse(to_jsonable_python(shown.data))
    else:
        response = Response(_rendered(visit, shown), media_type="text/html")
    response.headers.update(guard.HEADERS)
    cookie = visit.site.door.cookie
    if visit.request.cookies.get(cookie) != visit.visitor.secret:
        path, is_secure = visit.site.prefix or "/", visit.request.url.scheme == "https"
        guard.keep_secret(response, cookie, visit.visitor.secret, path=path, is_secure=is_secure)
    return response


def _rendered(visit: Visit, page: Page) -> str:
    done = visit.asked("done")
    own = {
        "title": page.title or say(f"{page.place}.title"),
        "place": page.place,
        "notice": say_or(f"done.{done}", "") if done else "",
        "command": _command(visit, page),
        "json_address": json_address(visit) if visit.request.method == "GET" else "",
        "here": visit.url(visit.request.url.path.removeprefix(visit.site.prefix)),
    }
    values = {**_frame(visit.site), **_helpers(visit), **own, **page.data, **page.view}
    return _templates().get_template(page.template or f"{page.place}.html").render(values)


def _frame(site: Site) -> dict[str, object]:
    """Return what every page needs, error pages too."""
    return {
        "places": PLACES,
        "asset": lambda name: f"{site.prefix}/static/{_VERSION}/{name}",
        "notice_is_bad": False,
        "url": lambda path: f"{site.prefix}{path}",
        "zone": site.zone or "",
        "acting": None,
        "user": "",
    }


def _helpers(visit: Visit) -> dict[str, object]:
    return {
        "url": visit.url,
        "url_plain": visit.plain_url,
        "fact_url": partial(visit.record_url, "facts"),
        "fact_url_plain": lambda record_id: visit.plain_url(record_path("facts", record_id)),
        "episode_url": partial(visit.record_url, "episodes"),
        "pattern_url": partial(visit.record_url, "patterns"),
        "carried": visit.carried,
        "form_token": visit.visitor.form_token,
        "days": visit.days,
        "zone": visit.days.zone.key,
        "user": visit.user,
        "acting": visit.visitor.owner.acting,
    }


def json_address(visit: Visit) -> str:
    """Return the address of the same page as JSON."""
    path = visit.request.url.path.rstrip("/")
    root = path == visit.site.prefix
    query = f"?{visit.request.url.query}" if visit.request.url.query else ""
    return f"{path}/index.json{query}" if root else f"{path}.json{query}"


def _command(visit: Visit, page: Page) -> str:
    """Return a command that does the same as the page."""
    if not page.command:
        return ""
    if visit.site.is_local:
        who = ("--user", visit.user)
        return shlex.join(("memory-graph", *page.command, *who, *visit.site.store_option))
    base = str(visit.request.base_url).rstrip("/")
    return f'curl -H "Authorization: Bearer $TOKEN" {shlex.quote(base + json_address(visit))}'


def _problem(site: Site, error: Exception, *, as_json: bool) -> Response:
    """Say what went wrong, and what to do about it."""
    status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
    detail = str(error)
    if isinstance(error, guard.RefusedRequestError | NoUserError):
        detail = say("errors.no_user" if isinstance(error, NoUserError) else f"errors.{error}")
    if as_json:
        return JSONResponse({"detail": detail}, status_code=status, headers=guard.HEADERS)
    title = "errors.not_found" if isinstance(error, RecordNotFoundError) else "errors.title"
    values = {
        **_frame(site),
        **dict.fromkeys(("place", "command", "json_address", "notice"), ""),
        "title": say(title),
        "detail": detail,
        "back": "" if status in {401, 403} else f"{site.prefix}/",
    }
    text = _templates().get_template("error.html").render(values)
    return Response(text, status_code=status, media_type="text/html", headers=guard.HEADERS)


@cache
def _templates() -> Environment:
    """Return the templates, which escape all text from memory."""
    texts = {
        each.name: each.read_text(encoding="utf-8")
        for each in sorted((_HERE / "templates").iterdir())
    }
    templates = Environment(
        loader=DictLoader(texts),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    templates.filters |= {
        "editable": wording.editable,
        "shown": wording.shown,
        "visible": wording.visible,
    }
    templates.globals |= {
        "say": say,
        "count": wording.count,
        "spell": wording.spell,
        "action": lambda name: say_or(f"actions.{name}", name),
        "node": lambda name: say_or(f"nodes.{name}", name.replace("_", " ")),
        "signal": lambda name: say_or(f"signals.{name}", name.replace("_", " ")),
        "finding": MEANINGS.get,
        "kind_name": lambda name: say_or(f"kinds.{name}", name.replace("-", " ")),
        "fate": lambda name: FATES[name],
        "trust": trust,
        "capital": wording.capital,
    }
    return templates


_templates()
