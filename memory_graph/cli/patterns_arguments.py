"""Which commands read and change what was learnt from outcomes, and what do they take?"""

from argparse import ArgumentParser, ArgumentTypeError
from typing import get_args

from memory_graph.cli.options import Commands, add_command, add_group, add_user
from memory_graph.records import PatternStatus, Relation, RelationType


def add_patterns(commands: Commands) -> None:
    """Add `patterns` and its actions."""
    actions = add_group(
        commands,
        "patterns",
        summary="read and decide what tends to work, to fail and to follow",
        example="memory-graph patterns list --user ana",
    )
    _add_reading(actions)
    _add_deciding(actions)
    _add_adding(actions)


def add_learn(commands: Commands) -> None:
    """Add `learn`."""
    learn = add_command(
        commands,
        "learn",
        run="learn:run",
        summary="propose patterns from what kept working or failing",
        example="memory-graph learn --user ana --dry-run",
    )
    add_user(learn)
    learn.add_argument("--dry-run", action="store_true", help="only say what would be proposed")
    learn.add_argument("--model", metavar="NAME", help="chat model (default: from settings)")


def add_bootstrap(commands: Commands) -> None:
    """Add `bootstrap`."""
    briefing = add_command(
        commands,
        "bootstrap",
        run="bootstrap:run",
        summary="show what a new thread should know before it starts on a task",
        example='memory-graph bootstrap "deploy" --user ana',
    )
    add_user(briefing)
    briefing.add_argument("task", metavar="TASK", help="what is about to be done")
    briefing.add_argument("--budget", type=int, metavar="TOKENS", help="longest briefing")


def add_decisions(commands: Commands) -> None:
    """Add `decisions`."""
    told = add_command(
        commands,
        "decisions",
        run="decisions:run",
        summary="show which decisions of an episode led to what",
        example="memory-graph decisions ep-3fa9c2d1 --mermaid",
    )
    add_user(told)
    told.add_argument("id", metavar="EPISODE_ID", help="id of an episode, or how it begins")
    told.add_argument("--mermaid", action="store_true", help="draw it as a Mermaid flowchart")


def relation(text: str) -> Relation:
    """Return a relation written as `prevents:NAME`."""
    kind, _, target = text.partition(":")
    if kind not in get_args(RelationType) or not target.strip():
        kinds = "|".join(get_args(RelationType))
        raise ArgumentTypeError(f"{text!r} is not {kinds}:NAME")
    return Relation.model_validate({"type": kind, "target": target.strip()})


def _add_reading(actions: Commands) -> None:
    listed = _add(actions, "list", "show patterns, the most trusted first", "--status proposed")
    listed.add_argument("--status", choices=get_args(PatternStatus), help="only these")
    listed.add_argument("--for", dest="situation", metavar="TEXT", help="what fits a situation")
    _add_name(_add(actions, "show", "show all of one pattern", "retry-on-timeout"))
    path = _add(actions, "path", "show how one pattern leads to another", "retry outage")
    path.add_argument("source", metavar="FROM", help="name of the cause, or a part of it")
    path.add_argument("target", metavar="TO", help="name of the effect, or a part of it")
    path.add_argument("--max-depth", type=int, choices=range(1, 11), default=10, metavar="N")
    _add(actions, "antipatterns", "show what was tried and seldom worked", "")


def _add_deciding(actions: Commands) -> None:
    _add_name(_add(actions, "confirm", "let a proposed pattern count", "retry-on-timeout"))
    _add_name(_add(actions, "reject", "never propose a pattern again", "retry-on-timeout"))


def _add_adding(actions: Commands) -> None:
    added = _add(actions, "add", "state a pattern, or that a known one was tried", "retry --failed")
    added.add_argument("name", metavar="NAME", help="its name, such as retry-on-timeout")
    added.add_argument("--trigger", default="", metavar="TEXT", help="when it applies")
    added.add_argument("--action", default="", metavar="TEXT", help="what to do then")
    added.add_argument("--description", default="", metavar="TEXT", help="why it works or fails")
    outcome = added.add_mutually_exclusive_group()
    outcome.add_argument("--worked", dest="success", action="store_true", default=None)
    outcome.add_argument("--failed", dest="success", action="store_false", default=None)
    added.add_argument("--antipattern", action="store_true", help="it is one to avoid")
    added.add_argument("--episode", metavar="ID", help="the episode in which it was seen")
    added.add_argument(
        "--relation",
        type=relation,
        action="append",
        default=[],
        metavar="KIND:NAME",
        help="what it causes, enables, prevents or correlates with",
    )


def _add(actions: Commands, name: str, summary: str, rest: str) -> ArgumentParser:
    example = f"memory-graph patterns {name} {rest}".rstrip()
    run = f"patterns:run_{name}"
    action = add_command(actions, name, run=run, summary=summary, example=example)
    add_user(action)
    return action


def _add_name(action: ArgumentParser) -> None:
    action.add_argument("name", metavar="NAME", help="name of a pattern, or a part of it")
