"""From a LangGraph run to one user's memory. This is the tenant boundary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import ServerInfo
from langgraph.store.base import BaseStore, PutOp

from memory_graph.context import Context, read_context
from memory_graph.embeddings import configured_embedder
from memory_graph.errors import ConfigurationError, NoUserError
from memory_graph.settings import Settings, get_settings
from memory_graph.storage.access import AccessCounts
from memory_graph.storage.collection import Scope
from memory_graph.storage.episodes import EPISODES, Episodes
from memory_graph.storage.facts import ARCHIVED_FACTS, FACTS, Facts
from memory_graph.storage.freshness import revision_puts, shared_indexes
from memory_graph.storage.gateway import open_gateway
from memory_graph.storage.labels import user_label
from memory_graph.storage.ledger import Ledger
from memory_graph.storage.patterns import PATTERNS, Patterns
from memory_graph.storage.turns import TURNS, Turns

ROOT = "memories"


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
    def server_info(self) -> ServerInfo | None:
        """Who is signed in, when LangGraph Server runs the graph."""
        ...


@dataclass(frozen=True)
class Owner:
    """Whose memory it is, and who asked for it if that is somebody else."""

    user_id: str
    acting: str | None = None


@dataclass(frozen=True)
class UserMemory:
    """Everything remembered about one user."""

    owner: Owner
    scope: Scope
    facts: Facts
    archive: Facts
    """Facts that had to make room; not searched, restored by undo or by being told again."""

    episodes: Episodes
    patterns: Patterns
    turns: Turns
    ledger: Ledger
    access: AccessCounts

    async def commit(self, puts: Sequence[PutOp]) -> None:
        """Apply writes together and tell other processes which indexes they outdate."""
        kinds = (self.facts, self.episodes, self.patterns, self.turns)
        indexed = {kind.namespace for kind in kinds}
        changed = [put for put in puts if put.namespace in indexed]
        await self.scope.gateway.write([*puts, *revision_puts(changed)])


def open_memory(run: Run, config: RunnableConfig | None = None) -> UserMemory:
    """Return the memory of the user this run is for.

    Raises:
        ConfigurationError: If the graph was compiled without a store.
        NoUserError: If nobody is known whose memory it would be.
    """
    if run.store is None:
        raise ConfigurationError(
            "Memory needs a store. Compile the graph with one: `builder.compile(store=...)`."
        )
    context = run_context(run, config)
    owner = resolve_owner(run.server_info, context, get_settings())
    return memory_of(owner, run.store)


def run_context(run: Run, config: RunnableConfig | None = None) -> Context:
    """Return the context of a run, whichever graph it belongs to."""
    return read_context(run.context, (config or {}).get("configurable"))


def memory_of(owner: Owner, store: BaseStore) -> UserMemory:
    """Return one user's memory in a store."""
    settings = get_settings()
    scope = Scope(
        gateway=open_gateway(store, settings),
        root=(ROOT, user_label(owner.user_id)),
        embedder=configured_embedder(settings),
        indexes=shared_indexes(settings.index_max_items),
        weights=settings.recall.weights,
        largest=settings.index_max_namespace,
    )
    return UserMemory(
        owner=owner,
        scope=scope,
        facts=Facts(scope, FACTS),
        archive=Facts(scope, ARCHIVED_FACTS),
        episodes=Episodes(scope, EPISODES),
        patterns=Patterns(scope, PATTERNS),
        turns=Turns(scope, TURNS),
        ledger=Ledger(scope.gateway, (*scope.root, "ledger"), settings.ledger_max),
        access=AccessCounts(scope.gateway, (*scope.root, "access")),
    )


def resolve_owner(server: ServerInfo | None, context: Context, settings: Settings) -> Owner:
    """Decide whose memory a run may use; never a shared default.

    A signed-in user is believed before anything a client sent. Auth handlers do not see
    store calls inside a graph, so nothing else keeps one user out of another's memory.

    Raises:
        NoUserError: If nobody is known.
    """
    identity = server.user.identity if server and server.user else None
    named = context.user_id
    if identity:
        assert server is not None
        if named and named != identity and _may_act_as(server, settings.act_as_permission):
            return Owner(named, acting=identity)
        return Owner(identity)
    if named and (server is None or settings.trusts_client_user_id):
        return Owner(named)
    raise NoUserError(
        "Nobody is known whose memory this would be: pass `context=Context(user_id=...)`, "
        "or sign the user in on the server."
    )


def _may_act_as(server: ServerInfo, permission: str) -> bool:
    granted = getattr(server.user, "permissions", None) or ()
    return permission in granted
