"""Let the agent keep, look up, correct and forget facts about the user it talks to."""

from datetime import date, datetime, time, timedelta

from langchain_core.tools import BaseTool, tool

from memory_graph import clock
from memory_graph.llm.models import models_for
from memory_graph.policy.keys import normalise
from memory_graph.policy.rendering import harmless
from memory_graph.records import Fact, FactCandidate, FactCategory, MemoryDecision
from memory_graph.settings import get_settings
from memory_graph.steps import tell
from memory_graph.steps.admit import SameFactJudge
from memory_graph.steps.forget import BEYOND_REACH, forget
from memory_graph.steps.telling import report
from memory_graph.storage.documents import Query
from memory_graph.storage.scope import UserMemory, open_memory, run_context
from memory_graph.tools.calls import Runtime, answers_in_words, change_of
from memory_graph.tools.fact_args import (
    CorrectFactArgs,
    ForgetFactArgs,
    RecallFactsArgs,
    RememberFactArgs,
)

_REFUSALS = {
    "sensitive": "That is a secret (a password, a key, a card number), and secrets are not kept.",
    "instruction": "That is an instruction or a permission, not a fact about the user.",
    "deferred_to_capture": "That is something that happened; it is kept as an episode by itself.",
}
_WIDE = 50


@tool(args_schema=RememberFactArgs)
@answers_in_words
async def remember_fact(  # noqa: PLR0913 — the model fills these by name
    statement: str,
    runtime: Runtime,
    category: FactCategory = "other",
    entity: str = "user",
    entity_kind: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
    event_date: date | None = None,
) -> str:
    """Keep one lasting fact that the user stated; it replaces what it corrects."""
    candidate = FactCandidate(
        statement=statement,
        category=category,
        entity=entity or "user",
        entity_kind=entity_kind or None,
        attribute=attribute or None,
        value=value or None,
        event_date=event_date,
    )
    context = run_context(runtime, runtime.config)
    judge = SameFactJudge(models_for(context).extraction, get_settings().extraction_timeout_s)
    memory = open_memory(runtime, runtime.config)
    change = change_of(runtime, "remember_fact")
    decisions = await tell.tell_fact(memory, candidate, change, context.admission, judge)
    report(runtime, "remember_fact", decisions)
    return _outcome(decisions[0])


@tool(args_schema=RecallFactsArgs)
@answers_in_words
async def recall_facts(  # noqa: PLR0913 — the model fills these by name
    runtime: Runtime,
    query: str = "",
    as_of: date | None = None,
    category: FactCategory | None = None,
    entity: str | None = None,
    limit: int = 10,
) -> str:
    """Look up what is known about the user now, or what was true on an earlier day."""
    memory = open_memory(runtime, runtime.config)
    if as_of is not None:
        zone = run_context(runtime, runtime.config).zone
        midnight = datetime.combine(as_of, time(), tzinfo=zone) + timedelta(days=1)
        facts = _matching(await tell.facts_at(memory, midnight), query)
    else:
        facts = await _found(memory, query)
    wanted = [fact for fact in facts if _fits(fact, category, entity)][:limit]
    if not wanted:
        return "Nothing is known about that. Do not guess; ask the user."
    return "\n".join(map(_line, wanted))


@tool(args_schema=CorrectFactArgs)
@answers_in_words
async def correct_fact(
    fact_id: str, statement: str, runtime: Runtime, value: str | None = None
) -> str:
    """Change a known fact to what the user says it is now; the old value stays in its history."""
    memory = open_memory(runtime, runtime.config)
    policy = run_context(runtime, runtime.config).admission
    candidate = FactCandidate(statement=statement, value=value or None)
    change = change_of(runtime, "correct_fact")
    fact, decided = await tell.correct_fact(memory, fact_id, candidate, change, policy)
    if not isinstance(decided, MemoryDecision):
        return f"{_REFUSALS[decided]} Nothing was changed."
    report(runtime, "correct_fact", [decided])
    return f"Corrected:\n{_line(fact)}"


@tool(args_schema=ForgetFactArgs)
@answers_in_words
async def forget_fact(fact_id: str, runtime: Runtime) -> str:
    """Delete a fact for good, with its history. Only when the user asks for it."""
    memory = open_memory(runtime, runtime.config)
    forgotten = await forget(memory, await memory.facts.get(fact_id), clock.utc_now())
    told = ", ".join(forgotten.told_in)
    also = f" Episodes of the same messages still tell of it: {told}." if told else ""
    return f"Forgot {fact_id}.{also} Out of reach: {BEYOND_REACH[0]}."


FACT_TOOLS: tuple[BaseTool, ...] = (remember_fact, recall_facts, correct_fact, forget_fact)


async def _found(memory: UserMemory, query: str) -> list[Fact]:
    if not query:
        return await memory.facts.current()
    [vector] = await memory.scope.embedder.embed([query])
    now = clock.utc_now().timestamp()
    asked = Query(text=query, vector=vector, now=now, weights=memory.scope.weights)
    found = await memory.facts.search(asked, _WIDE)
    return [each.record for each in found if each.record.valid_to is None]


def _matching(facts: list[Fact], query: str) -> list[Fact]:
    """Return facts by the words they share with a query, best first; all without one."""
    words = set(normalise(query).split("-")) - {""}
    if not words:
        return sorted(facts, key=lambda fact: (-fact.importance, fact.id))
    shared = {fact.id: len(words & set(normalise(fact.statement).split("-"))) for fact in facts}
    return sorted((f for f in facts if shared[f.id]), key=lambda f: (-shared[f.id], f.id))


def _fits(fact: Fact, category: FactCategory | None, entity: str | None) -> bool:
    if category is not None and fact.category != category:
        return False
    return not entity or normalise(entity) in {
        normalise(fact.entity),
        normalise(fact.entity_kind or ""),
    }


def _outcome(decision: MemoryDecision) -> str:
    if refused := _REFUSALS.get(decision.reason):
        return f"{refused} Nothing was changed."
    if decision.after is None:
        return f"Nothing was changed ({decision.reason})."
    done = {"create": "Remembered", "update": "Updated"}.get(decision.action, "Known already")
    return f"{done}:\n{_line(Fact.model_validate(decision.after))}"


def _line(fact: Fact) -> str:
    until = f" to {fact.valid_to:%Y-%m-%d}" if fact.valid_to else ""
    said = harmless(fact.statement)
    return f"- {fact.id}: {said} (since {fact.valid_from:%Y-%m-%d}{until})"
