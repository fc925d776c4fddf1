"""One visit of a node to a thread: who speaks, what is known of the thread, and what waits."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory_graph import clock, framework
from memory_graph.context import Context
from memory_graph.errors import NoUserError
from memory_graph.keys import stable_id
from memory_graph.nodes._delegation import outer_messages
from memory_graph.records import Handling, TurnRecord
from memory_graph.settings import get_settings
from memory_graph.state import NOBODY, OFF, Bound, MemoryState, ThreadNote
from memory_graph.store.owner import Run, resolve_owner, run_context
from memory_graph.store.revision import Erasure
from memory_graph.store.scope import UserMemory, open_memory
from memory_graph.turns import inbox
from memory_graph.turns.messages import Turn, mark_of, spoken_in, thread_of, turns_of
from memory_graph.turns.store import USER, WAITS, Listed, record_id

_LOOK_BACK = 10
"""How many turns of a thread are looked at besides those that wait. A limit."""


@dataclass(frozen=True)
class Visit:
    """What a node knows of its run: whose it is, which turns are theirs, and how far each is."""

    memory: UserMemory
    context: Context
    party: str
    """A mark of the user, which tells the users of a thread apart without naming them."""

    thread_id: str
    now: datetime
    note: ThreadNote
    """What the thread's state keeps, with the new messages bound."""

    turns: tuple[Turn, ...]
    """This user's last turns, and those further back that wait; oldest first."""

    records: Mapping[str, TurnRecord]
    """What is known of them, by message id."""

    new: frozenset[str]
    """The messages that this run brought in."""

    held: Mapping[str, str]
    """The messages that the thread's state holds, by the ids of their records."""

    listed: Mapping[str, Listed]
    """This user's turns of the thread on all its branches, by the ids of their records."""

    erasure: Erasure
    is_served: bool
    """Whether a server runs the graph: it never runs two turns of a thread at once."""

    @property
    def bound(self) -> Mapping[str, Bound]:
        """Whose each message is."""
        return self.note.get("messages") or {}

    @property
    def last(self) -> Turn | None:
        """The user's turn that this run is about, if it is theirs."""
        newest = next(reversed([*self.held.values()]), None)
        return next((each for each in self.turns[-1:] if each.message_id == newest), None)

    def line(self) -> dict[str, int]:
        """Return the branch of the run, by the ids of records."""
        return {record_id(mark): at for mark, at in (self.note.get("line") or {}).items()}


async def enter(state: MemoryState, runtime: Runtime[Context], config: RunnableConfig) -> Visit:
    """Look at the thread once: bind the new messages, read this user's turns and their records."""
    memory, context = open_memory(runtime, config), run_context(runtime, config)
    thread_id, note = thread_of(config), state.get("memory_graph") or ThreadNote()
    messages = state.get("messages") or []
    arrived = inbox.arrived(messages, note)
    held = {record_id(mark_of(thread_id, m)): m for m, _ in [*spoken_in(messages)][::-1]}
    last = [*held][-_LOOK_BACK:]
    listed, found, revision = await asyncio.gather(
        memory.turns.in_thread(thread_id),
        memory.turns.find([*last, *map(inbox.off_record_id, arrived)]),
        memory.scope.marks.revision(memory.scope.gateway, memory.scope.root),
    )
    back = inbox.come_back(listed, held)
    waiting = [key for key, each in listed.items() if each.inbox == WAITS and key in held]
    found |= await memory.turns.find({*waiting, *back} - found.keys())
    records = {held[key]: record for key, record in found.items() if key in held}
    off = {each for each in arrived if inbox.off_record_id(each) in found}
    party = mark_of_user(memory.owner.user_id)
    by = await _arrival(memory, config, party, unknown={*arrived} - records.keys() - off)
    bound = inbox.bind(messages, note, by, own=records, off=off)
    missed = {each for each, one in bound.items() if one["of"] == party and one.get("missed")}
    also = {*(held[key] for key in (*waiting, *back)), *missed}
    turns = await turns_of(state, config, context, _LOOK_BACK, also=also)
    return Visit(
        memory=memory,
        context=context,
        party=party,
        thread_id=thread_id,
        now=clock.utc_now(),
        note={**note, "messages": bound},
        turns=tuple(
            each
            for each in turns
            if _is_own(each.message_id, bound, party, records)
            and (each.message_id in {*records, *arrived, *missed})  # else it was forgotten
        ),
        records=records,
        new=frozenset(arrived) - records.keys(),
        held=held,
        listed=listed,
        erasure=await _erasure_for(config, revision.erasure),
        is_served=runtime.server_info is not None,
    )


