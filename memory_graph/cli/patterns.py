"""`patterns`: what tends to work, to fail and to follow, and who says so."""

from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.exit_codes import FAILED, USAGE
from memory_graph.cli.opening import context_of, open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.tables import show_patterns, show_record
from memory_graph.policy.pattern_rendering import render_pattern
from memory_graph.records import Pattern, PatternDraft
from memory_graph.steps import patterns
from memory_graph.steps.lookup import find_pattern
from memory_graph.steps.pattern_queries import (
    PatternQuery,
    find_antipatterns,
    find_causal_path,
    find_patterns,
)
from memory_graph.steps.pattern_telling import REFUSALS, tell_path
from memory_graph.steps.patterns import Change, Recorded, Refused, record_pattern
from memory_graph.storage.scope import UserMemory

_MOST_LISTED = 1000


async def run_list(args: Namespace, show: Presenter) -> int:
    """Print the patterns of a status, or those that fit a situation."""
    async with open_user(args) as memory:
        found = await (_fitting if args.situation else _every)(memory, args)
    return _present(show, found)


async def run_antipatterns(args: Namespace, show: Presenter) -> int:
    """Print what was tried and seldom worked, the worst first."""
    async with open_user(args) as memory:
        found = await find_antipatterns(memory, context_of(args).causality)
    return _present(show, found)


async def run_show(args: Namespace, show: Presenter) -> int:
    """Print everything that is stored of one pattern."""
    async with open_user(args) as memory:
        pattern = await find_pattern(memory, args.name)
    record = pattern.model_dump(mode="json")
    if show.as_json:
        show.data(record)
    else:
        show_record(show, record)
    return 0


async def run_path(args: Namespace, show: Presenter) -> int:
    """Print how one pattern leads to another; fail if it does not."""
    async with open_user(args) as memory:
        path = await find_causal_path(memory, args.source, args.target, args.max_depth)
    told = tell_path(path, args.source, args.target, args.max_depth)
    if show.as_json:
        hops = [
            {"source": hop.source, "types": hop.types, "target": hop.target}
            for hop in path.hops or ()
        ]
        show.data({"path": hops, "polarity": path.polarity if path.hops else None, "told": told})
    else:
        show.line(told)
    return FAILED if path.hops is None else 0


async def run_add(args: Namespace, show: Presenter) -> int:
    """State a pattern, or add one observation to the one that has its name."""
    draft = PatternDraft(
        name=args.name,
        trigger=args.trigger,
        action=args.action,
        description=args.description,
        kind="antipattern" if args.antipattern else None,
        relations=tuple(args.relation),
    )
    async with open_user(args) as memory:
        recorded = await record_pattern(
            memory, draft, _change("add"), success=args.success, episode_id=args.episode
        )
    if isinstance(recorded, Refused):
        show.problem(REFUSALS[recorded.problem])
        return USAGE
    return _present_one(show, recorded.pattern)


async def run_confirm(args: Namespace, show: Presenter) -> int:
    """Let a pattern count."""
    return await _decide(args, show, patterns.confirm_pattern)


async def run_reject(args: Namespace, show: Presenter) -> int:
    """Let a pattern no longer count, nor be proposed again."""
    return await _decide(args, show, patterns.reject_pattern)


async def _decide(
    args: Namespace,
    show: Presenter,
    decide: Callable[[UserMemory, str, Change], Awaitable[Recorded]],
) -> int:
    async with open_user(args) as memory:
        pattern = await find_pattern(memory, args.name)
        recorded = await decide(memory, pattern.name, _change("decide"))
    return _present_one(show, recorded.pattern)


async def _fitting(memory: UserMemory, args: Namespace) -> list[Pattern]:
    query = PatternQuery(situation=args.situation, limit=_MOST_LISTED)
    matched = await find_patterns(memory, query, clock.utc_now())
    return [each.pattern for each in matched]


async def _every(memory: UserMemory, args: Namespace) -> list[Pattern]:
    if args.status in {None, "confirmed"}:
        confirmed = await memory.patterns.confirmed()
        return confirmed if args.status else [*confirmed, *await memory.patterns.proposed()]
    found = await memory.patterns.all(where={"status": args.status})
    return sorted(found, key=lambda each: each.name)


def _change(by: str) -> Change:
    return Change(id=uuid4().hex, by=f"{by}_pattern", at=clock.utc_now())


def _present(show: Presenter, found: Sequence[Pattern]) -> int:
    if show.as_json:
        show.data([each.model_dump(mode="json") for each in found])
    else:
        show_patterns(show, found)
    return 0


def _present_one(show: Presenter, pattern: Pattern) -> int:
    if show.as_json:
        show.data(pattern.model_dump(mode="json"))
    else:
        show.line(render_pattern(pattern).removeprefix("- "))
    return 0
