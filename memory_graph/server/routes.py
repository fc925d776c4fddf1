"""The HTTP routes of one user's memory, each thin on top of `Memory`."""

from collections.abc import Sequence
from typing import TypeVar

from langchain_core.messages import AIMessage, HumanMessage
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from memory_graph import clock
from memory_graph.episodes.search import EpisodeQuery, Period, read_period
from memory_graph.facts.timeline import versions_of
from memory_graph.memory import Memory
from memory_graph.records import Episode
from memory_graph.server import schemas
from memory_graph.server.operations import operation
from memory_graph.server.schemas import EpisodeAnswer, FactAnswer, kind_of, told
from memory_graph.transfer.jsonl import Moved, as_json

T = TypeVar("T")
_EVERY = 10_000


def _part(every: Sequence[T], asked: schemas.Paged) -> tuple[list[T], int | None]:
    """Return a part of a list, and where the next one begins."""
    end = asked.offset + asked.limit
    return list(every[asked.offset : end]), end if end < len(every) else None


@operation("GET", "/memory", schemas.WhichMemories, schemas.Memories)
async def list_memories(memory: Memory, asked: schemas.WhichMemories) -> schemas.Memories:
    """List what is remembered: facts, episodes, patterns, turns.

    With `as_of` only facts, as they were at the end of that day.
    """
    every: Sequence[Moved] = await memory.aeverything()
    if asked.as_of is not None:
        every = await memory.aas_of(asked.as_of)
    fitting = [each for each in every if asked.kind is None or kind_of(each) == asked.kind]
    part, after = _part(fitting, asked)
    return schemas.Memories(memories=[*map(told, part)], total=len(fitting), next_offset=after)


@operation("POST", "/memory", schemas.Addition, schemas.AddedAnswer)
async def add(memory: Memory, asked: schemas.Addition) -> schemas.AddedAnswer:
    """Keep what is worth keeping of something said, as a run would.

    Messages with ids may be sent again under the same thread: that changes nothing.
    """
    said = asked.text or [_message(each) for each in asked.messages or ()]
    return schemas.AddedAnswer.of(await memory.aadd(said, thread_id=asked.thread_id))


def _message(given: schemas.Message) -> HumanMessage | AIMessage:
    kind = HumanMessage if given.role == "user" else AIMessage
    return kind(given.content, id=given.id)


@operation("DELETE", "/memory", schemas.Confirmation, schemas.ErasedAnswer)
async def forget_everything(memory: Memory, asked: schemas.Confirmation) -> schemas.ErasedAnswer:
    """Forget everything about the user, and look whether anything is left."""
    return schemas.ErasedAnswer.of(await memory.aforget_everything())


@operation("GET", "/memory/search", schemas.Searched, schemas.FoundMemories)
async def search(memory: Memory, asked: schemas.Searched) -> schemas.FoundMemories:
    """Find facts and episodes, with the parts of their scores."""
    return schemas.FoundMemories.of(await memory.asearch(asked.q, limit=asked.limit))


@operation("GET", "/memory/export", schemas.Nothing, "application/x-ndjson")
async def export(memory: Memory, asked: schemas.Nothing) -> Response:
    """Export every memory as JSON Lines, to import elsewhere."""
    text = "".join(f"{line}\n" for line in await memory.aexport())
    return PlainTextResponse(text, media_type="application/x-ndjson")


@operation("GET", "/memory/stats", schemas.Nothing, schemas.Stats)
async def show_stats(memory: Memory, asked: schemas.Nothing) -> schemas.Stats:
    """Count what is remembered, and what was decided how often."""
    return schemas.Stats.model_validate(await memory.astats())


@operation("GET", "/memory/history/{memory_id:path}", schemas.OfMemory, schemas.HistoryAnswer)
async def show_history(memory: Memory, asked: schemas.OfMemory) -> schemas.HistoryAnswer:
    """Tell which values a fact had, and when."""
    fact = await memory.afact(asked.memory_id)
    return schemas.HistoryAnswer.model_validate({**as_json(fact), "versions": versions_of(fact)})


