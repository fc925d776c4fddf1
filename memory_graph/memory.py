"""One person's memory outside a graph: added to, searched, recalled from, corrected, forgotten."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, Self, TypeAlias, TypeVar
from uuid import uuid4
from zoneinfo import ZoneInfo

from langgraph.store.base import BaseStore
from pydantic import SecretStr, ValidationError

from memory_graph import background, clock
from memory_graph.context import Context
from memory_graph.curation.forget import (
    BEYOND_REACH,
    Forgotten,
    count_items,
    forget,
    forget_everything,
)
from memory_graph.curation.lookup import (
    SHORT_ID,
    count_memories,
    entries_about,
    find_entry,
    find_episode,
    find_fact,
    find_memory,
    find_remembered,
    pin,
)
from memory_graph.curation.reports import TurnReport, report_turns
from memory_graph.curation.undo import Origin, RolledBack, Undone, roll_back, undo
from memory_graph.curation.validate import ValidationReport, validate_memory
from memory_graph.embedding import configured_embedder
from memory_graph.episodes.search import EpisodeQuery, find_episodes, replay
from memory_graph.errors import NoUserError, RefusedError
from memory_graph.facts.admission import REFUSALS
from memory_graph.facts.timeline import versions_of
from memory_graph.patterns.writing import confirm_pattern, reject_pattern
from memory_graph.records import (
    Change,
    Considered,
    Episode,
    Fact,
    FactCategory,
    FactVersion,
    LedgerEntry,
    MemoryDecision,
    Pattern,
    PatternStatus,
)
from memory_graph.settings import get_settings
from memory_graph.store.collection import Found
from memory_graph.store.configured import open_configured_store
from memory_graph.store.gateway import check_synchronous_use
from memory_graph.store.scope import Memory as Remembered
from memory_graph.store.scope import Owner, UserMemory, memory_of
from memory_graph.transfer.jsonl import Imported, Moved, everything, export_lines, import_lines

if TYPE_CHECKING:  # what only some methods need is imported when they are called
    from langchain_core.messages import MessageLikeRepresentation

    from memory_graph.curation.audit import AuditReport, Fix
    from memory_graph.llm.models import ModelLike
    from memory_graph.recall.block import Recollection
    from memory_graph.transfer.incoming import Incoming

UserId = str | int
Spoken: TypeAlias = "str | Sequence[MessageLikeRepresentation]"
"""What somebody said: one message of theirs, or the messages of a conversation."""

P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[Concatenate["Memory", P], Coroutine[object, object, R]]


def _where_the_store_is(method: "Method[P, R]") -> "Method[P, R]":
    """Let a coroutine run on the event loop on which its store answers."""

    @wraps(method)
    async def placed(self: "Memory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._place.run(lambda: method(self, *args, **kwargs))

    return placed


def _blocking(method: "Method[P, R]") -> Callable[Concatenate["Memory", P], R]:
    """Return a coroutine as a function for code that does not await."""

    @wraps(method)
    def waiting(self: "Memory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        self._place.check_blocking()
        return background.run_sync(lambda: method(self, *args, **kwargs))

    waiting.__name__ = waiting.__name__.removeprefix("a")
    return waiting


class _Place:
    """A store that was given: asynchronous calls stay on the caller's event loop."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    @property
    def store(self) -> BaseStore:
        return self._store

    def check_blocking(self) -> None:
        check_synchronous_use(self._store)

    async def run(self, start: Callable[[], Coroutine[object, object, R]]) -> R:
        return await start()

    async def close(self) -> None:
        """Leave the store open: it belongs to whoever gave it."""