_BEFORE = "before"
"""The mark of no erasure, under which nothing can be written."""


async def _erasure_for(config: RunnableConfig, last: Erasure) -> Erasure:
    """Return the erasure that a run's writes depend on; one from before the last writes nothing."""
    if last.at is None:
        return last
    asked = await framework.asked_at(config)
    return Erasure(_BEFORE, last.at) if asked and asked <= last.at else last


def _is_own(
    message_id: str, bound: Mapping[str, Bound], party: str, records: Collection[str]
) -> bool:
    return bound[message_id]["of"] == party if message_id in bound else message_id in records


async def _arrival(
    memory: UserMemory, config: RunnableConfig, party: str, unknown: Collection[str]
) -> inbox.Arrival:
    """Return who brings in the new messages: whoever began the run, where another goes on."""
    is_resumed = bool(unknown) and framework.is_resumed(config)
    if is_resumed:
        began = await framework.beginning_of(config)
        own = {"user_id": memory.owner.user_id, "langgraph_auth_user_id": memory.owner.user_id}
        run_id = (config.get("metadata") or {}).get("run_id")
        is_same = run_id is not None and began.get("run_id") == run_id
        is_resumed = not is_same and not any(began.get(key) == own[key] for key in own)
    return inbox.Arrival(party, clock.utc_now(), is_resumed, outer_messages())


def mark_of_user(user_id: str) -> str:
    """Return a hash that tells users apart without naming them."""
    return stable_id(user_id)[:16]


def party_of(run: Run, config: RunnableConfig) -> str:
    """Return the mark of the user a run is for; `NOBODY` where none is known."""
    try:
        owner = resolve_owner(run.server_info, run_context(run, config), get_settings())
    except NoUserError:
        return NOBODY
    return mark_of_user(owner.user_id)


async def note_unread(
    state: MemoryState, runtime: Runtime[Context], config: RunnableConfig
) -> ThreadNote:
    """Return what the thread keeps of a run that read nothing: whose the new messages are.

    Those said with memory off are known by their user's records, too: other threads and forks are
    not to read them either.
    """
    note, messages = state.get("memory_graph") or ThreadNote(), state.get("messages") or []
    arrived = inbox.arrived(messages, note)
    party = party_of(runtime, config)
    is_off = not run_context(runtime, config).memory
    resumed = framework.is_resumed(config)
    by = inbox.Arrival(OFF if is_off else party, clock.utc_now(), resumed, outer_messages())
    bound = inbox.bind(messages, note, by)
    if is_off:
        await _keep_off(runtime, config, arrived)
    elif party != NOBODY:
        bound = inbox.missed(bound, [each for each in arrived if bound[each]["of"] == party])
    return {**note, "messages": bound, "began": None}


async def _keep_off(
    runtime: Runtime[Context], config: RunnableConfig, arrived: Collection[str]
) -> None:
    """Note that messages were said with memory off, by a digest of their ids."""
    now = clock.utc_now()
    off = run_context(runtime, config)
    run = replace(runtime, context=off.model_copy(update={"memory": True}))
    if not arrived or runtime.store is None or party_of(runtime, config) == NOBODY:
        return
    memory = open_memory(run, config)
    marks = [
        TurnRecord(
            id=inbox.off_record_id(each),
            text="",
            speaker=USER,
            session="",
            position=int(now.timestamp() * 1000),
            said_at=now,
            echoes=True,
            read=Handling(reason=OFF),
        )
        for each in arrived
    ]
    await memory.commit(await memory.turns.puts(marks, now))
