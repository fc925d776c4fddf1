"""Who may open the inspector, and which requests may change something."""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_urlsafe
from typing import Protocol
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from memory_graph.errors import MemoryGraphError
from memory_graph.server.operations import owner_of
from memory_graph.store.owner import Owner

_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # `no-referrer` would make browsers send `Origin: null` with our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Headers of every answer: only our files run, and no page is cached or framed."""


LONGEST_FORM = 64_000
"""Bytes of a form; a memory is far shorter."""


_SECRET = re.compile(r"[\w-]{20,}")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class RefusedRequestError(MemoryGraphError):
    """A request that may not be answered."""


@dataclass(frozen=True)
class Visitor:
    """Whose memory is shown, and the secret in the visitor's cookie."""

    owner: Owner
    secret: str = field(repr=False)

    @property
    def form_token(self) -> str:
        """The token in every form; another site can neither read nor guess it."""
        key, message = self.secret.encode(), self.owner.user_id.encode("utf-8", "surrogatepass")
        return hmac.new(key, message, sha256).hexdigest()


class Door(Protocol):
    """Decides whose memory a request may see."""

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the visitor's secret."""
        ...

    def enter(self, request: Request) -> Visitor:
        """Return who is visiting.

        Raises:
            RefusedRequestError: If the request may not be answered.
            NoUserError: If nobody is known.
        """
        ...


@dataclass(frozen=True)
class ServerDoor:
    """The door of a server: the signed-in user, by the same rule as for runs."""

    cookie: str = "memory_ui"

    def enter(self, request: Request) -> Visitor:
        """Return the signed-in user, with the secret that their browser holds or gets now."""
        held = request.cookies.get(self.cookie, "")
        return Visitor(owner_of(request), held if _SECRET.fullmatch(held) else token_urlsafe(24))


@dataclass
class LocalDoor:
    """The door on one's own machine: a one-time address opens it for one browser."""

    owner: Owner
    cookie: str = "memory_graph"
    session: str = field(default_factory=lambda: token_urlsafe(24), repr=False)
    token: str | None = field(default_factory=lambda: token_urlsafe(24), repr=False)
    """The token in the address; it is deleted after its use."""

    def enter(self, request: Request) -> Visitor:
        """Accept only the browser that opened the one-time address, under a local host name."""
        _check_loopback(request)
        held = request.cookies.get(self.cookie, "")
        if not hmac.compare_digest(held.encode(), self.session.encode()):
            raise RefusedRequestError("locked")
        return Visitor(self.owner, self.session)

    def unlock(self, request: Request) -> Response:
        """Give the session to the first browser that sends the token, and delete the token."""
        _check_loopback(request)
        given = request.query_params.get("token", "")
        if self.token is None or not hmac.compare_digest(given.encode(), self.token.encode()):
            raise RefusedRequestError("locked")
        self.token = None
        response = RedirectResponse("/", status_code=303)
        keep_secret(response, self.cookie, self.session, path="/")
        return response


def _check_loopback(request: Request) -> None:
    """Refuse other host names: another site may have pointed one of its names here."""
    host = request.headers.get("host", "")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name not in _LOOPBACK:
        raise RefusedRequestError("not_local")


def keep_secret(
    response: Response, cookie: str, secret: str, *, path: str, is_secure: bool = False
) -> None:
    """Set a visitor's cookie; no script reads it and no other site sends it."""
    response.set_cookie(
        cookie, secret, path=path, httponly=True, samesite="strict", secure=is_secure
    )


async def read_form(request: Request, visitor: Visitor) -> Mapping[str, str]:
    """Return the fields of a form that one of our pages sent.

    Raises:
        RefusedRequestError: If another site sent it, its token is wrong, or it is too large.
    """
    if not _is_same_origin(request):
        raise RefusedRequestError("other_site")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            raise RefusedRequestError("too_large")
    text = body.decode("utf-8", "replace")
    fields = {name: values[-1] for name, values in parse_qs(text, keep_blank_values=True).items()}
    given = fields.get("token", "")
    if not hmac.compare_digest(given.encode(), visitor.form_token.encode()):
        raise RefusedRequestError("stale_form")
    return fields


def _is_same_origin(request: Request) -> bool:
    """Say whether a page of ours sent a request, by what the browser reports."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == request.headers.get("host")
