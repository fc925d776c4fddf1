"""The briefing for a new thread or task, within a token budget."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_graph.context import Context
from memory_graph.embedding.encoders import count_tokens
from memory_graph.patterns.evidence import WARNINGS, judge_antipattern, success_rate, trust
from memory_graph.patterns.search import PatternQuery, find_patterns, is_of, render_pattern
from memory_graph.policies import BootstrapPolicy, CausalityPolicy
from memory_graph.prompts import fitting
from memory_graph.records import Episode, Fact, Pattern
from memory_graph.safety.secrets import CLOSING, OPENING, escape_for_prompt
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import Query

_MARKS = ".,;:!?()\"'"
_ASKING = frozenset(
    "please kindly thanks thank hi hello hey help can could would will you let let's lets "
    "i i'd like want need going now today next".split()
)
_POOL = 100  # hits looked at per kind, before those that do not fit are left out


@dataclass(frozen=True, kw_only=True)
class Briefing:
    """What fits the task, each kind best first."""

    failures: tuple[Episode, ...] = ()
    antipatterns: tuple[Pattern, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    next_steps: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()


def task_of(request: str) -> str:
    """Return a request without the words that only ask for it: they fit no trigger."""
    words = [word for word in request.split() if word.strip(_MARKS).casefold() not in _ASKING]
    return " ".join(words) or request


def open_steps(episodes: Sequence[Episode], limit: int) -> tuple[str, ...]:
    """Return the planned steps of the latest episodes that no other one continues."""
    continued = {each.parent_episode_id for each in episodes}
    newest = sorted(episodes, key=lambda each: each.ended_at, reverse=True)
    steps = (step for each in newest if each.id not in continued for step in each.next_steps)
    return tuple(dict.fromkeys(steps))[:limit]


def render_briefing(briefing: Briefing, *, budget: int, count: Callable[[str], int]) -> str:
    """Return the briefing within a token budget: warnings first, the profile last.

    Nothing at all is said when nothing fits.
    """
    sections = (
        ("Failed recently:", [_failure(each) for each in briefing.failures]),
        ("Failed more often than not:", [render_pattern(each) for each in briefing.antipatterns]),
        ("Worked before:", [render_pattern(each) for each in briefing.patterns]),
        ("Still to do:", [f"- {escape_for_prompt(step)}" for step in briefing.next_steps]),
        ("Who this is for:", [_fact(fact) for fact in briefing.facts]),
    )
    left = budget - count(f"{OPENING}\n{CLOSING}")
    told: list[str] = []
    for heading, lines in sections:
        kept, left = fitting(heading, lines, left, count)
        told += kept
    return "\n".join([OPENING, *told, CLOSING]) if told else ""


def _fact(fact: Fact) -> str:
    return f"- {escape_for_prompt(fact.statement)} (since {fact.valid_from:%Y-%m-%d})"


def _failure(episode: Episode) -> str:
    lesson = f" Lesson: {escape_for_prompt(episode.lessons[-1])}" if episode.lessons else ""
    title = escape_for_prompt(episode.title).rstrip(".")
    return f"- ({episode.date_iso}) {title}. {escape_for_prompt(episode.summary)}{lesson}"


@dataclass(frozen=True)
class Told:
    """A briefing in words, empty where nothing fits, and what it costs."""

    text: str = ""
    tokens: int = 0


async def tell(
    memory: UserMemory, task: str, context: Context, now: datetime, *, budget: int | None = None
) -> Told:
    """Return what a run should know before it starts on a task, within a token budget."""
    briefing = await brief(memory, task, context, now)

    def told() -> Told:

        most = budget or context.policies.bootstrap.token_budget
        text = render_briefing(briefing, budget=most, count=count_tokens)
        return Told(text, count_tokens(text) if text else 0)

    return await asyncio.to_thread(told)  # the tokenizer may have to be loaded


async def brief(memory: UserMemory, task: str, context: Context, now: datetime) -> Briefing:
    """Gather warnings, advice, open steps and a recap of the profile that fit a task.

    Without a task the latest of everything fits. What another project was about is left out.
    """
    policy, project = context.policies.bootstrap, context.project or ""
    task = task_of(task)
    query = await memory.query(task, now)
    situation = PatternQuery(situation=task, limit=_POOL, min_relevance=policy.min_relevance)
    found, matched, facts = await asyncio.gather(
        _episodes(memory, query, policy),
        find_patterns(memory, situation, now),
        _facts(memory, query, policy),
    )
    episodes = [
        each
        for each in found
        if not project or (each.project or project).casefold() == project.casefold()
    ]
    patterns = [each.pattern for each in matched if is_of(each.pattern, project)]
    since = now - timedelta(days=policy.failure_days)
    failures = [e for e in episodes if e.outcome == "failure" and e.ended_at >= since]
    return Briefing(
        failures=tuple(failures[: policy.failures]),
        antipatterns=tuple(_failing(patterns, context.policies.causality)[: policy.antipatterns]),
        patterns=tuple(_working(patterns, policy)[: policy.patterns]),
        next_steps=open_steps(episodes, policy.next_steps),
        facts=tuple(facts[: policy.facts]),
    )


async def _episodes(memory: UserMemory, query: Query, policy: BootstrapPolicy) -> list[Episode]:
    if not query.text:
        latest = await memory.episodes.all()
        return sorted(latest, key=lambda each: each.ended_at, reverse=True)[:_POOL]
    found = await memory.episodes.search(query, _POOL)
    return [e.record for e in found if e.relevance >= policy.min_relevance]


async def _facts(memory: UserMemory, query: Query, policy: BootstrapPolicy) -> list[Fact]:
    """Return what is always worth knowing of the user, then what fits the task."""
    found = await memory.facts.search(query, _POOL) if query.text else []
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
        if judge_antipattern(each, declared if each.kind == "antipattern" else policy) in WARNINGS
    ]


def _working(patterns: Sequence[Pattern], policy: BootstrapPolicy) -> list[Pattern]:
    """Return advice, most trusted first; one lucky try does not outrank nine of ten."""
    good = [
        each
        for each in patterns
        if each.kind == "pattern" and (success_rate(each) or 0.0) >= policy.pattern_min_success
    ]
    return sorted(good, key=trust, reverse=True)
