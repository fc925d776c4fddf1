"""One user's part of a store: the tenant boundary, and the user's lock."""

import asyncio
import logging
import re
import unicodedata
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from uuid import uuid4
from weakref import WeakKeyDictionary, WeakValueDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore, PutOp

from memory_graph.context import Context, misspelt_user, read_context
from memory_graph.embedding import embedder_for
from memory_graph.episodes.store import EPISODES, Episodes
from memory_graph.errors import (
    EmbedderUnavailableError,
    MemoryOffError,
    NoUserError,
    StoreUnavailableError,
)
from memory_graph.facts.store import ARCHIVED_FACTS, FACTS, Facts
from memory_graph.instructions.store import INSTRUCTIONS, Instructions
from memory_graph.keys import stable_id
from memory_graph.patterns.store import PATTERNS, Patterns
from memory_graph.policies import RankingWeights
from memory_graph.records import (
    Action,
    Change,
    Episode,
    Fact,
    Instruction,
    LedgerEntry,
    MemoryDecision,
    MemoryKind,
    Pattern,
    Receipt,
    storable_id,
)
from memory_graph.settings import Settings, get_settings
from memory_graph.store.collection import RecordCollection, Scope
from memory_graph.store.configured import adopt_scale
from memory_graph.store.gateway import Gateway, open_gateway
from memory_graph.store.index_cache import shared_indexes
from memory_graph.store.ledger import AccessCounts, Ledger, ThreadLog
from memory_graph.store.revision import Marks, erasure_guard, needs_new_epoch, new_epoch
from memory_graph.store.values import Query
from memory_graph.turns.store import TURNS, Turns

_Locks = WeakValueDictionary[tuple[str, ...], asyncio.Lock]

_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Locks] = WeakKeyDictionary()

_held: set[tuple[str, ...]] = set()
"""The locks that are held, on whichever event loop."""

_held_guard = Lock()

_RETRY_S = 0.005

_LONGEST_WAIT_S = 60.0

_LONGEST_REPLY_WAIT_S = 20.0
"""A reply waits no longer for its facts; the next turn makes up for them."""


@asynccontextmanager
async def user_lock(root: tuple[str, ...]) -> AsyncIterator[None]:
    """Let one run of a user at a time decide what it writes. Holds within this process."""
    locks = _by_loop.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
    lock = locks.setdefault(root, asyncio.Lock())
    async with lock:
        while not _take(root):  # noqa: ASYNC110 — an event belongs to one loop only
            await asyncio.sleep(_RETRY_S)
        try:
            yield
        finally:
            _held.discard(root)


def _take(root: tuple[str, ...]) -> bool:
    with _held_guard:
        if root in _held:
            return False
        _held.add(root)
        return True


@asynccontextmanager
async def user_lock_across_processes(scope: Scope) -> AsyncIterator[None]:
    """Let no other run of this user decide on episodes until the block is left.

    Facts have a lock of their own: the reply waits for them, and not for an episode.

    Holds across processes where `locks_other_processes` says so, else within this one.

    Raises:
        StoreUnavailableError: If another run holds the lock for too long.
    """
    async with user_lock((*scope.root, "captures")), _held_by_others(scope, scope.root):
        yield


@asynccontextmanager
async def facts_lock(scope: Scope) -> AsyncIterator[None]:
    """Let no other run of this user decide on facts until the block is left.

    A statement is added to a fact as it was read: two that read the same would lose one.

    Raises:
        StoreUnavailableError: If another run holds the lock for too long.
    """
    name = (*scope.root, "facts")
    async with user_lock(name), _held_by_others(scope, name, longest_s=_LONGEST_REPLY_WAIT_S):
        yield


@asynccontextmanager
async def _held_by_others(
    scope: Scope, name: tuple[str, ...], longest_s: float = _LONGEST_WAIT_S
) -> AsyncIterator[None]:
    gateway = scope.gateway
    across_processes = gateway.backend.lock(gateway.store, _number_of(name))
    try:
        async with asyncio.timeout(longest_s):
            await across_processes.__aenter__()
    except TimeoutError as error:
        raise StoreUnavailableError(
            f"Another run of this user has held its lock for {longest_s:g} s."
        ) from error
    scope.marks.forget()
    try:
        yield
    finally:
        await across_processes.__aexit__(None, None, None)


def locks_other_processes(gateway: Gateway) -> bool:
    """Say whether `user_lock_across_processes` excludes everybody who can write to the store.

    Where it does not, a limit has to be checked once more after the write.
    """
    return gateway.backend.locks_other_processes(gateway.store)