class _OwnPlace(_Place):
    """The store that settings name, opened on first use on an event loop of its own."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._opened: BaseStore | None = None
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()

    @property
    def store(self) -> BaseStore:
        assert self._opened is not None
        return self._opened

    def check_blocking(self) -> None:
        """Any code may wait: the store's loop is its own."""

    async def run(self, start: Callable[[], Coroutine[object, object, R]]) -> R:
        async def opened() -> R:
            async with self._opening:
                if self._opened is None:
                    self._opened = await self._open()
            return await start()

        return await background.run_beside(opened)

    async def _open(self) -> BaseStore:
        settings = get_settings()
        if self._address is not None:
            settings = settings.model_copy(update={"store": SecretStr(self._address)})
        opening = open_configured_store(settings, configured_embedder(settings))
        return (await self._stack.enter_async_context(opening)).store

    async def close(self) -> None:
        async def closed() -> None:
            async with self._opening:
                self._opened = None
                await background.drain()
                await self._stack.aclose()

        await background.run_beside(closed)


@dataclass(frozen=True, kw_only=True)
class Added:
    """What memory made of something that was said."""

    decisions: tuple[MemoryDecision, ...]
    """Everything that was decided, with reasons: kept, changed, skipped."""

    thread_id: str
    """Under which conversation it was filed."""

    @property
    def facts(self) -> list[Fact]:
        """The facts as they are now that were created or changed."""
        kept = [d.after for d in self.decisions if d.kind == "fact" and d.after]
        return list({fact.id: fact for fact in map(Fact.model_validate, kept)}.values())

    @property
    def episode_ids(self) -> list[str]:
        """The episodes that were written or merged into."""
        kept = (d for d in self.decisions if d.kind == "episode" and d.action != "skip")
        return list(dict.fromkeys(d.memory_id for d in kept if d.memory_id))


class Why(NamedTuple):
    """A memory, and every decision about it, oldest first."""

    memory_id: str
    entries: list[LedgerEntry]


@dataclass(frozen=True, kw_only=True)
class Erased:
    """The proof that everything about a user is gone."""

    forgotten: Mapping[str, int]
    """How many items there were, by kind."""

    left: Mapping[str, int]
    """What a second look still found; empty."""

    beyond_reach: tuple[str, ...] = BEYOND_REACH
    """Where the words may live on, because somebody else keeps them."""


