"""`patterns`, `learn` and `bootstrap`: manage patterns, and show the briefing for a task."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import get_args

from memory_graph import clock, records
from memory_graph.cli.commands import FAILED, MODEL, Group, arg, flag, one_of
from memory_graph.cli.open import context_of, open_user
from memory_graph.cli.output import Presenter, show_record
from memory_graph.curation.lookup import find_episode, find_pattern
from memory_graph.llm.models import models_for
from memory_graph.memory import new_change
from memory_graph.patterns import search, writing
from memory_graph.patterns.learning import learn
from memory_graph.recall.briefing import tell

COMMANDS = Group()
NAME = arg("name", metavar="NAME", help="pattern name, or part of it")
PROJECT = arg("--project", default="", metavar="NAME", help="only this project")
_MAX_LISTED = 1000


def relation(text: str) -> records.Relation:
    """Return a relation written as `prevents:NAME`."""
    kind, _, target = text.partition(":")
    if kind not in get_args(records.RelationType) or not target.strip():
        raise ArgumentTypeError(f"{text!r} is not {'|'.join(get_args(records.RelationType))}:NAME")
    return records.Relation.model_validate({"type": kind, "target": target.strip()})


def share(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return given


@COMMANDS.command(
    "patterns list",
    arg("--status", choices=get_args(records.PatternStatus), help="only this status"),
    arg("--for", dest="situation", default="", metavar="TEXT", help="only for this situation"),
    PROJECT,
    example="--status proposed",
)
async def run_list(args: Namespace, show: Presenter) -> None:
    """List patterns, the most trusted first, or those that fit a situation."""
    async with open_user(args) as memory:
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


@COMMANDS.command("patterns show", NAME, example="retry")
async def run_show(args: Namespace, show: Presenter) -> None:
    """Show one pattern in full."""
    async with open_user(args) as memory:
        show_record(show, (await find_pattern(memory, args.name)).model_dump(mode="json"))


@COMMANDS.command(
    "patterns path",
    arg("source", metavar="FROM", help="name of the cause, or part of it"),
    arg("target", metavar="TO", help="name of the effect, or part of it"),
    arg("--max-depth", type=int, choices=range(1, 11), default=5, metavar="N"),
    PROJECT,
    example="retry outage",
)
async def run_path(args: Namespace, show: Presenter) -> int:
    """Show how one pattern leads to another; fail if it does not."""
    asked = (args.source, args.target, args.max_depth)
    async with open_user(args) as memory:
        path = await search.find_causal_path(memory, *asked, args.project)
    text = search.render_path(path, *asked)
    polarity = path.polarity if path.hops else None
    value = {"path": path.hops or (), "polarity": polarity, "text": text}
    return show.answer(value, text, FAILED if path.hops is None else 0)


@COMMANDS.command("patterns antipatterns", PROJECT)
async def run_antipatterns(args: Namespace, show: Presenter) -> None:
    """List what was tried more than once and rarely worked, the worst first."""
    async with open_user(args) as memory:
        policy = context_of(args).causality
        _show_patterns(show, await search.find_antipatterns(memory, policy, args.project))


@COMMANDS.command("patterns confirm", NAME, example="retry")
async def run_confirm(args: Namespace, show: Presenter) -> None:
    """Accept a proposed pattern."""
    await _decide(args, show, "confirmed")


@COMMANDS.command("patterns reject", NAME, example="retry")
async def run_reject(args: Namespace, show: Presenter) -> None:
    """Never propose a pattern again."""
    await _decide(args, show, "rejected")


async def _decide(args: Namespace, show: Presenter, status: records.PatternStatus) -> None:
    async with open_user(args) as memory:
        name = (await find_pattern(memory, args.name)).name
        decided = await writing.decide_pattern(memory, name, status, new_change("decide_pattern"))
    _show_pattern(show, decided.pattern)


@COMMANDS.command(
    "patterns add",
    arg("name", metavar="NAME", help="for example retry-on-timeout"),
    arg("--trigger", default="", metavar="TEXT", help="when it applies"),
    arg("--action", default="", metavar="TEXT", help="what to do then"),
    arg("--description", default="", metavar="TEXT", help="why it works or fails"),
    one_of(
        arg("--worked", dest="success", action="store_true", default=None, help="it worked"),
        arg("--success-rate", dest="success", type=share, metavar="SHARE", help="from 0 to 1"),
        arg("--failed", dest="success", action="store_false", default=None, help="it failed"),
    ),
    flag("--antipattern", "a pattern to avoid"),
    arg("--episode", metavar="ID", help="the episode in which it was observed"),
    arg(
        "--relation",
        type=relation,
        action="append",
        default=[],
        metavar="KIND:NAME",
        help="what it causes, enables, prevents or correlates with",
    ),
    PROJECT,
    example="retry --failed",
    creates=True,
)
async def run_add(args: Namespace, show: Presenter) -> None:
    """Add a pattern, or one observation of a known pattern."""
    said = {name: getattr(args, name) for name in ("name", "trigger", "action", "description")}
    draft = records.PatternDraft(
        kind="antipattern" if args.antipattern else None,
        relations=tuple(args.relation),
        project=args.project or None,
        **said,
    )
    change = new_change("add_pattern")
    async with open_user(args) as memory:
        seen_in = (await find_episode(memory, args.episode)).id if args.episode else None
        pattern, _ = await writing.record_pattern(
            memory, draft, change, success=args.success, episode_id=seen_in
        )
        if warning := await search.warn_of_unknown_targets(memory, pattern):
            show.problem(warning)
    _show_pattern(show, pattern)


@COMMANDS.command("learn", flag("--dry-run", "only show the proposals"), MODEL)
async def run_learn(args: Namespace, show: Presenter) -> None:
    """Propose patterns; each takes effect when it is confirmed."""
    context, change = context_of(args), new_change("learn")
    model = models_for(context).episode
    async with open_user(args) as memory:
        learned = await learn(memory, context.learning, change, model, apply=not args.dry_run)
    _show_patterns(show, learned.patterns)
    if learned.decisions and not show.as_json:
        show.line("Decide with `memory-graph patterns confirm NAME` or `reject NAME`.")


@COMMANDS.command(
    "bootstrap",
    arg("task", nargs="?", default="", metavar="TASK", help="the task (default: none)"),
    PROJECT,
    arg("--budget", type=int, metavar="TOKENS", help="longest briefing"),
)
async def run_bootstrap(args: Namespace, show: Presenter) -> None:
    """Print the briefing that an agent would get."""
    context, now = context_of(args), clock.utc_now()
    context = context.model_copy(update={"project": args.project or context.project})
    async with open_user(args) as memory:
        briefing = await tell(memory, args.task, context, now, budget=args.budget)
    value = {"task": args.task, "briefing": briefing.text, "tokens": briefing.tokens}
    show.answer(value, briefing.text or "No memories match this task.")


def _show_pattern(show: Presenter, pattern: records.Pattern) -> None:
    show.answer(pattern, search.render_pattern(pattern).removeprefix("- "))


def _show_patterns(show: Presenter, patterns: Sequence[records.Pattern]) -> None:
    """Print patterns, each with how often it worked."""
    rows = [
        (
            each.name,
            each.kind if each.status == "confirmed" else f"{each.status} {each.kind}",
            search.render_record(each),
            each.trigger,
            each.action,
        )
        for each in patterns
    ]
    columns = ("id", "kind", "record", "when", "do")
    show.answer(patterns, lambda: show.table("Patterns", columns, rows))