def _number_of(root: tuple[str, ...]) -> int:
    """Return a user's number for locks: 64 bits, signed, as Postgres wants it."""
    digest = sha256("\x00".join(root).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


Memory: TypeAlias = Fact | Episode | Pattern
"""Anything a person can look up, change, move and forget."""

KINDS: dict[MemoryKind, type[Memory]] = {"fact": Fact, "episode": Episode, "pattern": Pattern}


def kind_of(record: Memory | Instruction) -> MemoryKind:
    """Return what a memory is called."""
    if isinstance(record, Instruction):
        return "instruction"
    return next(kind for kind, record_type in KINDS.items() if isinstance(record, record_type))


def decision_for(
    action: Action,
    reason: str,
    *,
    before: Memory | Instruction | None,
    after: Memory | Instruction | None,
) -> MemoryDecision:
    """Return a change from one record to the next as a decision that can be undone."""
    touched = after or before
    assert touched is not None
    return MemoryDecision(
        kind=kind_of(touched),
        action=action,
        reason=reason,
        memory_id=touched.id,
        before=before.model_dump(mode="json") if before else None,
        after=after.model_dump(mode="json") if after else None,
    )


if TYPE_CHECKING:
    from langgraph.runtime import ServerInfo

logger = logging.getLogger(__name__)

_PLAIN = re.compile(r"[A-Za-z0-9@+-]")

_MAX_LABEL = 120


@lru_cache(maxsize=4096)
def user_label(user_id: str) -> str:
    """Return `user_id` as a namespace label; different users never share one.

    Stores refuse dots and treat `%` and `_` as wildcards in old versions, so everything
    but plain characters is written as `=XX`, its UTF-8 bytes in hexadecimal. A label that
    would grow too long ends in a hash instead.
    """
    normal = unicodedata.normalize("NFC", user_id)
    label = "".join(c if _PLAIN.fullmatch(c) else _escaped(c) for c in normal)
    if len(label) <= _MAX_LABEL:
        return label
    return f"{label[:48]}~{sha256(normal.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _escaped(character: str) -> str:
    return "".join(f"={byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


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
    def server_info(self) -> "ServerInfo | None":
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
    instructions: Instructions
    patterns: Patterns
    turns: Turns
    ledger: Ledger
    captures: Ledger
    """What capture decided of late, in brief: it tells the pace, and what waits."""

    access: AccessCounts
    threads: ThreadLog

    @property
    def _kinds(self) -> tuple[RecordCollection[Any], ...]:
        return (self.facts, self.episodes, self.instructions, self.patterns, self.turns)

    async def query(
        self,
        text: str,
        now: datetime,
        weights: RankingWeights | None = None,
        *,
        asks: bool = False,
    ) -> Query:
        """Return a search for `text`; by words alone while the embedder is down.

        With the embedder `use`, a question (`asks`) is searched by the meaning of its answers.
        """
        weights = weights or self.scope.weights
        await adopt_scale(self.scope.gateway, self.scope.embedder)
        try:
            [vector] = await self.scope.embedder.embed([text])
        except EmbedderUnavailableError as error:
            logger.warning("Searching by words: %s", error)
            return Query(text=text, now=now.timestamp(), weights=weights)
        if asks and self.scope.embedder.name == "use":
            from memory_graph.language.heads import towards_answers  # noqa: PLC0415 — numpy

            vector = towards_answers(vector)
        return Query(text=text, vector=vector, now=now.timestamp(), weights=weights, asks=asks)

    async def apply(
        self,
        node: str,
        decisions: Sequence[MemoryDecision],
        puts: Sequence[PutOp],
        *,
        at: datetime,
        receipts: Sequence[Receipt] = (),
    ) -> LedgerEntry:
        """Write `puts` together with the ledger entries that explain them, all or nothing.

        One entry per receipt; without any, the entry gets an id of its own.

        Raises:
            ForgottenMeanwhileError: If everything was forgotten since the turn began.
        """
        entries = [
            LedgerEntry(
                id=receipt.id,
                at=at,
                node=node,
                source=receipt.source,
                decisions=tuple(decisions),
                digest=receipt.digest,
                recall=receipt.recall,
            )
            for receipt in receipts or (Receipt(f"{uuid4().hex}-{node}"),)
        ]
        explained = [put for entry in entries for put in await self.ledger.keep(entry)]
        await self.commit([*puts, *explained])
        return entries[-1]

    async def commit(self, puts: Sequence[PutOp]) -> None:
        """Apply writes together and tell other processes which indexes they outdate.

        Raises:
            ForgottenMeanwhileError: If everything was forgotten since the turn began.
        """
        began = self.scope.marks.began
        guard = None if began is None else erasure_guard(self.scope.root, began)
        scope, kinds = self.scope, self._kinds
        indexed = {kind.namespace for kind in kinds}
        changed = [put for put in puts if put.namespace in indexed]
        if not changed:
            await scope.gateway.write(puts, guard)
        elif needs_new_epoch(changed, scope.marks.last and scope.marks.last.version):
            scope.indexes.writers.renew(scope.gateway.store, scope.root)
            renewed = await new_epoch(scope.gateway, scope.root)
            await scope.gateway.write([*puts, *renewed], guard)
        else:
            # Of two writes of this process the later one must come second, or it is not heard of.
            async with user_lock((*scope.root, "commits")):
                writer = scope.writer()
                await scope.gateway.write([*puts, *writer.announce(changed)], guard)
                for kind in kinds:
                    kind.follow(changed, writer)
        scope.marks.forget()


def receipt_of(change: Change) -> Receipt:
    """Return the receipt of a change made outside a conversation; the same for a retry."""
    return Receipt(f"{stable_id(change.id, change.by)}-{change.by}", change.source)


def open_memory(run: Run, config: RunnableConfig | None = None) -> UserMemory:
    """Return the memory of the user this run is for.

    Raises:
        MemoryOffError: If the graph was compiled without a store, or the run wants no memory.
        NoUserError: If nobody is known whose memory it would be.
    """
    context = run_context(run, config)
    if not context.memory:
        raise MemoryOffError("Memory is off: the run has `memory=False`.", "switched_off")
    if run.store is None:
        raise MemoryOffError(
            "Memory is off: the graph has no store. Compile it with one: "
            "`builder.compile(store=...)`, or `create_agent(..., store=...)`.",
            "no_store",
        )
    try:
        owner = resolve_owner(run.server_info, context, get_settings())
    except NoUserError as error:
        raise NoUserError(f"{error}{_spelling(run, config, context)}") from error
    thread_id = ((config or {}).get("configurable") or {}).get("thread_id")
    from memory_graph import telemetry  # noqa: PLC0415 — brings the graph, which commands need not

    telemetry.begin(user_label(owner.user_id), str(thread_id) if thread_id else None)
    return memory_under(user_label(owner.user_id), run.store, owner, Marks(keeps=True))


def _spelling(run: Run, config: RunnableConfig | None, context: Context) -> str:
    """Ask whether another key was meant to name the user, if one looks like it."""
    key = misspelt_user(run.context, (config or {}).get("configurable"))
    return f" The run has `{key}`: did you mean `user_id`?" if key and not context.user_id else ""


def run_context(run: Run, config: RunnableConfig | None = None) -> Context:
    """Return the context of a run, whichever graph it belongs to; a step reads it once."""
    configurable = (config or {}).get("configurable")
    given, among, known = _context.get()
    if known is None or given is not run.context or among is not configurable:
        known = read_context(run.context, configurable)
        _context.set((run.context, configurable, known))
    return known


_context: ContextVar[tuple[object, object, Context | None]] = ContextVar(
    "memory_graph_context", default=(None, None, None)
)


def memory_of(owner: Owner, store: BaseStore) -> UserMemory:
    """Return one user's memory in a store."""
    return memory_under(user_label(owner.user_id), store, owner)


_PAGE = 1000


async def labels_of(gateway: Gateway) -> list[str]:
    """Return the labels of everybody who has memories, sorted."""
    labels: set[str] = set()
    offset = 0
    while page := await gateway.namespaces((ROOT,), depth=2, limit=_PAGE, offset=offset):
        labels |= {namespace[1] for namespace in page if len(namespace) > 1}
        offset += _PAGE
    return sorted(labels)


def memory_under(
    label: str, store: BaseStore, owner: Owner | None = None, marks: Marks | None = None
) -> UserMemory:
    """Return the memory under a label; long ids cannot be read back from theirs."""
    settings = get_settings()
    owner = owner or Owner(label)
    embedder = embedder_for(store, settings)
    scope = Scope(
        gateway=open_gateway(store, settings),
        root=(ROOT, label),
        embedder=embedder,
        indexes=shared_indexes(settings.limits.index_max_items, embedder.name),
        weights=settings.recall.weights,
        largest=settings.limits.index_max_namespace,
        marks=marks or Marks(),
    )
    return UserMemory(
        owner=owner,
        scope=scope,
        facts=Facts(scope, FACTS),
        archive=Facts(scope, ARCHIVED_FACTS),
        episodes=Episodes(scope, EPISODES),
        instructions=Instructions(scope, INSTRUCTIONS),
        patterns=Patterns(scope, PATTERNS),
        turns=Turns(scope, TURNS),
        ledger=Ledger(scope.gateway, (*scope.root, "ledger"), settings.limits.ledger_max),
        captures=Ledger(scope.gateway, (*scope.root, "captures"), settings.limits.ledger_max),
        access=AccessCounts(scope.gateway, (*scope.root, "access")),
        threads=ThreadLog(scope.gateway, (*scope.root, "threads")),
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
