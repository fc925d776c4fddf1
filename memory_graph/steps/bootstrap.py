"""What does memory hold that a new thread should know before it starts on a task?"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_graph.context import Context
from memory_graph.policy.bootstrap import (
    BootstrapPolicy,
    Briefing,
    open_steps,
    render_briefing,
    task_of,
)
from memory_graph.policy.causality import CausalityPolicy, judge_antipattern, success_rate, trust
from memory_graph.records import Episode, Fact, Pattern
from memory_graph.steps.pattern_queries import PatternQuery, find_patterns, query_for
from memory_graph.storage.documents import Query
from memory_graph.storage.scope import UserMemory

_POOL = 100
"""Hits looked at per kind, before those that do not fit are left out."""


@dataclass(frozen=True)
class Told:
    """A briefing in words, empty where nothing fits, and what it costs."""

    text: str = ""
    tokens: int = 0


async def tell(
    memory: UserMemory, task: str, context: Context, now: datetime, *, budget: int | None = None
) -> Told:
    """Return what a run should know before it starts on a task, within a token budget."""
    briefing = await brief(memory, task, context.bootstrap, context.causality, now)
    # In a thread, since the tokenizer may have to be loaded.
    return await asyncio.to_thread(_told, briefing, budget or context.bootstrap.token_budget)


def _told(briefing: Briefing, budget: int) -> Told:
    from memory_graph.encoders import count_tokens  # noqa: PLC0415 — brings numpy

    text = render_briefing(briefing, budget=budget, count=count_tokens)
    return Told(text, count_tokens(text) if text else 0)


async def brief(
    memory: UserMemory,
    task: str,
    policy: BootstrapPolicy,
    causality: CausalityPolicy,
    now: datetime,
) -> Briefing:
    """Gather warnings, advice, open steps and a recap of the profile that fit a task."""
    task = task_of(task)
    query = await query_for(memory, task, now)
    episodes, patterns, facts = await asyncio.gather(
        _episodes(memory, query, policy),
        _patterns(memory, task, policy, now),
        _facts(memory, query, policy),
    )
    since = now - timedelta(days=policy.failure_days)
    failures = [e for e in episodes if e.outcome == "failure" and e.ended_at >= since]
    return Briefing(
        failures=tuple(failures[: policy.failures]),
        antipatterns=tuple(_failing(patterns, causality)[: policy.antipatterns]),
        patterns=tuple(_working(patterns, policy)[: policy.patterns]),
        next_steps=open_steps(episodes, policy.next_steps),
        facts=tuple(facts[: policy.facts]),
    )


async def _episodes(memory: UserMemory, query: Query, policy: BootstrapPolicy) -> list[Episode]:
    found = await memory.episodes.search(query, _POOL)
    return [e.record for e in found if e.relevance >= policy.min_relevance]


async def _patterns(
    memory: UserMemory, task: str, policy: BootstrapPolicy, now: datetime
) -> list[Pattern]:
    query = PatternQuery(situation=task, limit=_POOL, min_relevance=policy.min_relevance)
    return [matched.pattern for matched in await find_patterns(memory, query, now)]


async def _facts(memory: UserMemory, query: Query, policy: BootstrapPolicy) -> list[Fact]:
    """Return what is always worth knowing of the user, then what fits the task."""
    found = await memory.facts.search(query, _POOL)
    fitting = [e.record for e in found if e.relevance >= policy.min_relevance]
    known = await memory.facts.current()
    always = [f for f in known if f.pinned or f.importance >= policy.fact_min_importance]
    current = {fact.id: fact for fact in (*always, *fitting) if fact.valid_to is None}
    return list(current.values())


def _failing(patterns: Sequence[Pattern], policy: CausalityPolicy) -> list[Pattern]:
    """Return warnings; what somebody declared an anti-pattern need not fail twice to be one."""
    declared = policy.model_copy(update={"antipattern_min_occurrences": 1})
    return [
        each
        for each in patterns
        if judge_antipattern(
            each, declared if each.kind == "antipattern" else policy
        ).is_antipattern
    ]


def _working(patterns: Sequence[Pattern], policy: BootstrapPolicy) -> list[Pattern]:
    """Return advice, most trusted first; one lucky try does not outrank nine of ten."""
    good = [
        each
        for each in patterns
        if each.kind == "pattern" and (success_rate(each) or 0.0) >= policy.pattern_min_success
    ]
    return sorted(good, key=trust, reverse=True)
