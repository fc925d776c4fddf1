"""Refuse requests under a name that another site may have pointed to this machine."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from memory_graph.settings import Settings, get_settings

_OURS = ("localhost", "local", "internal")
"""Names that end like that lead to no machine of a stranger."""

_ADVICE = (
    "This server believes its clients, so it answers under local names and addresses only: a "
    "page on the web could point its own name here. Behind a gateway that sets the user, set "
    "MEMORY_GRAPH_TRUST_CLIENT_USER_ID=true."
)


class HostGuard:
    """Checks the host of each request of a server that believes whoever reaches it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 to a request under a name of the web."""
        if scope["type"] == "http" and believes_all(get_settings()):
            hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if not all(map(is_local, hosts)):
                await JSONResponse({"detail": _ADVICE}, status_code=403)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def believes_all(settings: Settings) -> bool:
    """Say whether clients are trusted because nobody else is expected to reach the server."""
    if settings.trust_client_user_id is not None:
        return False  # said by the operator
    return settings.trusts_client_user_id or settings.user is not None


def is_local(host: str) -> bool:
    """Say whether a host is an address, or a name that nobody on the web can have."""
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    try:
        return bool(ip_address(name))
    except ValueError:
        return bool(name) and ("." not in name or name.rpartition(".")[2] in _OURS)