class Memory:
    """The memory that graphs use, for code without a graph.

    Every method comes twice: `add` for code that waits, `aadd` for code that awaits. Both do
    what a run of the graph does: same admission, same capture, same ranking.

    with Memory.open(user_id="ana") as memory:
        memory.add("My cat Luna is 3.")
        print(memory.recall("How old is Luna?").block)
    """

    def __init__(
        self,
        store: BaseStore | str | None = None,
        *,
        user_id: UserId | None = None,
        context: Context | None = None,
        model: "ModelLike | None" = None,
        shortest_id: int = SHORT_ID,
    ) -> None:
        """Use a store of yours, which stays open, or the one that settings name.

        Args:
            store: A LangGraph store; or the address of one (`sqlite:FILE`, …), or nothing for
                the settings' own: then it is opened on first use, and `close` closes it.
            user_id: Whose memory it is; without one, each call says so.
            context: Time zone, project and policies, as a run would be given them.
            model: Chat model for facts and episodes, or its name; the one settings name if left
                out.
            shortest_id: How much of an id must be given at least, if it is not all of it.
        """
        self._place = _Place(store) if isinstance(store, BaseStore) else _OwnPlace(store)
        self._context = context or Context()
        self._user_id = _as_user(user_id) if user_id is not None else self._context.user_id
        self._model = model
        self._shortest = shortest_id

    @classmethod
    def open(
        cls,
        store: str | None = None,
        *,
        user_id: UserId | None = None,
        context: Context | None = None,
        model: "ModelLike | None" = None,
    ) -> "Memory":
        """Return memory in the store that settings name, or `store` does; use it in a `with`."""
        return cls(store, user_id=user_id, context=context, model=model)

    def of(self, user_id: UserId) -> "Memory":
        """Return the same memory for one user, and for nobody else."""
        bound = copy(self)
        vars(bound)["_user_id"] = _as_user(user_id)
        return bound

    def in_zone(self, time_zone: str) -> "Memory":
        """Return the same memory, read and told in another time zone.

        Raises:
            ValueError: If there is no such zone.
        """
        try:
            name = ZoneInfo(time_zone).key
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"There is no time zone {time_zone!r}.") from error
        moved = copy(self)
        vars(moved)["_context"] = self._context.model_copy(update={"time_zone": name})
        return moved

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the one who asks."""
        return self._context.zone

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the store, if it was opened here."""
        await self._place.close()

    close = _blocking(aclose)

    def _user(self, user_id: UserId | None) -> UserMemory:
        """Return the memory of the user that is meant.

        Raises:
            NoUserError: If nobody is, or somebody else than this memory is for.
        """
        named = _as_user(user_id) if user_id is not None else self._user_id
        if named is None:
            raise NoUserError("Whose memory? Pass `user_id=...`, here or to `Memory`.")
        if self._user_id not in {None, named}:
            raise NoUserError("This memory is one user's; open another one for somebody else.")
        return memory_of(Owner(named), self._place.store)

    # — adding —

    @_where_the_store_is
    async def aadd(
        self,
        said: Spoken,
        *,
        user_id: UserId | None = None,
        thread_id: str | None = None,
    ) -> Added:
        """Keep what is worth keeping of something said, as a run of the graph would.

        Messages with ids may be given again under the same thread: that changes nothing.

        Args:
            said: What the user said; or messages, as LangChain takes them, of which the user's
                make facts and whole exchanges make episodes.
            user_id: Whose memory it is.
            thread_id: The conversation it belongs to; one of its own if left out.

        Raises:
            StoreUnavailableError: If it could not be kept.
        """
        from memory_graph.nodes._playing import Play  # noqa: PLC0415 — brings the graph

        memory = self._user(user_id)
        thread_id = thread_id or uuid4().hex
        play = Play(self._place.store, self._context_of(memory), self._model)
        receipts = await play.whole(said, thread_id)
        entries = await memory.ledger.find(receipts)
        kept = [entries[each] for each in receipts if each in entries]
        decisions = tuple(decision for entry in kept for decision in entry.decisions)
        return Added(decisions=decisions, thread_id=thread_id)

    add = _blocking(aadd)

    @_where_the_store_is
    async def aadd_many(
        self, conversations: Iterable[Spoken], *, user_id: UserId | None = None
    ) -> list[Added]:
        """Keep several conversations, one after the other, each as a thread of its own."""
        return [await self.aadd(each, user_id=user_id) for each in conversations]

    add_many = _blocking(aadd_many)

    # — reading —

    @_where_the_store_is
    async def aget(self, memory_id: str, *, user_id: UserId | None = None) -> Remembered:
        """Return one fact, episode or pattern.

        Raises:
            RecordNotFoundError: If there is none.
            AmbiguousIdError: If several begin with what was given.
        """
        return await find_memory(self._user(user_id), memory_id, shortest=self._shortest)

    get = _blocking(aget)

    @_where_the_store_is
    async def aeverything(self, *, user_id: UserId | None = None) -> list[Moved]:
        """Return every fact, episode, pattern and turn, in this order; archived facts too."""
        return await everything(self._user(user_id))

    everything = _blocking(aeverything)

    @_where_the_store_is
    async def afacts(
        self,
        *,
        category: FactCategory | None = None,
        ended: bool = False,
        user_id: UserId | None = None,
    ) -> list[Fact]:
        """Return what is known now: pinned first, then the most important and newest.

        With `ended`, also what was known and is no longer true, last.
        """
        facts = self._user(user_id).facts
        known = await facts.current()
        if ended:
            past = [fact for fact in await facts.all() if fact.valid_to is not None]
            known += sorted(past, key=lambda fact: (fact.updated_at, fact.id), reverse=True)
        return [fact for fact in known if category in {None, fact.category}]

    facts = _blocking(afacts)

    @_where_the_store_is
    async def afact(self, memory_id: str, *, user_id: UserId | None = None) -> Fact:
        """Return one fact, true or no longer.

        Raises:
            RecordNotFoundError: If there is none.
        """
        return await find_fact(self._user(user_id), memory_id, shortest=self._shortest)

    fact = _blocking(afact)

    @_where_the_store_is
    async def aas_of(self, moment: date | datetime, *, user_id: UserId | None = None) -> list[Fact]:
        """Return what was true at a moment, or at the end of a day, each with its value then."""
        known = await self._user(user_id).facts.as_they_were(self._moment(moment))
        return sorted(known, key=lambda fact: (not fact.pinned, fact.id))

    as_of = _blocking(aas_of)

    @_where_the_store_is
    async def ahistory(self, memory_id: str, *, user_id: UserId | None = None) -> list[FactVersion]:
        """Return every value a fact had, oldest first, up to the one it has now."""
        return [*versions_of(await self.afact(memory_id, user_id=user_id))]

    history = _blocking(ahistory)

    @_where_the_store_is
    async def asearch(
        self, query: str, *, limit: int = 10, user_id: UserId | None = None
    ) -> list[Found[Fact] | Found[Episode]]:
        """Return the best facts and episodes for some words, each with the parts of its score."""
        from memory_graph.recall.search import search_everything  # noqa: PLC0415 — brings numpy

        return await search_everything(self._user(user_id), query, limit, clock.utc_now())

    search = _blocking(asearch)

    @_where_the_store_is
    async def arecall(
        self,
        text: str,
        *,
        explain: bool = False,
        is_first: bool = False,
        user_id: UserId | None = None,
    ) -> "Recollection":
        """Return what a model would be told for a message: the very block of a run.

        Args:
            text: The message.
            explain: Look further than a run does, so that `left_out` has more to tell.
            is_first: The message begins a thread, which may bring a briefing.
            user_id: Whose memory it is.
        """
        from memory_graph.nodes._playing import as_read  # noqa: PLC0415 — brings the graph
        from memory_graph.recall.block import recollect  # noqa: PLC0415
        from memory_graph.recall.explaining import explained  # noqa: PLC0415

        memory = self._user(user_id)
        context, now = self._context_of(memory), clock.utc_now()
        told = await recollect(memory, as_read(text, context), context, now, is_first=is_first)
        return await explained(memory, told, now) if explain else told

    recall = _blocking(arecall)

    @_where_the_store_is
    async def awhy(self, memory_id: str, *, user_id: UserId | None = None) -> Why:
        """Return a memory's full id and every decision about it, oldest first.

        It may be gone by now.
        """
        memory = self._user(user_id)
        return Why(*await entries_about(memory, memory_id, shortest=self._shortest))

    why = _blocking(awhy)

    @_where_the_store_is
    async def awhy_not(
        self, text: str, memory_id: str, *, user_id: UserId | None = None
    ) -> Considered:
        """Return what becomes of a memory when a message is recalled for, and why.

        Raises:
            RecordNotFoundError: If there is no such memory.
        """
        from memory_graph.recall.explaining import fate_of  # noqa: PLC0415 — brings numpy

        memory = self._user(user_id)
        record = await find_remembered(memory, memory_id, shortest=self._shortest)
        told = await self.arecall(text, user_id=user_id)
        return await fate_of(memory, record, told, clock.utc_now())

    why_not = _blocking(awhy_not)

    @_where_the_store_is
    async def aepisodes(
        self, query: EpisodeQuery | str = "", *, user_id: UserId | None = None
    ) -> list[Episode]:
        """Return episodes: the latest first, or those that fit a query, best first."""
        return [each.record for each in await self.afind_episodes(query, user_id=user_id)]

    episodes = _blocking(aepisodes)

    @_where_the_store_is
    async def afind_episodes(
        self, query: EpisodeQuery | str = "", *, user_id: UserId | None = None
    ) -> list[Found[Episode]]:
        """Return episodes as `episodes` does, each with the parts of its score."""
        if isinstance(query, str):
            query = EpisodeQuery(text=query, limit=_EVERY)
        now = clock.utc_now()
        memory, zone = self._user(user_id), self._context.zone
        return (await find_episodes(memory, query, now, zone, counts=False)).hits

    find_episodes = _blocking(afind_episodes)

    @_where_the_store_is
    async def aepisode(self, episode_id: str, *, user_id: UserId | None = None) -> Episode:
        """Return one episode.

        Raises:
            RecordNotFoundError: If there is none.
        """
        return await find_episode(self._user(user_id), episode_id, shortest=self._shortest)

    episode = _blocking(aepisode)

    @_where_the_store_is
    async def achain(self, episode_id: str, *, user_id: UserId | None = None) -> list[Episode]:
        """Return what led to an episode, oldest first, up to the episode itself."""
        memory = self._user(user_id)
        episode = await self.aepisode(episode_id, user_id=user_id)
        return await memory.episodes.chain(episode.id)

    chain = _blocking(achain)

    @_where_the_store_is
    async def areplay(
        self, topic: str, *, limit: int = 20, user_id: UserId | None = None
    ) -> list[Episode]:
        """Return the episodes about a topic in the order they happened."""
        query = EpisodeQuery(text=topic, limit=limit)
        found = await replay(self._user(user_id), query, clock.utc_now(), self._context.zone)
        return [each.record for each in found.hits]

    replay = _blocking(areplay)

    @_where_the_store_is
    async def apatterns(
        self, *, status: PatternStatus | None = None, user_id: UserId | None = None
    ) -> list[Pattern]:
        """Return what tends to work and what does not, by name."""
        known = await self._user(user_id).patterns.all()
        fitting = [each for each in known if status in {None, each.status}]
        return sorted(fitting, key=lambda each: each.name)

    patterns = _blocking(apatterns)

    @_where_the_store_is
    async def aturns(
        self, *, limit: int = 20, offset: int = 0, user_id: UserId | None = None
    ) -> list[TurnReport]:
        """Return the last turns, newest first: what was said, kept, refused and recalled."""
        return await report_turns(self._user(user_id), limit, offset)

    turns = _blocking(aturns)

    @_where_the_store_is
    async def adecisions(
        self, *, limit: int = 100, offset: int = 0, user_id: UserId | None = None
    ) -> list[LedgerEntry]:
        """Return what was decided about memory, newest first."""
        return (await self._user(user_id).ledger.recent())[offset : offset + limit]

    decisions = _blocking(adecisions)

    @_where_the_store_is
    async def astats(self, *, user_id: UserId | None = None) -> Mapping[str, object]:
        """Return counts; nothing in them says what is remembered."""
        return await count_memories(self._user(user_id))

    stats = _blocking(astats)

    @_where_the_store_is
    async def avalidate(self, *, user_id: UserId | None = None) -> ValidationReport:
        """Read every record and follow every link; changes nothing."""
        return await validate_memory(self._user(user_id))

    validate = _blocking(avalidate)

    @_where_the_store_is
    async def aaudit(
        self, incoming: "Incoming | None" = None, *, user_id: UserId | None = None
    ) -> "AuditReport":
        """Say what is of no use: copies, echoes, contradictions, secrets, what nobody recalls.

        Args:
            incoming: What another system's export holds, before it is imported; nothing for
                what is remembered here.
            user_id: Whose memory it is.
        """
        from memory_graph.curation.audit import Material, audit, audit_memory  # noqa: PLC0415
        from memory_graph.transfer.incoming import as_facts  # noqa: PLC0415
        from memory_graph.transfer.other_systems import ANOTHER_USER  # noqa: PLC0415

        settings, now = get_settings(), clock.utc_now()
        if incoming is None:
            return await audit_memory(self._user(user_id), settings, now)
        unusable = [each for each in incoming.unusable if each.reason != ANOTHER_USER]
        material = Material(
            facts=as_facts(incoming.statements),
            episodes=incoming.episodes,
            unreadable={each.where: each.reason for each in unusable},
        )
        return await audit(material, settings, now)

    audit = _blocking(aaudit)

    # — changing —

    @_where_the_store_is
    async def afix(
        self,
        report: "AuditReport | None" = None,
        *,
        apply: bool = False,
        user_id: UserId | None = None,
    ) -> "Fix":
        """Mend what an audit found, or only say how; all of it can be undone as one entry."""
        from memory_graph.curation.audit import fix  # noqa: PLC0415 — brings the models

        memory = self._user(user_id)
        report = report or await self.aaudit(user_id=user_id)
        return await fix(memory, report, clock.utc_now(), apply=apply)

    fix = _blocking(afix)

    @_where_the_store_is
    async def acorrect(
        self,
        memory_id: str,
        statement: str | None = None,
        *,
        value: str | None = None,
        user_id: UserId | None = None,
    ) -> Fact:
        """Give a fact a new statement or value; the old one stays in its history.

        Raises:
            RefusedError: If the statement holds a secret or gives an order.
            RecordNotFoundError: If there is no such fact.
            ValueError: If neither says what the fact is now.
        """
        from memory_graph.facts import writing  # noqa: PLC0415 — brings the models
        from memory_graph.nodes._playing import as_read  # noqa: PLC0415

        memory = self._user(user_id)
        fact = await find_fact(memory, memory_id, shortest=self._shortest)
        context = self._context_of(memory)
        statement = statement or (writing.restated(fact, value) if value else None)
        if not statement:
            raise ValueError("Say in one sentence how it is now.")
        said, change, policy = as_read(statement, context), _change("correct"), context.admission
        candidate = await writing.correction(fact, said, value, change.at, context.zone)
        fact, decided = await writing.correct_fact(memory, fact.id, candidate, change, policy)
        if not isinstance(decided, MemoryDecision):
            raise RefusedError(decided, REFUSALS[decided])
        return fact

    correct = _blocking(acorrect)

    @_where_the_store_is
    async def apin(
        self, memory_id: str, *, pinned: bool = True, user_id: UserId | None = None
    ) -> bool:
        """Keep a fact or an episode, and count it as relevant; or no longer.

        Returns:
            Whether that changed anything.

        Raises:
            ValueError: If it is a pattern.
        """
        record = await self.aget(memory_id, user_id=user_id)
        if isinstance(record, Pattern):
            raise ValueError("Facts and episodes can be pinned, patterns not.")
        memory = self._user(user_id)
        return await pin(memory, record, pinned=pinned, now=clock.utc_now())

    pin = _blocking(apin)

    @_where_the_store_is
    async def aforget(self, memory_id: str, *, user_id: UserId | None = None) -> Forgotten:
        """Delete a memory for good, with the words it came from and every decision about it."""
        memory = self._user(user_id)
        record = await find_memory(memory, memory_id, shortest=self._shortest)
        return await forget(memory, record, clock.utc_now())

    forget = _blocking(aforget)

    @_where_the_store_is
    async def aforget_many(
        self, memory_ids: Iterable[str], *, user_id: UserId | None = None
    ) -> list[Forgotten]:
        """Delete several memories for good."""
        return [await self.aforget(each, user_id=user_id) for each in memory_ids]

    forget_many = _blocking(aforget_many)

    @_where_the_store_is
    async def aforget_everything(self, *, user_id: UserId | None = None) -> Erased:
        """Delete everything about the user, and look whether anything is left."""
        memory = self._user(user_id)
        forgotten = await forget_everything(memory, clock.utc_now())
        return Erased(forgotten=dict(forgotten), left=await count_items(memory))

    forget_everything = _blocking(aforget_everything)

    @_where_the_store_is
    async def aholdings(self, *, user_id: UserId | None = None) -> Mapping[str, int]:
        """Return how many items of each kind the store holds: what forgetting all would delete."""
        return await count_items(self._user(user_id))

    holdings = _blocking(aholdings)

    @_where_the_store_is
    async def aundo(
        self, entry: str, number: int | None = None, *, user_id: UserId | None = None
    ) -> list[Undone]:
        """Restore what a ledger entry changed, or what its decision `number` (from 1) did.

        Raises:
            CannotUndoError: If nothing was changed, or a memory has changed again since.
        """
        memory = self._user(user_id)
        found = await find_entry(memory, entry, shortest=self._shortest)
        return await undo(memory, found, number, clock.utc_now())

    undo = _blocking(aundo)

    @_where_the_store_is
    async def aroll_back(
        self, origin: Origin, *, apply: bool = False, user_id: UserId | None = None
    ) -> RolledBack:
        """Say what came from a thread, a run, a tool or a time; with `apply`, take it back.

        Raises:
            CannotUndoError: If no origin is given.
        """
        memory = self._user(user_id)
        return await roll_back(memory, origin, clock.utc_now(), dry_run=not apply)

    roll_back = _blocking(aroll_back)

    @_where_the_store_is
    async def aconfirm_pattern(self, name: str, *, user_id: UserId | None = None) -> Pattern:
        """Let a pattern count from now on."""
        memory = self._user(user_id)
        return (await confirm_pattern(memory, name, _change("confirm_pattern"))).pattern

    confirm_pattern = _blocking(aconfirm_pattern)

    @_where_the_store_is
    async def areject_pattern(self, name: str, *, user_id: UserId | None = None) -> Pattern:
        """Let a pattern no longer count; it will not be proposed again."""
        memory = self._user(user_id)
        return (await reject_pattern(memory, name, _change("reject_pattern"))).pattern

    reject_pattern = _blocking(areject_pattern)

    @_where_the_store_is
    async def amaintain(
        self, *, apply: bool = False, user_id: UserId | None = None
    ) -> tuple[MemoryDecision, ...]:
        """Return what upkeep and retention would change; with `apply`, after changing it."""
        from memory_graph.curation.forget import look_after_user  # noqa: PLC0415

        settings, now = get_settings(), clock.utc_now()
        return await look_after_user(
            self._user(user_id), settings.upkeep, settings.verbatim, now, apply=apply
        )

    maintain = _blocking(amaintain)

    # — in and out —

    @_where_the_store_is
    async def aexport(self, *, user_id: UserId | None = None) -> list[str]:
        """Return every memory as a line of JSON."""
        return await export_lines(self._user(user_id))

    export = _blocking(aexport)

    @_where_the_store_is
    async def aexport_notes(self, *, user_id: UserId | None = None) -> dict[str, str]:
        """Return every episode and pattern as a Markdown note, by file name."""
        from memory_graph.transfer.notes import export_notes  # noqa: PLC0415 — brings YAML

        return await export_notes(self._user(user_id), clock.utc_now())

    export_notes = _blocking(aexport_notes)

    @_where_the_store_is
    async def aimport_(self, lines: Iterable[str], *, user_id: UserId | None = None) -> Imported:
        """Save the memories in lines of JSON; importing them again changes nothing."""
        return await import_lines(self._user(user_id), lines, clock.utc_now())

    import_ = _blocking(aimport_)

    def _context_of(self, memory: UserMemory) -> Context:
        return self._context.model_copy(update={"user_id": memory.owner.user_id})

    def _moment(self, given: date | datetime) -> datetime:
        """Return the end of a day, or a moment; without a zone it is the user's."""
        zone = self._context.zone
        if isinstance(given, datetime):
            return given if given.tzinfo else given.replace(tzinfo=zone)
        return datetime.combine(given, time.max, tzinfo=zone)


_EVERY = 10_000


def _as_user(user_id: UserId) -> str:
    """Return a user's id as runs take it; a number is the same user as its digits.

    Raises:
        NoUserError: If it names nobody.
    """
    try:
        named = Context(user_id=user_id).user_id  # type: ignore[arg-type]
    except ValidationError as error:
        raise NoUserError("A user id is text or a whole number, and not empty.") from error
    assert named is not None
    return named


def _change(by: str) -> Change:
    return Change(id=uuid4().hex, by=by, at=clock.utc_now())
