"""`Memory`: one user's memory outside a graph."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from copy import copy
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeAlias, TypeVar
from uuid import uuid4
from zoneinfo import ZoneInfo

from langgraph.store.base import BaseStore
from pydantic import BaseModel, SecretStr

from memory_graph import background, clock, records
from memory_graph.context import Context
from memory_graph.curation import forget, lookup, undo
from memory_graph.curation.audit import Material, audit, audit_memory, fix
from memory_graph.curation.diff import Diff, diff
from memory_graph.curation.forget import BEYOND_REACH, Forgotten
from memory_graph.curation.lookup import TurnReport, report_turns
from memory_graph.curation.page import Notes, read_page
from memory_graph.curation.undo import Origin, RolledBack, Undone
from memory_graph.curation.validate import ValidationReport, validate_memory
from memory_graph.embedding import configured_embedder
from memory_graph.episodes import search
from memory_graph.errors import NoUserError, RefusedError
from memory_graph.facts.checks import REFUSALS
from memory_graph.facts.documents import Document, document_of
from memory_graph.facts.timeline import is_over, versions_of
from memory_graph.instructions.wishes import end_instruction
from memory_graph.once import one_turn
from memory_graph.patterns.writing import decide_pattern
from memory_graph.recall.block import UserMessage, recollect
from memory_graph.recall.search import search_everything
from memory_graph.recall.trace import explained, fate_of
from memory_graph.settings import get_settings
from memory_graph.shape import Shape, using_shape
from memory_graph.store.changes import Memory as Remembered
from memory_graph.store.collection import Found
from memory_graph.store.configured import open_configured_store
from memory_graph.store.gateway import check_synchronous_use
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.transfer import jsonl
from memory_graph.transfer.jsonl import Imported, Moved

if TYPE_CHECKING:  # what only some methods need is imported when they are called
    from langchain_core.messages import MessageLikeRepresentation

    from memory_graph.curation.audit import AuditReport, Fix
    from memory_graph.llm.models import ModelLike
    from memory_graph.recall.block import Recollection
    from memory_graph.transfer.imports import Incoming

UserId = str | int
Spoken: TypeAlias = "str | Sequence[MessageLikeRepresentation]"
"""What was said: one message of the user, or the messages of a conversation."""

P = ParamSpec("P")
R = TypeVar("R")
ModelT = TypeVar("ModelT", bound=BaseModel)
Running = Coroutine[object, object, R]
_EVERY = 10_000


class _Place:
    """The store, and the event loop on which it answers.

    A store that was passed in is used on the caller's loop. The settings' store is opened on
    first use, on its own loop, so that synchronous code can use it too.
    """

    def __init__(self, store: BaseStore | str | None) -> None:
        self._is_given = isinstance(store, BaseStore)
        self._store = store if isinstance(store, BaseStore) else None
        self._address = store if isinstance(store, str) else None
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()

    @property
    def store(self) -> BaseStore:
        assert self._store is not None
        return self._store

    def check_blocking(self) -> None:
        if self._is_given:
            check_synchronous_use(self._store)

    async def run(self, start: Callable[[], Running[R]]) -> R:
        async def opened() -> R:
            async with self._opening:
                if self._store is None:
                    await self._open()
            return await started()

        async def started() -> R:
            with one_turn():
                return await start()

        return await (started() if self._is_given else background.run_beside(opened))

    async def _open(self) -> None:
        settings = get_settings()
        if self._address is not None:
            settings = settings.model_copy(update={"store": SecretStr(self._address)})
        opening = open_configured_store(settings, configured_embedder(settings))
        self._store = (await self._stack.enter_async_context(opening)).store

    async def close(self) -> None:
        """Close the store, unless it was passed in."""

        async def closed() -> None:
            async with self._opening:
                self._store = None
                await background.drain()
                await self._stack.aclose()

        if not self._is_given:
            await background.run_beside(closed)


def _blocking(
    method: Callable[Concatenate["Memory", P], Running[R]],
) -> Callable[Concatenate["Memory", P], R]:
    """Return the synchronous form of a coroutine function."""

    @wraps(method)
    def waiting(self: "Memory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        self._place.check_blocking()
        placed: Callable[P, Running[R]] = getattr(self, method.__name__)
        return background.run_sync(lambda: placed(*args, **kwargs))

    waiting.__name__ = waiting.__name__.removeprefix("a")
    return waiting


def _where_the_store_is(
    method: Callable[Concatenate["Memory", P], Running[R]],
) -> Callable[Concatenate["Memory", P], Running[R]]:
    """Let a coroutine function run on the event loop of the store."""

    @wraps(method)
    async def placed(self: "Memory", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with using_shape(self._shape):
            return await self._place.run(lambda: method(self, *args, **kwargs))

    return placed


@dataclass(frozen=True, kw_only=True)
class Added:
    """What memory did with something that was said."""

    decisions: tuple[records.MemoryDecision, ...]
    """Everything that was decided, with reasons: kept, changed, skipped."""

    thread_id: str
    """The conversation it belongs to."""

    @property
    def facts(self) -> list[records.Fact]:
        """The facts as they are now that were created or changed."""
        kept = [d.after for d in self.decisions if d.kind == "fact" and d.after]
        return list({fact.id: fact for fact in map(records.Fact.model_validate, kept)}.values())

    @property
    def episode_ids(self) -> list[str]:
        """The episodes that were written or merged into."""
        kept = (d for d in self.decisions if d.kind == "episode" and d.action != "skip")
        return list(dict.fromkeys(d.memory_id for d in kept if d.memory_id))


@dataclass(frozen=True)
class Why:
    """A memory, and every decision about it, oldest first."""

    memory_id: str
    entries: list[records.LedgerEntry]
    said: tuple[records.TurnRecord, ...] = ()
    """The words it came of, of those that are still kept: a fact outlives them."""

    read_by: str = ""
    """Who read a fact out of them: `rules/3`, or a prompt's version and the model's name."""


@dataclass(frozen=True, kw_only=True)
class Erased:
    """The result of deleting everything about a user."""

    forgotten: Mapping[str, int]
    """How many items there were, by kind."""

    left: Mapping[str, int]
    """What a second look still found; empty."""

    beyond_reach: tuple[str, ...] = BEYOND_REACH
    """Where the words may still exist, because they are kept elsewhere."""


class Memory:
    """The memory that graphs use, for code without a graph.

    Every method exists twice: `add` is synchronous, `aadd` asynchronous. Both do what a run of
    the graph does: same admission, same capture, same ranking. An unknown id raises
    `RecordNotFoundError`; the beginning of several ids is refused too.

    with Memory.open(user_id="ana") as memory:
        memory.add("My cat Luna is 3.")
        print(memory.recall("How old is Luna?").block)
    """

    def __init__(  # noqa: PLR0913 — as for `build_graph`
        self,
        store: BaseStore | str | None = None,
        *,
        user_id: UserId | None = None,
        context: Context | None = None,
        model: "ModelLike | None" = None,
        shape: Shape | None = None,
        shortest_id: int = lookup.SHORT_ID,
    ) -> None:
        """Use your own store, which stays open, or the one that the settings name.

        Args:
            store: A LangGraph store, or the address of one (`sqlite:FILE`, …); by default the
                settings' store. A store that is opened here is opened on first use and closed
                by `close`.
            user_id: Whose memory it is; without one, choose a user with `of`.
            context: Time zone, project and policies, as for a run.
            model: Chat model for facts and episodes, or its name; by default the one that the
                settings name.
            shape: What matters in the product, and what is never kept.
            shortest_id: How many characters of a shortened id must be given.
        """
        self._place = _Place(store)
        self._context = context or Context()
        if user_id is not None:
            self._context = _for_user(self._context, user_id)
        self._model = model
        self._shape = shape
        self._shortest = shortest_id

    @classmethod
    def open(
        cls,
        store: str | None = None,
        *,
        user_id: UserId | None = None,
        context: Context | None = None,
        model: "ModelLike | None" = None,
        shape: Shape | None = None,
    ) -> "Memory":
        """Return memory in the settings' store, or in `store`; use it in a `with`."""
        return cls(store, user_id=user_id, context=context, model=model, shape=shape)

    def of(self, user_id: UserId) -> "Memory":
        """Return the same memory for one user, and for nobody else."""
        bound = copy(self)
        vars(bound)["_context"] = _for_user(self._context, user_id)
        return bound

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the user."""
        return self._context.zone

    @property
    def _user(self) -> UserMemory:
        if self._context.user_id is None:
            raise NoUserError("Whose memory? Pass `user_id=...` to `Memory`, or use `of`.")
        return memory_of(Owner(self._context.user_id), self._place.store)

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

    @_where_the_store_is
    async def adrain(self, timeout_s: float = 30) -> int:
        """Wait for what runs left to do beside or after their replies.

        Call it where a process may end after a run: a script, a serverless call. Returns how many
        tasks did not end in time; what they left open is made up for by a later run.
        """
        return await background.drain(timeout_s)

    @_where_the_store_is
    async def aadd(self, said: Spoken, *, thread_id: str | None = None) -> Added:
        """Remember what was said, as a run of the graph would.

        Passing messages with ids again under the same thread changes nothing.

        Args:
            said: What the user said, or messages in a form that LangChain accepts. The user's
                messages become facts, whole exchanges become episodes.
            thread_id: The conversation it belongs to; by default a new one.

        Raises:
            StoreUnavailableError: If it could not be kept.
        """
        from memory_graph.nodes._replay import Play  # noqa: PLC0415 — brings the graph

        memory, thread_id = self._user, thread_id or uuid4().hex
        play = Play(self._place.store, self._context, self._model)
        receipts = await play.whole(said, thread_id)
        entries = await memory.ledger.find(receipts)
        kept = [entries[each] for each in receipts if each in entries]
        decisions = tuple(decision for entry in kept for decision in entry.decisions)
        return Added(decisions=decisions, thread_id=thread_id)

    # — reading —

    @_where_the_store_is
    async def aget(self, memory_id: str) -> Remembered:
        """Return one fact, episode or pattern."""
        return await lookup.find_memory(self._user, memory_id, shortest=self._shortest)

    @_where_the_store_is
    async def aeverything(self) -> list[Moved]:
        """Return every fact, episode, pattern and turn, in this order; archived facts too."""
        return await jsonl.everything(self._user)

    @_where_the_store_is
    async def afacts(
        self, *, category: records.FactCategory | None = None, ended: bool = False
    ) -> list[records.Fact]:
        """Return what is known now: pinned first, then the most important and newest.

        With `ended`, facts that are no longer true follow.
        """
        facts = self._user.facts
        known = await facts.current()
        if ended:
            past = [fact for fact in await facts.all() if is_over(fact, clock.utc_now())]
            known += sorted(past, key=lambda fact: (fact.updated_at, fact.id), reverse=True)
        return [fact for fact in known if category in {None, fact.category}]

    @_where_the_store_is
    async def afact(self, memory_id: str) -> records.Fact:
        """Return one fact, true or no longer."""
        return await lookup.find_fact(self._user, memory_id, shortest=self._shortest)

    @_where_the_store_is
    async def apage(self, facts: Iterable[records.Fact] | None = None) -> list[Notes]:
        """Return what is known by whom or what it is about, with where each line came from.

        `str(notes)` is one line: `Andreas (husband): allergic to nuts; 41 years old.`

        Args:
            facts: Some facts; by default all that are current.
        """
        known = await self._user.facts.current() if facts is None else facts
        return await read_page(self._user, known)

    @_where_the_store_is
    async def aas_of(self, moment: date | datetime) -> list[records.Fact]:
        """Return what was true at a moment, or at the end of a day, each with its value then.

        A moment without a zone is the user's.
        """
        known = await self._user.facts.as_they_were(self._moment(moment))
        return sorted(known, key=lambda fact: (not fact.pinned, fact.id))

    @_where_the_store_is
    async def ahistory(self, memory_id: str) -> list[records.FactVersion]:
        """Return every value a fact had, oldest first, up to the one it has now."""
        return [*versions_of(await self.afact(memory_id))]

    @_where_the_store_is
    async def asearch(
        self, query: str, *, limit: int = 10
    ) -> list[Found[records.Fact] | Found[records.Episode]]:
        """Return the best facts and episodes for some words, each with the parts of its score."""
        return await search_everything(self._user, query, limit, clock.utc_now())

    @_where_the_store_is
    async def arecall(self, text: str, *, explain: bool = False) -> "Recollection":
        """Return what a model is given for a message: the same block as in a run.

        Args:
            text: The message.
            explain: Look at more memories than a run does, so that `left_out` is longer.
        """
        from memory_graph.nodes._replay import as_read  # noqa: PLC0415 — brings the graph

        memory, context, now = self._user, self._context, clock.utc_now()
        message = UserMessage(as_read(text, context))
        recalled = await recollect(memory, message, context, now)
        return await explained(memory, recalled, now) if explain else recalled

    @_where_the_store_is
    async def awhy(self, memory_id: str) -> Why:
        """Return a memory's full id and every decision about it; it may have been deleted."""
        found = await lookup.entries_about(self._user, memory_id, shortest=self._shortest)
        fact = (await self._user.facts.find([found[0]])).get(found[0])
        if fact is None:
            return Why(*found)
        said = await self._user.turns.said_in(fact.source.message_ids)
        return Why(*found, tuple(each for each in said if each.text), fact.extractor)

    @_where_the_store_is
    async def awhy_not(self, text: str, memory_id: str) -> records.Considered:
        """Return whether recall shows a memory for a message, and why."""
        record = await lookup.find_remembered(self._user, memory_id, shortest=self._shortest)
        if isinstance(record, records.Instruction):
            raise ValueError("An instruction is shown as long as it is in force.")
        return await fate_of(self._user, record, await self.arecall(text), clock.utc_now())

    @_where_the_store_is
    async def aprofile(self, model: type[ModelT]) -> ModelT:
        """Return a document of the shape's profiles, filled with what is known.

        Raises:
            ValueError: If a field that the model requires is not known yet; give it a default.
        """
        document = document_of(model, await self._user.facts.current())
        if document.value is None:
            missing = ", ".join(document.refused)
            raise ValueError(f"{model.__name__} lacks {missing}: not known yet, and no default.")
        return document.value

    @_where_the_store_is
    async def aprofile_with_sources(self, model: type[ModelT]) -> Document[ModelT]:
        """Return a document as far as it is known, with the facts that each value came from."""
        return document_of(model, await self._user.facts.current())

    @_where_the_store_is
    async def adiff(
        self,
        since: date | datetime,
        until: date | datetime | None = None,
        *,
        thread_id: str | None = None,
    ) -> Diff:
        """Return what changed in memory.

        Args:
            since: After this moment, or after the end of this day.
            until: Up to then; by default up to now.
            thread_id: Only what this conversation changed.
        """
        end = self._moment(until) if until else None
        return await diff(self._user, self._moment(since), end, thread_id=thread_id)

    def _moment(self, given: date | datetime) -> datetime:
        """Return a moment, or the end of a day, in the user's zone."""
        if not isinstance(given, datetime):
            given = datetime.combine(given, time.max)
        return given if given.tzinfo else given.replace(tzinfo=self.zone)

    @_where_the_store_is
    async def aepisodes(self, query: str = "") -> list[records.Episode]:
        """Return episodes: the latest first, or those that fit a query, best first."""
        asked, now = search.EpisodeQuery(text=query, limit=_EVERY), clock.utc_now()
        found = await search.find_episodes(self._user, asked, now, self.zone, counts=False)
        return [each.record for each in found.hits]

    @_where_the_store_is
    async def aget_episode_sequence(
        self, topic: str, limit: int = 10, *, min_relevance: float = 0.5
    ) -> list[records.Episode]:
        """Return the episodes about a topic in the order they happened.

        Args:
            topic: What they are about, in words; it may name a time.
            limit: How many at most; the ones that are most surely about it.
            min_relevance: How surely each is about it; 0.5 is as surely as not.
        """
        asked = search.EpisodeQuery(text=topic, limit=limit, min_relevance=min_relevance)
        found = await search.replay(self._user, asked, clock.utc_now(), self.zone)
        return [each.record for each in found.hits]

    async def achain(self, episode_id: str) -> list[records.Episode]:
        """Return what led to an episode, oldest first, up to the episode itself."""
        found = await lookup.find_episode(self._user, episode_id, shortest=self._shortest)
        return await self._user.episodes.chain(found.id)

    @_where_the_store_is
    async def apatterns(
        self, *, status: records.PatternStatus | None = None
    ) -> list[records.Pattern]:
        """Return what tends to work and what does not, by name."""
        fitting = [e for e in await self._user.patterns.all() if status in {None, e.status}]
        return sorted(fitting, key=lambda each: each.name)

    @_where_the_store_is
    async def aturns(self, *, limit: int = 20, offset: int = 0) -> list[TurnReport]:
        """Return the last turns, newest first: what was said, kept, refused and recalled."""
        return await report_turns(self._user, limit, offset)

    @_where_the_store_is
    async def avalidate(self) -> ValidationReport:
        """Read every record and follow every link; changes nothing."""
        return await validate_memory(self._user)

    @_where_the_store_is
    async def aaudit(self, incoming: "Incoming | None" = None) -> "AuditReport":
        """Find entries of no use: copies, echoes, orders, secrets.

        Args:
            incoming: The export of another system, to audit before it is imported; by default
                the user's own memory.
        """
        from memory_graph.transfer.imports import as_facts  # noqa: PLC0415 — brings the models
        from memory_graph.transfer.other_systems import ANOTHER_USER  # noqa: PLC0415

        policy = get_settings().admission
        if incoming is None:
            return await audit_memory(self._user, policy)
        unusable = [each for each in incoming.unusable if each.reason != ANOTHER_USER]
        material = Material(
            facts=as_facts(incoming.statements),
            episodes=incoming.episodes,
            unreadable={each.where: each.reason for each in unusable},
        )
        return await audit(material, policy)

    # — changing —

    @_where_the_store_is
    async def afix(self, report: "AuditReport | None" = None, *, apply: bool = False) -> "Fix":
        """Fix what an audit found, or only say how; one ledger entry, which can be undone."""
        report = report or await self.aaudit()
        return await fix(self._user, report, clock.utc_now(), apply=apply)

    @_where_the_store_is
    async def acorrect(
        self, memory_id: str, statement: str | None = None, *, value: str | None = None
    ) -> records.Fact:
        """Give a fact a new statement or value; the old one stays in its history.

        Raises:
            RefusedError: If the statement holds a secret or gives an order.
            ValueError: If neither a statement nor a value is given.
        """
        from memory_graph.facts import direct  # noqa: PLC0415 — brings the models
        from memory_graph.nodes._replay import as_read  # noqa: PLC0415

        fact, context = await self.afact(memory_id), self._context
        said = as_read(statement, context) if statement else None
        change, policy = new_change("correct"), context.policies.admission
        candidate = await direct.correction(fact, said, value)
        fact, decided = await direct.correct_fact(self._user, fact.id, candidate, change, policy)
        if not isinstance(decided, records.MemoryDecision):
            raise RefusedError(decided, REFUSALS[decided])
        return fact

    @_where_the_store_is
    async def apin(self, memory_id: str, *, pinned: bool = True) -> bool:
        """Pin a fact or an episode, so that it is kept and counts as relevant; or unpin it.

        Returns:
            Whether that changed anything.

        Raises:
            ValueError: If it is a pattern or an instruction.
        """
        record = await self.aget(memory_id)
        if isinstance(record, records.Pattern | records.Instruction):
            raise ValueError("Facts and episodes can be pinned, patterns and instructions not.")
        return await lookup.pin(self._user, record, pinned=pinned, now=clock.utc_now())

    @_where_the_store_is
    async def aforget(self, memory_id: str) -> Forgotten:
        """Delete a memory for good, with the words it came from and every decision about it."""
        return await forget.forget(self._user, await self.aget(memory_id), clock.utc_now())

    @_where_the_store_is
    async def aforget_message(self, message_id: str, *, apply: bool = False) -> RolledBack:
        """Delete what was said in one message, with all that was made of it alone.

        Args:
            message_id: The id of the message, or of the turn that keeps it.
            apply: Do it; by default only say what would go.
        """
        turns = await self._user.turns.find([message_id])
        named = turns[message_id].source.message_ids[0] if message_id in turns else message_id
        back = await self.aroll_back(Origin(message_id=named), apply=apply)
        for each in back.undone if apply else ():
            if each.was is not None and each.restored is None:
                await forget.forget(self._user, each.was, clock.utc_now())
        return back

    @_where_the_store_is
    async def ainstructions(self) -> list[records.Instruction]:
        """Return how the user wants the agent to work, what holds today, the newest first."""
        today = clock.utc_now().astimezone(self.zone).date()
        return await self._user.instructions.in_force(today)

    @_where_the_store_is
    async def aend_instruction(self, instruction_id: str) -> records.Instruction:
        """Let an instruction be over from now on."""
        return await end_instruction(self._user, instruction_id, new_change("end-instruction"))

    @_where_the_store_is
    async def aforget_everything(self) -> Erased:
        """Delete everything about the user, and check whether anything is left."""
        forgotten = await forget.forget_everything(self._user, clock.utc_now())
        return Erased(forgotten=dict(forgotten), left=await self.aholdings())

    @_where_the_store_is
    async def aholdings(self) -> Mapping[str, int]:
        """Return how many items of each kind the store holds about the user."""
        return await forget.count_items(self._user)

    @_where_the_store_is
    async def aundo(self, entry: str, number: int | None = None) -> list[Undone]:
        """Restore what a ledger entry changed, or what its decision `number` (from 1) did.

        Raises:
            CannotUndoError: If nothing was changed, or a memory has changed again since.
        """
        found = await lookup.find_entry(self._user, entry, shortest=self._shortest)
        return await undo.undo(self._user, found, number, clock.utc_now())

    @_where_the_store_is
    async def aroll_back(self, origin: Origin, *, apply: bool = False) -> RolledBack:
        """Return what came from a thread, a run or a tool; with `apply`, take it back.

        Raises:
            CannotUndoError: If no origin is given.
        """
        return await undo.roll_back(self._user, origin, clock.utc_now(), dry_run=not apply)

    @_where_the_store_is
    async def aconfirm_pattern(self, name: str) -> records.Pattern:
        """Confirm a pattern, so that it counts."""
        change = new_change("confirm_pattern")
        return (await decide_pattern(self._user, name, "confirmed", change)).pattern

    @_where_the_store_is
    async def areject_pattern(self, name: str) -> records.Pattern:
        """Reject a pattern: it does not count, and is not proposed again."""
        change = new_change("reject_pattern")
        return (await decide_pattern(self._user, name, "rejected", change)).pattern

    @_where_the_store_is
    async def amaintain(self, *, apply: bool = False) -> tuple[records.MemoryDecision, ...]:
        """Return what upkeep and retention would change; with `apply`, change it."""
        settings, now = get_settings(), clock.utc_now()
        return await forget.look_after_user(
            self._user, settings.upkeep, settings.verbatim, now, apply=apply
        )

    # — in and out —

    @_where_the_store_is
    async def aexport(self) -> list[str]:
        """Return every memory as a line of JSON."""
        return await jsonl.export_lines(self._user)

    @_where_the_store_is
    async def aimport_(self, lines: Iterable[str]) -> Imported:
        """Save the memories in lines of JSON; importing them again changes nothing."""
        return await jsonl.import_lines(self._user, lines, clock.utc_now())

    # — the synchronous methods —

    close = _blocking(aclose)
    forget_message = _blocking(aforget_message)
    instructions = _blocking(ainstructions)
    end_instruction = _blocking(aend_instruction)
    profile = _blocking(aprofile)
    profile_with_sources = _blocking(aprofile_with_sources)
    diff = _blocking(adiff)
    add = _blocking(aadd)
    drain = _blocking(adrain)
    get = _blocking(aget)
    everything = _blocking(aeverything)
    facts = _blocking(afacts)
    fact = _blocking(afact)
    as_of = _blocking(aas_of)
    history = _blocking(ahistory)
    search = _blocking(asearch)
    recall = _blocking(arecall)
    why = _blocking(awhy)
    why_not = _blocking(awhy_not)
    episodes = _blocking(aepisodes)
    chain = _blocking(achain)
    get_episode_sequence = _blocking(aget_episode_sequence)
    patterns = _blocking(apatterns)
    turns = _blocking(aturns)
    validate = _blocking(avalidate)
    audit = _blocking(aaudit)
    fix = _blocking(afix)
    correct = _blocking(acorrect)
    pin = _blocking(apin)
    forget = _blocking(aforget)
    forget_everything = _blocking(aforget_everything)
    holdings = _blocking(aholdings)
    undo = _blocking(aundo)
    roll_back = _blocking(aroll_back)
    confirm_pattern = _blocking(aconfirm_pattern)
    reject_pattern = _blocking(areject_pattern)
    maintain = _blocking(amaintain)
    export = _blocking(aexport)
    import_ = _blocking(aimport_)


def _for_user(context: Context, user_id: UserId) -> Context:
    """Return a context for a user, in the form that runs use; 7 is the same user as "7"."""
    named = Context(user_id=user_id).user_id  # type: ignore[arg-type]
    if named is None:
        raise NoUserError("A user id is text or a whole number, and not empty.")
    return context.model_copy(update={"user_id": named})


def new_change(by: str) -> records.Change:
    """Return a change that is made now, outside of a conversation."""
    return records.Change(id=uuid4().hex, by=by, at=clock.utc_now())
