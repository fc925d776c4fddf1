"""Finds whose memory a request to our routes may touch."""

from langgraph.runtime import ServerInfo
from starlette.requests import Request

from memory_graph.context import Context
from memory_graph.settings import get_settings
from memory_graph.store.scope import Owner, resolve_owner


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
