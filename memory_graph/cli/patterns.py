"""`patterns`, `learn` and `bootstrap`: what tends to work, and the briefing made of it."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Awaitable, Callable, Sequence
from typing import get_args
from uuid import uuid4

from memory_graph import clock
from memory_graph.cli.open import context_of, open_user
from memory_graph.cli.output import Presenter, show_record
from memory_graph.cli.parser import (
    FAILED,
    USAGE,
    Actions,
    Group,
    add_action,
    add_actions,
    add_model,
    add_user,
    creates_a_store,
    set_run,
)
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
from memory_graph.patterns.writing import (
    Recorded,
    Refused,
    confirm_pattern,
    record_pattern,
    reject_pattern,
)
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


def define_patterns(command: ArgumentParser) -> None:
    """Add the actions of `patterns`."""
    actions = add_actions(command)
    _add_reading(actions)
    _add_deciding(actions)
    _add_adding(actions)


def define_learn(command: ArgumentParser) -> None:
    """Add the arguments of `learn`."""
    set_run(command, run_learn)
    add_user(command)
    command.add_argument("--dry-run", action="store_true", help="only show the proposals")
    add_model(command)


def define_bootstrap(command: ArgumentParser) -> None:
    """Add the arguments of `bootstrap`."""
    set_run(command, run_bootstrap)
    add_user(command)
    command.add_argument(
        "task", nargs="?", default="", metavar="TASK", help="what is to be done (default: anything)"
    )
    _add_project(command)
    command.add_argument("--budget", type=int, metavar="TOKENS", help="maximum length")


def relation(text: str) -> Relation:
    """Return a relation written as `prevents:NAME`."""
    kind, _, target = text.partition(":")
    if kind not in get_args(RelationType) or not target.strip():
        kinds = "|".join(get_args(RelationType))
        raise ArgumentTypeError(f"{text!r} is not {kinds}:NAME")
    return Relation.model_validate({"type": kind, "target": target.strip()})


def _add_reading(actions: Actions) -> None:
    listed = add_action(
        actions, "list", run_list, "list patterns, most trusted first", "--status proposed"
    )
    listed.add_argument("--status", choices=get_args(PatternStatus), help="only this status")
    listed.add_argument("--for", dest="situation", metavar="TEXT", help="what fits a situation")
    _add_project(listed)
    _add_name(add_action(actions, "show", run_show, "show one pattern in full", "retry"))
    path = add_action(
        actions, "path", run_path, "show how one pattern leads to another", "retry outage"
    )
    path.add_argument("source", metavar="FROM", help="name of the cause, or part of it")
    path.add_argument("target", metavar="TO", help="name of the effect, or part of it")
    path.add_argument("--max-depth", type=int, choices=range(1, 11), default=5, metavar="N")
    _add_project(path)
    failing = add_action(
        actions, "antipatterns", run_antipatterns, "list what was tried and rarely worked"
    )
    _add_project(failing)


def _add_deciding(actions: Actions) -> None:
    _add_name(add_action(actions, "confirm", run_confirm, "accept a proposed pattern", "retry"))
    _add_name(add_action(actions, "reject", run_reject, "never propose a pattern again", "retry"))


def _add_adding(actions: Actions) -> None:
    added = add_action(
        actions, "add", run_add, "add a pattern, or one observation of it", "retry --failed"
    )
    creates_a_store(added)
    added.add_argument("name", metavar="NAME", help="for example retry-on-timeout")
    added.add_argument("--trigger", default="", metavar="TEXT", help="when it applies")
    added.add_argument("--action", default="", metavar="TEXT", help="what to do then")
    added.add_argument("--description", default="", metavar="TEXT", help="why it works or fails")
    outcome = added.add_mutually_exclusive_group()
    outcome.add_argument(
        "--worked", dest="success", action="store_true", default=None, help="it worked"
    )
    outcome.add_argument(
        "--success-rate", dest="success", type=share, metavar="SHARE", help="how far, 0 to 1"
    )
    outcome.add_argument(
        "--failed", dest="success", action="store_false", default=None, help="it failed"
    )
    added.add_argument("--antipattern", action="store_true", help="a pattern to avoid")
    added.add_argument("--episode", metavar="ID", help="the episode in which it was observed")
    added.add_argument(
        "--relation",
        type=relation,
        action="append",
        default=[],
        metavar="KIND:NAME",
        help="what it causes, enables, prevents or correlates with",
    )
    _add_project(added)


def share(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= 1:
        raise ArgumentTypeError(f"{text!r} is no share from 0 to 1")
    return given


def _add_project(action: ArgumentParser) -> None:
    action.add_argument("--project", default="", metavar="NAME", help="of this project")


def _add_name(action: ArgumentParser) -> None:
    action.add_argument("name", metavar="NAME", help="pattern name, or part of it")


_MAX_LISTED = 1000


async def run_list(args: Namespace, show: Presenter) -> int:
    """Print the patterns with a status, or those that fit a situation."""
    async with open_user(args) as memory:
        found = await (_fitting if args.situation else _every)(memory, args)
    return _present(show, [each for each in found if is_of(each, args.project)])


async def run_antipatterns(args: Namespace, show: Presenter) -> int:
    """Print what was tried and rarely worked, worst first."""
    async with open_user(args) as memory:
        found = await find_antipatterns(memory, context_of(args).causality, args.project)
    return _present(show, found)


async def run_show(args: Namespace, show: Presenter) -> int:
    """Print one pattern in full."""
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
        path = await find_causal_path(
            memory, args.source, args.target, args.max_depth, args.project
        )
    text = tell_path(path, args.source, args.target, args.max_depth)
    if show.as_json:
        hops = [
            {"source": hop.source, "types": hop.types, "target": hop.target}
            for hop in path.hops or ()
        ]
        show.data({"path": hops, "polarity": path.polarity if path.hops else None, "text": text})
    else:
        show.line(text)
    return FAILED if path.hops is None else 0


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
            memory, draft, _change("add"), success=args.success, episode_id=seen_in
        )
        if isinstance(recorded, Refused):
            show.problem(REFUSALS[recorded.problem])
            return USAGE
        if warning := await tell_unknown_targets(memory, recorded.pattern):
            show.problem(warning)
    return _present_one(show, recorded.pattern)


async def run_confirm(args: Namespace, show: Presenter) -> int:
    """Confirm a pattern."""
    return await _decide(args, show, confirm_pattern)


async def run_reject(args: Namespace, show: Presenter) -> int:
    """Reject a pattern, so that it is never proposed again."""
    return await _decide(args, show, reject_pattern)


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
    query = PatternQuery(situation=args.situation, limit=_MAX_LISTED)
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


async def run_learn(args: Namespace, show: Presenter) -> int:
    """Propose patterns; each takes effect when it is confirmed."""
    async with open_user(args) as memory:
        proposed = await _propose(args, memory)
    if show.as_json:
        show.data([each.model_dump(mode="json") for each in proposed])
        return 0
    show_patterns(show, proposed)
    if proposed and not args.dry_run:
        show.line("Decide with `memory-graph patterns confirm NAME` or `reject NAME`.")
    return 0


async def _propose(args: Namespace, memory: UserMemory) -> Sequence[Pattern]:
    context = context_of(args)
    change = Change(id=uuid4().hex, by="learn", at=clock.utc_now())
    model = models_for(context).episode
    if args.dry_run:
        return await preview(memory, context.learning, change, model)
    learned = await learn(memory, context.learning, change, model)
    return [Pattern.model_validate(decision.after) for decision in learned.decisions]


async def run_bootstrap(args: Namespace, show: Presenter) -> int:
    """Print the briefing that an agent would get."""
    context, now = context_of(args), clock.utc_now()
    context = context.model_copy(update={"project": args.project or context.project})
    async with open_user(args) as memory:
        briefing = await tell(memory, args.task, context, now, budget=args.budget)
    if show.as_json:
        show.data({"task": args.task, "briefing": briefing.text, "tokens": briefing.tokens})
    else:
        show.line(briefing.text or "No memories match this task.")
    return 0


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


COMMANDS: Group = {
    "bootstrap": define_bootstrap,
    "learn": define_learn,
    "patterns": define_patterns,
}
