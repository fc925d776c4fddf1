"""Read beside the reply: begin before it, and wait for it once the reply is there."""

import asyncio
from collections.abc import Callable, Coroutine

from memory_graph import background, telemetry
from memory_graph.errors import ForgottenMeanwhileError
from memory_graph.facts.reading import skip
from memory_graph.llm.models import ModelLike, models_for, patience_with
from memory_graph.nodes._reading import HOTPATH, Read, Work, put_down, read_turns, work_for
from memory_graph.nodes._visit import Visit
from memory_graph.recent import Recent
from memory_graph.settings import get_settings
from memory_graph.store.scope import UserMemory

_Place = tuple[int, tuple[str, ...], str]
"""A store, a user in it, and one of their threads."""

_ready: Recent[_Place, Callable[[], Coroutine[object, object, Read]]] = Recent(1000)
"""What is to be read beside a reply, as soon as memory was recalled for it."""

_begun: Recent[_Place, asyncio.Task[Read]] = Recent(1000)
"""What is read beside a reply, or was, until the end of its run asks for it."""


async def read_before_the_reply(visit: Visit, model: ModelLike | None) -> tuple[Work, Read]:
    """Read what waits now, or put it down, to be read beside the reply.

    Without a model nothing takes long, so nothing has to wait.
    """
    reader = models_for(visit.context, model).extraction
    work = work_for(visit, has_model=reader is not None)
    mode = get_settings().read
    if reader is None or mode == "before":
        return work, await read_turns(work, reader, patience_with(reader).extraction_s)
    work = await put_down(work)
    if mode == "beside" and work.turns:
        timeout_s = patience_with(reader).episode_s
        place = _place_of(visit.memory, visit.thread_id)
        _ready.put(place, lambda: _alone(lambda: read_turns(work, reader, timeout_s)))
    return work, Read()


async def read_after_the_reply(visit: Visit, model: ModelLike | None) -> Read:
    """Return what became of the turns that were read beside the reply, or read them now."""
    place = _place_of(visit.memory, visit.thread_id)
    begin_beside_the_reply(visit.memory, visit.thread_id)
    task = _begun.get(place)
    if task and task.get_loop() is asyncio.get_running_loop():
        done = await asyncio.shield(task)
        _begun.pop(place, None)
        visit.memory.scope.marks.forget()
        return done
    reader = models_for(visit.context, model).extraction
    if reader is None or get_settings().read != "after":
        return Read()
    work = work_for(visit, has_model=True)
    timeout_s = patience_with(reader).episode_s
    return await _alone(lambda: read_turns(work, reader, timeout_s))


def begin_beside_the_reply(memory: UserMemory, thread_id: str) -> None:
    """Begin to read what was put down, after what is still being read of the same thread."""
    place = _place_of(memory, thread_id)
    read, before = _ready.pop(place, None), _begun.get(place)
    if read is None:
        return

    async def in_turn() -> Read:
        if before and before.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([before])
        return await read()

    _begun.put(place, background.begin(f"facts-{place[1][-1]}", in_turn))


async def _alone(read: Callable[[], Coroutine[object, object, Read]]) -> Read:
    """Read, and return a failure instead of raising it: nobody may be there to handle it."""
    try:
        return await read()
    except ForgottenMeanwhileError:
        return Read((skip("forgotten"),))
    except Exception as error:  # noqa: BLE001 — the turn stays open, and is read in a later run
        telemetry.record(None, telemetry.NodeGaveUp.because(HOTPATH, error))
        return Read(failure=error)


def _place_of(memory: UserMemory, thread_id: str) -> _Place:
    scope = memory.scope
    return id(scope.gateway.store), scope.root, thread_id
