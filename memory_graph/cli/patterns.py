"""`patterns`, `learn` and `bootstrap`: manage patterns, and show the briefing for a task."""

from argparse import Namespace
from collections.abc import Sequence
from typing import get_args

from memory_graph import clock, records
from memory_graph.cli.commands import FAILED
from memory_graph.cli.open import context_of
from memory_graph.cli.output import Presenter, show_record
from memory_graph.curation.lookup import find_episode, find_pattern
from memory_graph.errors import ConfigurationError
from memory_graph.llm.models import models_for
from memory_graph.memory import new_change
from memory_graph.patterns import rendering, search, writing
from memory_graph.patterns.learning import learn
from memory_graph.recall.briefing import tell
from memory_graph.store.scope import UserMemory

_MAX_LISTED = 1000


async def run_list(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """List patterns, the most trusted first, or those that fit a situation."""
    if args.situation:
        query = search.PatternQuery(situation=args.situation, limit=_MAX_LISTED)
        matched = await search.find_patterns(memory, query, clock.utc_now())
        found = [each.pattern for each in matched]
    elif args.status == "rejected":
        found = await memory.patterns.all(where={"status": "rejected"})
    else:
        found = [*await memory.patterns.confirmed(), *await memory.patterns.proposed()]
    fitting = [each for each in found if args.status in {None, each.status}]
    _show_patterns(show, [each for each in fitting if search.is_of(each, args.project)])


async def run_show(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Show one pattern in full."""
    show_record(show, (await find_pattern(memory, args.name)).model_dump(mode="json"))


async def run_path(memory: UserMemory, args: Namespace, show: Presenter) -> int:
    """Show how one pattern leads to another; fail if it does not."""
    asked = (args.source, args.target, args.max_depth)
    path = await search.find_causal_path(memory, *asked, args.project)
    text = rendering.render_path(path, *asked)
    polarity = path.polarity if path.hops else None
    value = {"path": path.hops or (), "polarity": polarity, "text": text}
    return show.answer(value, text, FAILED if path.hops is None else 0)


async def run_antipatterns(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """List what was tried more than once and rarely worked, the worst first."""
    policy = context_of(args).causality
    _show_patterns(show, await search.find_antipatterns(memory, policy, args.project))


async def run_confirm(
    memory: UserMemory,
    args: Namespace,
    show: Presenter,
    status: records.PatternStatus = "confirmed",
) -> None:
    """Accept a proposed pattern."""
    name = (await find_pattern(memory, args.name)).name
    decided = await writing.decide_pattern(memory, name, status, new_change("decide_pattern"))
    _show_pattern(show, decided.pattern)


async def run_reject(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Never propose a pattern again."""
    await run_confirm(memory, args, show, "rejected")


async def run_add(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Add a pattern, or one observation of a known pattern."""
    said = {name: getattr(args, name) for name in ("name", "trigger", "action", "description")}
    draft = records.PatternDraft(
        kind="antipattern" if args.antipattern else None,
        relations=tuple(map(_relation, args.relation)),
        project=args.project or None,
        **said,
    )
    change = new_change("add_pattern")
    seen_in = (await find_episode(memory, args.episode)).id if args.episode else None
    pattern, _ = await writing.record_pattern(
        memory, draft, change, success=args.success, episode_id=seen_in
    )
    if warning := await rendering.warn_of_unknown_targets(memory, pattern):
        show.problem(warning)
    _show_pattern(show, pattern)


async def run_learn(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Propose patterns; each takes effect when it is confirmed."""
    context, change = context_of(args), new_change("learn")
    model = models_for(context).episode
    learned = await learn(memory, context.learning, change, model, apply=not args.dry_run)
    _show_patterns(show, learned.patterns)
    if learned.decisions and not show.as_json:
        show.line("Decide with `memory-graph patterns confirm NAME` or `reject NAME`.")


async def run_bootstrap(memory: UserMemory, args: Namespace, show: Presenter) -> None:
    """Print the briefing that an agent would get."""
    context, now = context_of(args), clock.utc_now()
    context = context.model_copy(update={"project": args.project or context.project})
    briefing = await tell(memory, args.task, context, now, budget=args.budget)
    value = {"task": args.task, "briefing": briefing.text, "tokens": briefing.tokens}
    show.answer(value, briefing.text or "No memories match this task.")


def _relation(text: str) -> records.Relation:
    """Read `prevents:NAME`."""
    kind, _, target = text.partition(":")
    if kind not in get_args(records.RelationType) or not target.strip():
        raise ConfigurationError(f"{text!r} is not {'|'.join(get_args(records.RelationType))}:NAME")
    return records.Relation.model_validate({"type": kind, "target": target.strip()})


def _show_pattern(show: Presenter, pattern: records.Pattern) -> None:
    show.answer(pattern, rendering.render_pattern(pattern).removeprefix("- "))


def _show_patterns(show: Presenter, patterns: Sequence[records.Pattern]) -> None:
    """Print patterns, each with how often it worked."""
    rows = [
        (
            each.name,
            each.kind if each.status == "confirmed" else f"{each.status} {each.kind}",
            rendering.render_record(each),
            each.trigger,
            each.action,
        )
        for each in patterns
    ]
    columns = ("id", "kind", "record", "when", "do")
    show.answer(patterns, lambda: show.table("Patterns", columns, rows))
