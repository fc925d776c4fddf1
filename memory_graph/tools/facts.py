"""Tools with which the agent keeps, looks up, corrects and forgets facts about its user."""

from datetime import date, datetime, time, timedelta
from typing import Annotated

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool
from pydantic import Field

from memory_graph import clock
from memory_graph.curation.forget import BEYOND_REACH, forget
from memory_graph.curation.lookup import SHORT_ID, find_fact
from memory_graph.errors import RefusedError
from memory_graph.facts import direct
from memory_graph.facts.checks import REFUSALS
from memory_graph.facts.reading import read_keyed
from memory_graph.facts.timeline import is_over
from memory_graph.keys import normalise
from memory_graph.records import Fact, FactCandidate, FactCategory, MemoryDecision
from memory_graph.safety.own_voice import is_grounded
from memory_graph.safety.secrets import escape_for_prompt
from memory_graph.shape import shape_of
from memory_graph.tools._calls import Also, Call, ToolArgs, memory_tool, text_of
from memory_graph.topics import about_any

Statement = Annotated[str, text_of(500, 3)]
Word = Annotated[str, text_of(120)]
FactId = Annotated[str, text_of(400, 1), Also("id")]
_WIDE = 50

_HEARD = 6  # what is to be remembered must be in so many of the user's last messages


class _RememberFact(ToolArgs):
    statement: Statement = Field(
        description="One full sentence in the third person: `The user's cat Luna is 4.`"
    )
    category: FactCategory = Field("other", description="What kind of fact it is.")
    entity: Word = Field("user", description="Whom it is about: `user`, or a name.")
    entity_kind: Word | None = Field(
        None, description="`cat`, `sister`, `company`, …; left out for the user."
    )
    attribute: Word | None = Field(
        None, description="One common noun: `city`, `job`, `age`, `allergy`, …."
    )
    value: Word | None = Field(None, description="The value of the attribute.")
    event_date: date | None = Field(None, description="Its day, if it is an event.")


class _RecallFacts(ToolArgs):
    query: Word = Field("", description="What to look for; empty for everything.")
    as_of: date | None = Field(
        None, description="What was true at the end of that day, as 2026-11-16."
    )
    category: FactCategory | None = Field(None, description="Only such facts.")
    entity: Word | None = Field(None, description="Only about this person or thing.")
    limit: int = Field(10, ge=1, le=50, description="How many to return at most.")


class _ForgetFact(ToolArgs):
    fact_id: FactId = Field(description="Id of the fact, from `recall_facts`.")


class _CorrectFact(_ForgetFact):
    statement: Statement = Field(description="The fact as it is now, in one full sentence.")
    value: Word | None = Field(None, description="The new value of its attribute.")


@memory_tool
async def remember_fact(args: _RememberFact, call: Call) -> str:
    """Keep one lasting fact that the user stated; it replaces what it corrects."""
    given = {name: value for name, value in args.model_dump().items() if value}
    candidate = FactCandidate.model_validate(given)
    if not _was_said(candidate, call.runtime.state):
        raise RefusedError("not_said", REFUSALS["not_said"])
    if any(await about_any([args.statement], shape_of(call.context).never)):
        raise RefusedError("never_kept", REFUSALS["never_kept"])
    for known in await call.memory.facts.current():
        if normalise(known.statement) == normalise(args.statement):
            return f"Known already:\n{_line(known)}"
    if args.attribute is None and args.entity == "user":
        keyed = await read_keyed(args.statement)
        candidate = keyed[0] if len(keyed) == 1 else candidate
    policy = call.context.policies.admission
    decisions = await direct.tell_fact(call.memory, candidate, call.change, policy)
    call.report(*decisions)
    decision = decisions[0]
    if refused := REFUSALS.get(decision.reason):
        raise RefusedError(decision.reason, refused)
    if decision.after is None:
        return f"Nothing was changed ({decision.reason})."
    done = {"create": "Remembered", "update": "Updated"}.get(decision.action, "Known already")
    return f"{done}:\n{_line(Fact.model_validate(decision.after))}"


