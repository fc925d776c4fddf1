"""`patterns`, `learn` and `bootstrap`: what tends to work, and the briefing made of it."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import get_args
from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.commands import FAILED, MODEL, USAGE, Group, arg, flag, one_of
from memory_graph.cli.open import context_of, open_user
from memory_graph.cli.output import Presenter, show_record
from memory_graph.curation.lookup import find_episode, find_pattern
from memory_graph.llm.models import models_for
from memory_graph.patterns.learning import learn, preview
from memory_graph.patterns.rendering import (
    REFUSALS,
    render_pattern,
    render_record,
    tell_path,
    tell_unknown_targets,
)
from memory_graph.patterns.search import (
    PatternQuery,
    find_antipatterns,
    find_causal_path,
    find_patterns,
    is_of,
)
from memory_graph.patterns.writing import Refused, confirm_pattern, record_pattern, reject_pattern
from memory_graph.recall.briefing import tell
from memory_graph.records import (
    Change,
    Pattern,
    PatternDraft,
    PatternStatus,
    Relation,
    RelationType,
)
from memory_graph.store.scope import UserMemory

COMMANDS = Group()
NAME = arg("name", metavar="NAME", help="pattern name, or part of it")
PROJECT = arg("--project", default="", metavar="NAME", help="of this project")
_MAX_LISTED = 1000


def relation(text: str) -> Relation:
    """Return a relation written as `prevents:NAME`."""
    kind, _, target = text.partition(":")
    if kind not in get_args(RelationType) or not target.strip():
        kinds = "|".join(get_args(RelationType))
        raise ArgumentTypeError(f"{text!r} is not {kinds}:NAME")
    return Relation.model_validate({"type": kind, "target": target.strip()})


def share(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= 1:
        raise ArgumentTypeError(f"{text!r} is not a share from 0 to 1")
    return given


@COMMANDS.command(
    "patterns list",
    "--status proposed",
    arg("--status", choices=get_args(PatternStatus), help="only this status"),
    arg("--for", dest="situation", metavar="TEXT", help="what fits a situation"),
    PROJECT,
)
async def run_list(args: Namespace, show: Presenter) -> None:
    """List patterns, the most trusted first, or those that fit a situation."""
    async with open_user(args) as memory:
        found = await (_fitting if args.situation else _every)(memory, args)
    listed = [each for each in found if is_of(each, args.project)]
    show.answer(listed, lambda: show_patterns(show, listed))


async def _fitting(memory: UserMemory, args: Namespace) -> list[Pattern]:
    query = PatternQuery(situation=args.situation, limit=_MAX_LISTED)
    matched = await find_patterns(memory, query, clock.utc_now())
    return [each.pattern for each in matched]


async def _every(memory: UserMemory, args: Namespace) -> list[Pattern]:
    if args.status in {None, "confirmed"}:
        confirmed = await memory.patterns.confirmed()
        return confirmed if args.status else [*confirmed, *await memory.patterns.proposed()]
    found = await memory.patterns.all(where={"status": args.status})
    return sorted(found, key=lambda each: each.name)


@COMMANDS.command("patterns show", "retry", NAME)
async def run_show(args: Namespace, show: Presenter) -> None:
    """Show one pattern in full."""
    async with open_user(args) as memory:
        show_record(show, (await find_pattern(memory, args.name)).model_dump(mode="json"))


@COMMANDS.command(
    "patterns path",
    "retry outage",
    arg("source", metavar="FROM", help="name of the cause, or part of it"),
    arg("target", metavar="TO", help="name of the effect, or part of it"),
    arg("--max-depth", type=int, choices=range(1, 11), default=5, metavar="N"),
    PROJECT,
)
async def run_path(args: Namespace, show: Presenter) -> int:
    """Show how one pattern leads to another; fail if it does not."""
    async with open_user(args) as memory:
        path = await find_causal_path(
            memory, args.source, args.target, args.max_depth, args.project
        )
    text = tell_path(path, args.source, args.target, args.max_depth)
    polarity = path.polarity if path.hops else None
    value = {"path": path.hops or (), "polarity": polarity, "text": text}
    return show.answer(value, lambda: show.line(text), FAILED if path.hops is None else 0)


@COMMANDS.command("patterns antipatterns", "", PROJECT)
async def run_antipatterns(args: Namespace, show: Presenter) -> None:
    """List what was tried and rarely worked, the worst first."""
    async with open_user(args) as memory:
        found = await find_antipatterns(memory, context_of(args).causality, args.project)
    show.answer(found, lambda: show_patterns(show, found))


@COMMANDS.command("patterns confirm", "retry", NAME)
async def run_confirm(args: Namespace, show: Presenter) -> None:
    """Accept a proposed pattern."""
    async with open_user(args) as memory:
        pattern = await find_pattern(memory, args.name)
        recorded = await confirm_pattern(memory, pattern.name, _change("decide_pattern"))
    _present(show, recorded.pattern)


@COMMANDS.command("patterns reject", "retry", NAME)
async def run_reject(args: Namespace, show: Presenter) -> None:
    """Never propose a pattern again."""
    async with open_user(args) as memory:
        pattern = await find_pattern(memory, args.name)
        recorded = await reject_pattern(memory, pattern.name, _change("decide_pattern"))
    _present(show, recorded.pattern)


@COMMANDS.command(
    "patterns add",
    "retry --failed",
    arg("name", metavar="NAME", help="for example retry-on-timeout"),
    arg("--trigger", default="", metavar="TEXT", help="when it applies"),
    arg("--action", default="", metavar="TEXT", help="what to do then"),
    arg("--description", default="", metavar="TEXT", help="why it works or fails"),
    one_of(
        arg("--worked", dest="success", action="store_true", default=None, help="it worked"),
        arg("--success-rate", dest="success", type=share, metavar="SHARE", help="how far, 0 to 1"),
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
    creates=True,
)
async def run_add(args: Namespace, show: Presenter) -> int:
    """Add a pattern, or one observation of a known pattern."""
    draft = PatternDraft(
        name=args.name,
        trigger=args.trigger,
        action=args.action,
        description=args.description,
        kind="antipattern" if args.antipattern else None,
        relations=tuple(args.relation),
        project=args.project or None,
    )
    async with open_user(args) as memory:
        seen_in = (await find_episode(memory, args.episode)).id if args.episode else None
        recorded = await record_pattern(
            memory, draft, _change("add_pattern"), success=args.success, episode_id=seen_in
        )
        if isinstance(recorded, Refused):
            show.problem(REFUSALS[recorded.problem])
            return USAGE
        if warning := await tell_unknown_targets(memory, recorded.pattern):
            show.problem(warning)
    return _present(show, recorded.pattern)


def _change(by: str) -> Change:
    return Change(id=uuid4().hex, by=by, at=clock.utc_now())


def _present(show: Presenter, pattern: Pattern) -> int:
    return show.answer(pattern, lambda: show.line(render_pattern(pattern).removeprefix("- ")))


@COMMANDS.command(
    "learn", "--user ana --dry-run", flag("--dry-run", "only show the proposals"), MODEL
)
async def run_learn(args: Namespace, show: Presenter) -> None:
    """Propose patterns; each takes effect when it is confirmed."""
    async with open_user(args) as memory:
        proposed = await _propose(args, memory)
    show.answer(proposed, lambda: show_patterns(show, proposed))
    if proposed and not args.dry_run and not show.as_json:
        show.line("Decide with `memory-graph patterns confirm NAME` or `reject NAME`.")


async def _propose(args: Namespace, memory: UserMemory) -> Sequence[Pattern]:
    context, change = context_of(args), _change("learn")
    model = models_for(context).episode
    if args.dry_run:
        return await preview(memory, context.learning, change, model)
    learned = await learn(memory, context.learning, change, model)
    return [Pattern.model_validate(decision.after) for decision in learned.decisions]


@COMMANDS.command(
    "bootstrap",
    '"deploy" --user ana',
    arg("task", nargs="?", default="", metavar="TASK", help="what is to be done (default: any)"),
    PROJECT,
    arg("--budget", type=int, metavar="TOKENS", help="maximum length"),
)
async def run_bootstrap(args: Namespace, show: Presenter) -> None:
    """Print the briefing that an agent would get."""
    context, now = context_of(args), clock.utc_now()
    context = context.model_copy(update={"project": args.project or context.project})
    async with open_user(args) as memory:
        briefing = await tell(memory, args.task, context, now, budget=args.budget)
    value = {"task": args.task, "briefing": briefing.text, "tokens": briefing.tokens}
    show.answer(value, lambda: show.line(briefing.text or "No memories match this task."))


def show_patterns(show: Presenter, patterns: Sequence[Pattern]) -> None:
    """Print patterns, each with how often it worked."""
    rows = [
        (
            each.name,
            each.kind if each.status == "confirmed" else f"{each.status} {each.kind}",
            render_record(each),
            each.trigger,
            each.action,
        )
        for each in patterns
    ]
    show.table("Patterns", ("id", "kind", "record", "when", "do"), rows)