@operation("GET", "/memory/why/{memory_id:path}", schemas.OfMemory, schemas.Decisions)
async def show_why(memory: Memory, asked: schemas.OfMemory) -> schemas.Decisions:
    """Tell every decision about a memory, with its reason and scores."""
    why = await memory.awhy(asked.memory_id)
    return schemas.Decisions(memory_id=why.memory_id, entries=why.entries)


@operation("POST", "/memory/why-not", schemas.WhyNotAsked, schemas.FateAnswer)
async def show_why_not(memory: Memory, asked: schemas.WhyNotAsked) -> schemas.FateAnswer:
    """Tell what becomes of a memory when a message is recalled for, and why."""
    return schemas.FateAnswer.of(await memory.awhy_not(asked.text, asked.memory_id))


@operation("POST", "/memory/recall", schemas.RecallAsked, schemas.RecallAnswer)
async def preview_recall(memory: Memory, asked: schemas.RecallAsked) -> schemas.RecallAnswer:
    """Show what a model would be told for a message; nothing is kept of it."""
    memory = memory.in_zone(asked.zone) if asked.zone else memory
    recalled = await memory.arecall(asked.text, explain=asked.explain, is_first=asked.is_first)
    return schemas.RecallAnswer.of(recalled)


@operation("GET", "/memory/turns", schemas.Paged, schemas.Turns)
async def list_turns(memory: Memory, asked: schemas.Paged) -> schemas.Turns:
    """List the last turns: what was said, kept, refused and recalled."""
    found = await memory.aturns(limit=asked.limit + 1, offset=asked.offset)
    part = [schemas.TurnReportAnswer.of(each) for each in found[: asked.limit]]
    after = asked.offset + asked.limit if len(found) > asked.limit else None
    return schemas.Turns(turns=part, next_offset=after)


@operation("POST", "/memory/correct/{memory_id:path}", schemas.Correction, FactAnswer)
async def correct(memory: Memory, asked: schemas.Correction) -> FactAnswer:
    """Give a fact a new statement; the old one stays in its history."""
    fact = await memory.acorrect(asked.memory_id, asked.statement, value=asked.value)
    return FactAnswer.model_validate(as_json(fact))


@operation("POST", "/memory/pin/{memory_id:path}", schemas.Pin, schemas.PinAnswer)
async def pin(memory: Memory, asked: schemas.Pin) -> schemas.PinAnswer:
    """Keep a fact or an episode, and count it as relevant; or no longer."""
    record = await memory.aget(asked.memory_id)
    changed = await memory.apin(record.id, pinned=asked.pinned)
    return schemas.PinAnswer(memory_id=record.id, pinned=asked.pinned, changed=changed)


@operation("POST", "/memory/undo", schemas.Undoing, schemas.UndoneAnswer)
async def undo(memory: Memory, asked: schemas.Undoing) -> schemas.UndoneAnswer:
    """Restore what a ledger entry changed, or one of its decisions."""
    return schemas.UndoneAnswer.of(await memory.aundo(asked.entry, asked.number))


@operation("POST", "/memory/rollback", schemas.RollingBack, schemas.RolledBackAnswer)
async def roll_back(memory: Memory, asked: schemas.RollingBack) -> schemas.RolledBackAnswer:
    """Take back what came from a thread, a run, a tool or a span of time, or only say what.

    One of the origins is to be given; all that are given must fit.
    """
    back = await memory.aroll_back(asked.origin, apply=asked.apply)
    return schemas.RolledBackAnswer.of(back, applied=asked.apply)


@operation("GET", "/memory/episodes", schemas.WhichEpisodes, schemas.Episodes)
async def list_episodes(memory: Memory, asked: schemas.WhichEpisodes) -> schemas.Episodes:
    """List episodes: the latest first, or those that fit, best first."""
    memory = memory.in_zone(asked.zone) if asked.zone else memory
    period = read_period("", "", asked.when, now=clock.utc_now(), zone=memory.zone)
    if not isinstance(period, Period):
        raise ValueError("`when` is not a time in the past; one is `last week`.")
    query = EpisodeQuery(
        text=asked.q,
        period=period,
        outcome=asked.outcome,
        tag=asked.tag,
        project=asked.project,
        limit=_EVERY,
    )
    found = await memory.aepisodes(query)
    part, after = _part(found, asked)
    return schemas.Episodes(episodes=_episodes(part), total=len(found), next_offset=after)


