"""The HTTP routes of one user's memory; each calls `Memory`."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Literal

from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from memory_graph import records
from memory_graph.curation.audit import AuditReport
from memory_graph.curation.forget import BEYOND_REACH
from memory_graph.curation.undo import Origin
from memory_graph.memory import Added, Erased, Memory, Why
from memory_graph.recall.trace import FATES
from memory_graph.server.operations import Body, operation
from memory_graph.store.changes import KINDS
from memory_graph.transfer.jsonl import Moved, as_json

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
Statement = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Value = Annotated[str, StringConstraints(max_length=500)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=512)]
"""Of a memory also at least eight characters of its beginning."""

Limit = Annotated[int, Field(ge=1, le=1000)]
Few = Annotated[int, Field(ge=1, le=100)]
Offset = Annotated[int, Field(ge=0, le=1_000_000)]


# — memories, as they are answered —
class FactAnswer(records.Fact):
    """A fact."""

    kind: Literal["fact"] = "fact"


class EpisodeAnswer(records.Episode):
    """An episode."""

    kind: Literal["episode"] = "episode"


class TurnAnswer(records.TurnRecord):
    """What was said, word for word."""

    kind: Literal["turn"] = "turn"


MemoryAnswer = FactAnswer | EpisodeAnswer | TurnAnswer | records.Pattern
_PAGE = {"total": int, "next_offset": int | None}


class Scored(BaseModel):
    """How well a memory fits, and what each signal adds to that."""

    score: float
    parts: dict[str, float]


class FoundFact(FactAnswer, Scored):
    """A fact that was found."""


class FoundEpisode(EpisodeAnswer, Scored):
    """An episode that was found."""


# — all memories —
@operation("GET", "/memory", memories=list[MemoryAnswer], **_PAGE)
async def list_memories(
    memory: Memory,
    kind: records.MemoryKind | None = None,
    as_of: date | None = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> object:
    """List what is remembered: facts, episodes, patterns, turns.

    With `as_of` only facts, as they were at the end of that day.
    """
    every: Sequence[Moved] = await (memory.aas_of(as_of) if as_of else memory.aeverything())
    kinds = {**KINDS, "turn": records.TurnRecord}
    fitting = [each for each in every if kind is None or isinstance(each, kinds[kind])]
    end, total = offset + limit, len(fitting)
    after = end if end < total else None
    return {"memories": fitting[offset:end], "total": total, "next_offset": after}


class Message(Body):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: Text
    id: Id | None = None


@operation(
    "POST",
    "/memory",
    thread_id=str,
    decisions=list[records.MemoryDecision],
    facts=list[records.Fact],
    episode_ids=list[str],
)
async def add(
    memory: Memory,
    text: Text | None = None,
    messages: Annotated[list[Message], Field(min_length=1, max_length=100)] | None = None,
    thread_id: Id | None = None,
) -> Added:
    """Remember what was said, as a run would: a `text` of the user's, or `messages`.

    Sending messages with ids again under the same thread changes nothing.
    """
    if (text is None) == (messages is None):
        raise ValueError("Give `text` or `messages`, and not both.")
    kinds = {"user": HumanMessage, "assistant": AIMessage}
    said = [kinds[each.role](each.content, id=each.id) for each in messages or ()]
    return await memory.aadd(text or said, thread_id=thread_id)


@operation("DELETE", "/memory", Erased)
async def forget_everything(memory: Memory, everything: Literal["true"]) -> Erased:
    """Forget everything about the user, and report what is left."""
    return await memory.aforget_everything()


@operation("GET", "/memory/search", memories=list[FoundFact | FoundEpisode])
async def search(memory: Memory, q: Words, limit: Few = 10) -> object:
    """Find facts and episodes, with the parts of their scores."""
    found = await memory.asearch(q, limit=limit)
    memories = [{**as_json(e.record), "score": e.score, "parts": e.parts} for e in found]
    return {"memories": memories}


@operation("GET", "/memory/export", "application/x-ndjson")
async def export(memory: Memory) -> Response:
    """Export every memory as JSON Lines, to import elsewhere."""
    text = "".join(f"{line}\n" for line in await memory.aexport())
    return PlainTextResponse(text, media_type="application/x-ndjson")


# — why —
@operation("GET", "/memory/why/{memory_id:path}", Why)
async def show_why(memory: Memory, memory_id: Id) -> Why:
    """Show every decision about a memory, with its reason and scores."""
    return await memory.awhy(memory_id)


class FateAnswer(records.Considered):
    """Whether recall shows a memory for a message."""

    why: str
    """What that means, in words."""


@operation("POST", "/memory/why-not", FateAnswer)
async def show_why_not(memory: Memory, text: Text, memory_id: Id) -> object:
    """Show whether recall shows a memory for a message, and why."""
    fate = await memory.awhy_not(text, memory_id)
    return {**fate.model_dump(), "why": FATES[fate.fate]}


class RecallAnswer(records.RecallTrace):
    """What a model is given for a message, and why."""

    block: str
    """The exact text that a run would give to the model with the message."""

    profile: str
    """The exact text at the end of its system prompt."""

    language: str


@operation("POST", "/memory/recall", RecallAnswer)
async def preview_recall(memory: Memory, text: Text, explain: bool = False) -> object:
    """Show what a model would be given for a message; the message is not kept."""
    recalled = await memory.arecall(text, explain=explain)
    return {
        **recalled.trace.model_dump(),
        "block": recalled.block,
        "profile": recalled.profile,
        "language": recalled.recalled.asked.language,
        "considered": recalled.considered,
    }


class TurnReportAnswer(BaseModel):
    """One turn, and what memory did in it."""

    at: datetime
    thread_id: str | None
    said: records.TurnRecord | None
    replied: records.TurnRecord | None
    entries: list[records.LedgerEntry]
    recall: records.RecallTrace | None


@operation("GET", "/memory/turns", turns=list[TurnReportAnswer], next_offset=_PAGE["next_offset"])
async def list_turns(memory: Memory, limit: Limit = 100, offset: Offset = 0) -> object:
    """List the last turns: what was said, kept, refused and recalled."""
    found = await memory.aturns(limit=limit + 1, offset=offset)
    turns = [{**vars(each), "thread_id": each.source.thread_id} for each in found[:limit]]
    return {"turns": turns, "next_offset": offset + limit if len(found) > limit else None}


# — changing —
@operation("POST", "/memory/correct/{memory_id:path}", FactAnswer)
async def correct(
    memory: Memory, memory_id: Id, statement: Statement | None = None, value: Value | None = None
) -> records.Fact:
    """Give a fact a new statement or value; the old one stays in its history."""
    return await memory.acorrect(memory_id, statement, value=value)


@operation("POST", "/memory/pin/{memory_id:path}", memory_id=str, pinned=bool, changed=bool)
async def pin(memory: Memory, memory_id: Id, pinned: bool = True) -> object:
    """Pin a fact or an episode, so that it is kept and counts as relevant; or unpin it."""
    record = await memory.aget(memory_id)
    changed = await memory.apin(record.id, pinned=pinned)
    return {"memory_id": record.id, "pinned": pinned, "changed": changed}


class UndoneMemory(BaseModel):
    """One memory, before and after a decision about it was undone."""

    was: MemoryAnswer | None
    restored: MemoryAnswer | None


@operation("POST", "/memory/undo", undone=list[UndoneMemory])
async def undo(
    memory: Memory, entry: Id, number: Annotated[int, Field(ge=1, le=10_000)] | None = None
) -> object:
    """Restore what a ledger entry (see `why`) or one of its decisions changed."""
    return {"undone": await memory.aundo(entry, number)}


@operation(
    "POST",
    "/memory/rollback",
    applied=bool,
    removed=list[str],
    restored=list[str],
    words=int,
    left=list[str],
)
async def roll_back(  # noqa: PLR0913 — the fields of the request
    memory: Memory,
    thread: Id | None = None,
    run: Id | None = None,
    message: Id | None = None,
    tool: Id | None = None,
    apply: bool = False,
) -> object:
    """Take back what came from a thread, a run, a message or a tool, or only say what.

    Give at least one origin; all that are given must match.
    """
    origin = Origin(thread_id=thread, run_id=run, message_id=message, by=tool)
    back = await memory.aroll_back(origin, apply=apply)
    return {
        "applied": apply,
        "removed": [each.was.id for each in back.undone if each.was and not each.restored],
        "restored": [each.restored.id for each in back.undone if each.restored],
        "words": back.words,
        "left": back.left,
    }


# — instructions —
@operation("GET", "/memory/instructions", instructions=list[records.Instruction])
async def list_instructions(memory: Memory) -> object:
    """List how the user wants the agent to work."""
    return {"instructions": await memory.ainstructions()}


@operation("POST", "/memory/instructions/end", records.Instruction)
async def end_instruction(memory: Memory, instruction_id: Id) -> records.Instruction:
    """Let an instruction be over from now on."""
    return await memory.aend_instruction(instruction_id)


# — patterns —
@operation("POST", "/memory/patterns/confirm/{name:path}", records.Pattern)
async def confirm_pattern(memory: Memory, name: Id) -> records.Pattern:
    """Confirm a pattern, so that it counts."""
    return await memory.aconfirm_pattern(name)


@operation("POST", "/memory/patterns/reject/{name:path}", records.Pattern)
async def reject_pattern(memory: Memory, name: Id) -> records.Pattern:
    """Reject a pattern: it does not count, and is not proposed again."""
    return await memory.areject_pattern(name)


# — an audit —
@operation("GET", "/memory/audit", AuditReport)
async def audit(memory: Memory) -> AuditReport:
    """Find entries of no use: copies, echoes, orders, secrets."""
    return await memory.aaudit()


class FixChange(BaseModel):
    """One change of a fix."""

    id: str | None
    action: str
    reason: str


@operation("POST", "/memory/audit", applied=bool, entry=str | None, changes=list[FixChange])
async def fix(memory: Memory, apply: bool = False) -> object:
    """Fix what an audit finds, or only say how; `undo` with the entry reverts it."""
    return (await memory.afix(apply=apply)).as_json()


# — one memory, by its id —
@operation("GET", "/memory/{memory_id:path}", MemoryAnswer)
async def show_memory(memory: Memory, memory_id: Id) -> object:
    """Show one memory in full: a fact, an episode or a pattern."""
    return await memory.aget(memory_id)


@operation(
    "DELETE",
    "/memory/{memory_id:path}",
    forgotten=str,
    ledger_entries=int,
    turns=int,
    told_in=list[str],
    beyond_reach=list[str],
)
async def forget(memory: Memory, memory_id: Id) -> object:
    """Forget one memory, the words it came from and every decision about it."""
    forgotten = await memory.aforget(memory_id)
    return {**vars(forgotten), "forgotten": forgotten.record.id, "beyond_reach": BEYOND_REACH}


ROUTES: Sequence[Route] = (
    list_memories,
    add,
    forget_everything,
    search,
    export,
    show_why,
    show_why_not,
    preview_recall,
    list_turns,
    correct,
    pin,
    undo,
    roll_back,
    list_instructions,
    end_instruction,
    confirm_pattern,
    reject_pattern,
    audit,
    fix,
    show_memory,
    forget,
)
"""The last two match any remaining path."""