def _was_said(candidate: FactCandidate, state: object) -> bool:
    """Say whether the user said what an agent wants to remember.

    Outside a conversation, as over MCP, the caller is trusted.
    """
    messages = state.get("messages") if isinstance(state, dict) else None
    said = [str(each.text) for each in messages or () if isinstance(each, HumanMessage)]
    recent = range(max(len(said) - _HEARD, 0), len(said))
    return not said or any(is_grounded(candidate, said[: place + 1]) for place in recent)


@memory_tool
async def recall_facts(args: _RecallFacts, call: Call) -> str:
    """Look up what is known about the user now, or what was true on an earlier day."""
    now, zone = clock.utc_now(), call.context.zone
    if args.as_of is not None and args.as_of < now.astimezone(zone).date():
        midnight = datetime.combine(args.as_of, time(), tzinfo=zone) + timedelta(days=1)
        facts = _matching(await call.memory.facts.as_they_were(midnight), args.query)
    elif args.query:
        found = await call.memory.facts.search(await call.memory.query(args.query, now), _WIDE)
        facts = [each.record for each in found if not is_over(each.record, now)]
    else:
        facts = await call.memory.facts.current()
    entity = normalise(args.entity or "")
    wanted = [
        fact
        for fact in facts
        if args.category in {None, fact.category}
        and entity in {"", normalise(fact.entity), normalise(fact.entity_kind or "")}
    ]
    if wanted:
        return "\n".join(map(_line, wanted[: args.limit]))
    # Models fill in filters they were not asked for; what they hide is still known.
    lines = "\n".join(map(_line, facts[: args.limit]))
    if not facts:
        return "Nothing is known about that."
    return f"Nothing fits all of that. What comes closest:\n{lines}"


def _matching(facts: list[Fact], query: str) -> list[Fact]:
    """Return facts by the words they share with a query, best first; all without one."""
    words = set(normalise(query).split("-")) - {""}
    if not words:
        return sorted(facts, key=lambda fact: (-fact.importance, fact.id))
    shared = {fact.id: len(words & set(normalise(fact.statement).split("-"))) for fact in facts}
    return sorted((f for f in facts if shared[f.id]), key=lambda f: (-shared[f.id], f.id))


@memory_tool
async def correct_fact(args: _CorrectFact, call: Call) -> str:
    """Change a known fact to what the user says it is now; the old value stays in its history."""
    known = await find_fact(call.memory, args.fact_id, shortest=SHORT_ID)
    candidate = await direct.correction(known, args.statement, args.value)
    fact, decided = await direct.correct_fact(
        call.memory, known.id, candidate, call.change, call.context.policies.admission
    )
    if not isinstance(decided, MemoryDecision):
        raise RefusedError(decided, REFUSALS[decided])
    call.report(decided)
    return f"Corrected:\n{_line(fact)}"


@memory_tool
async def forget_fact(args: _ForgetFact, call: Call) -> str:
    """Delete a fact for good, with its history. Only when the user asks for it."""
    fact = await find_fact(call.memory, args.fact_id, shortest=SHORT_ID)
    forgotten = await forget(call.memory, fact, clock.utc_now())
    episodes = ", ".join(forgotten.told_in)
    left = f" Episodes of the same messages still tell of it: {episodes}." if episodes else ""
    return f"Forgot {fact.id}.{left} Out of reach: {BEYOND_REACH[0]}."


def _line(fact: Fact) -> str:
    until = f" to {fact.valid_to:%Y-%m-%d}" if fact.valid_to else ""
    said = escape_for_prompt(fact.statement)
    return f"- {fact.id}: {said} (since {fact.valid_from:%Y-%m-%d}{until})"


FACT_TOOLS: tuple[BaseTool, ...] = (remember_fact, recall_facts, correct_fact, forget_fact)
