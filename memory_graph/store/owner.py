"""Whose memory a run may use."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from unicodedata import is_normalized

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from memory_graph.context import Context, read_context, tightened
from memory_graph.errors import NoUserError
from memory_graph.records import storable_id
from memory_graph.settings import Settings, get_settings

if TYPE_CHECKING:
    from langgraph.runtime import ServerInfo


class Run(Protocol):
    """What LangGraph's `Runtime` (nodes) and `ToolRuntime` (tools) have in common."""

    @property
    def context(self) -> object:
        """What the run was given; ours, somebody else's, or `None`."""
        ...

    @property
    def store(self) -> BaseStore | None:
        """Where memory is kept, if the graph was given a store."""
        ...

    @property
    def server_info(self) -> "ServerInfo | None":
        """Who is signed in, when LangGraph Server runs the graph."""
        ...


@dataclass(frozen=True)
class Owner:
    """Whose memory it is, and who asked for it if that is somebody else.

    Raises:
        NoUserError: If the id is not in normal form, in which those that look alike are one.
    """

    user_id: str
    acting: str | None = None

    def __post_init__(self) -> None:
        if not is_normalized("NFC", self.user_id):
            raise NoUserError(
                "Memory is off: the user's id is not in Unicode's normal form NFC, so that it "
                'looks like another one. Pass `unicodedata.normalize("NFC", user_id)`: what was '
                "kept for such an id is found under that."
            )


def run_context(run: Run, config: RunnableConfig | None = None) -> Context:
    """Return the context of a run, whichever graph it belongs to; a step reads it once."""
    configurable = (config or {}).get("configurable")
    given, among, known = _context.get()
    if known is None or given is not run.context or among is not configurable:
        known = read_context(run.context, configurable)
        if run.server_info is not None:  # a client sent it
            kept = tightened(known.policies, get_settings().client_policies)
            known = known.model_copy(update={"policies": kept})
        _context.set((run.context, configurable, known))
    return known


_context: ContextVar[tuple[object, object, Context | None]] = ContextVar(
    "memory_graph_context", default=(None, None, None)
)


def resolve_owner(server: "ServerInfo | None", context: Context, settings: Settings) -> Owner:
    """Decide whose memory a run may use; never a shared default.

    A signed-in user is believed before anything a client sent. Auth handlers do not see
    store calls inside a graph, so nothing else keeps one user out of another's memory.

    Raises:
        NoUserError: If nobody is known.
    """
    identity = _signed_in(server)
    named = context.user_id
    if identity:
        assert server is not None
        if named and named != identity and _may_act_as(server, settings.act_as_permission):
            return Owner(named, acting=identity)
        return Owner(identity)
    if named and (server is None or settings.trusts_client_user_id):
        return Owner(named)
    if not named and settings.user:
        return Owner(settings.user)
    if named:
        raise NoUserError(
            "Memory is off: this server has no auth, so nobody vouches for the `user_id` it was "
            'sent. Add auth to langgraph.json ("auth": {"path": "..."}), or set '
            "MEMORY_GRAPH_TRUST_CLIENT_USER_ID=true where only trusted clients can reach it."
        )
    raise NoUserError(
        "Memory is off: this run names no user. Name one: "
        '`config={"configurable": {"user_id": "ana"}}`, or `context={"user_id": "ana"}`; '
        "where one person uses the server, set MEMORY_GRAPH_USER=ana."
    )


def _signed_in(server: "ServerInfo | None") -> str | None:
    """Return who is signed in.

    Raises:
        NoUserError: If that is no text, since nobody could tell whose memory it means.
    """
    identity: object = server.user.identity if server and server.user else None
    if identity is not None and not isinstance(identity, str):
        raise NoUserError("The signed-in user's identity is no text.")
    return storable_id(identity) if identity else None


def _may_act_as(server: "ServerInfo", permission: str) -> bool:
    granted = getattr(server.user, "permissions", None) or ()
    return permission in granted
