"""One user's memory in a store: the tenant boundary."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore, PutOp

from memory_graph import telemetry
from memory_graph.context import Context, misspelt_user
from memory_graph.embedding import embedder_for
from memory_graph.episodes.store import EPISODES, Episodes
from memory_graph.errors import EmbedderUnavailableError, MemoryOffError, NoUserError
from memory_graph.facts.store import ARCHIVED_FACTS, FACTS, Facts
from memory_graph.instructions.store import INSTRUCTIONS, Instructions
from memory_graph.language.heads import towards_answers
from memory_graph.patterns.store import PATTERNS, Patterns
from memory_graph.policies import RankingWeights
from memory_graph.records import LedgerEntry, MemoryDecision, Receipt
from memory_graph.settings import get_settings
from memory_graph.store.collection import Scope
from memory_graph.store.configured import adopt_scale
from memory_graph.store.gateway import open_gateway
from memory_graph.store.index_cache import shared_indexes
from memory_graph.store.labels import ROOT, user_label
from memory_graph.store.ledger import AccessCounts, Ledger
from memory_graph.store.locks import user_lock
from memory_graph.store.owner import Owner, Run, resolve_owner, run_context
from memory_graph.store.revision import Marks, erasure_guard, needs_new_epoch, new_epoch
from memory_graph.store.values import Query
from memory_graph.turns.store import TURNS, Turns

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class UserMemory:
    """Everything remembered about one user."""

    owner: Owner
    scope: Scope
    facts: Facts
    archive: Facts
    """Facts that never held or once had to make room; not searched, back when they are told."""

    episodes: Episodes
    instructions: Instructions
    patterns: Patterns
    turns: Turns
    ledger: Ledger
    access: AccessCounts

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
        scope = self.scope
        kinds = (self.facts, self.episodes, self.instructions, self.patterns, self.turns)
        indexed = {kind.namespace for kind in kinds}
        changed = [put for put in puts if put.namespace in indexed]
        if not changed:
            await scope.gateway.write(puts, guard)
        elif needs_new_epoch(changed, scope.marks.last and scope.marks.last.version):
            scope.writer(anew=True)
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
        raise NoUserError(f"{_spelling(run, config, context)}{error}") from error
    thread_id = ((config or {}).get("configurable") or {}).get("thread_id")

    telemetry.begin(user_label(owner.user_id), str(thread_id) if thread_id else None)
    return memory_under(user_label(owner.user_id), run.store, owner, Marks(keeps=True))


def _spelling(run: Run, config: RunnableConfig | None, context: Context) -> str:
    """Ask whether another key was meant to name the user, if one looks like it."""
    key = misspelt_user(run.context, (config or {}).get("configurable"))
    return f"The run has `{key}`: did you mean `user_id`? " if key and not context.user_id else ""


def memory_of(owner: Owner, store: BaseStore) -> UserMemory:
    """Return one user's memory in a store."""
    return memory_under(user_label(owner.user_id), store, owner)


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
        access=AccessCounts(scope.gateway, (*scope.root, "access")),
    )