@operation("GET", "/memory/episodes/{memory_id:path}", schemas.OfMemory, EpisodeAnswer)
async def show_episode(memory: Memory, asked: schemas.OfMemory) -> EpisodeAnswer:
    """Tell one episode in full."""
    return _episodes([await memory.aepisode(asked.memory_id)])[0]


@operation("GET", "/memory/chain/{memory_id:path}", schemas.OfMemory, schemas.Chain)
async def show_chain(memory: Memory, asked: schemas.OfMemory) -> schemas.Chain:
    """Tell what led to an episode, oldest first, up to the episode itself."""
    return schemas.Chain(episodes=_episodes(await memory.achain(asked.memory_id)))


@operation("GET", "/memory/replay", schemas.Replayed, schemas.Chain)
async def replay(memory: Memory, asked: schemas.Replayed) -> schemas.Chain:
    """Tell the episodes about a topic in the order they happened."""
    found = await memory.areplay(asked.topic, limit=asked.limit)
    return schemas.Chain(episodes=_episodes(found))


def _episodes(episodes: Sequence[Episode]) -> list[EpisodeAnswer]:
    return [EpisodeAnswer.model_validate(as_json(each)) for each in episodes]


@operation("GET", "/memory/patterns", schemas.WhichPatterns, schemas.Patterns)
async def list_patterns(memory: Memory, asked: schemas.WhichPatterns) -> schemas.Patterns:
    """List what tends to work and what does not."""
    found = await memory.apatterns(status=asked.status)
    part, after = _part(found, asked)
    return schemas.Patterns(patterns=part, total=len(found), next_offset=after)


@operation("POST", "/memory/patterns/confirm/{name:path}", schemas.OfName, schemas.PatternAnswer)
async def confirm_pattern(memory: Memory, asked: schemas.OfName) -> schemas.PatternAnswer:
    """Let a pattern count from now on."""
    return schemas.PatternAnswer(pattern=await memory.aconfirm_pattern(asked.name))


@operation("POST", "/memory/patterns/reject/{name:path}", schemas.OfName, schemas.PatternAnswer)
async def reject_pattern(memory: Memory, asked: schemas.OfName) -> schemas.PatternAnswer:
    """Let a pattern no longer count; it will not be proposed again."""
    return schemas.PatternAnswer(pattern=await memory.areject_pattern(asked.name))


@operation("GET", "/memory/audit", schemas.Nothing, schemas.AuditAnswer)
async def audit(memory: Memory, asked: schemas.Nothing) -> schemas.AuditAnswer:
    """Say what is of no use: copies, echoes, contradictions, secrets, what nobody recalls."""
    return schemas.AuditAnswer.of(await memory.aaudit())


@operation("POST", "/memory/audit", schemas.Mending, schemas.FixAnswer)
async def fix(memory: Memory, asked: schemas.Mending) -> schemas.FixAnswer:
    """Mend what an audit finds, or only say how; `undo` with the entry takes it back."""
    return schemas.FixAnswer.of(await memory.afix(apply=asked.apply))


@operation("GET", "/memory/{memory_id:path}", schemas.OfMemory, schemas.OneMemory)
async def show_memory(memory: Memory, asked: schemas.OfMemory) -> schemas.OneMemory:
    """Tell one memory in full: a fact, an episode or a pattern."""
    return schemas.OneMemory(memory=told(await memory.aget(asked.memory_id)))


@operation("DELETE", "/memory/{memory_id:path}", schemas.OfMemory, schemas.ForgottenAnswer)
async def forget(memory: Memory, asked: schemas.OfMemory) -> schemas.ForgottenAnswer:
    """Forget one memory, the words it came from and every decision about it."""
    return schemas.ForgottenAnswer.of(await memory.aforget(asked.memory_id))


ROUTES: list[Route] = [
    list_memories,
    add,
    forget_everything,
    search,
    export,
    show_stats,
    show_history,
    show_why,
    show_why_not,
    preview_recall,
    list_turns,
    correct,
    pin,
    undo,
    roll_back,
    list_episodes,
    show_episode,
    show_chain,
    replay,
    list_patterns,
    confirm_pattern,
    reject_pattern,
    audit,
    fix,
]

BY_ID: list[Route] = [show_memory, forget]
"""They take whatever path is left, so they come last."""
