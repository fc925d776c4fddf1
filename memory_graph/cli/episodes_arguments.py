"""Which `episodes` actions are there, and what do they take?"""

from argparse import ArgumentParser
from typing import get_args

from memory_graph.cli.options import Commands, add_command, add_user
from memory_graph.records import Outcome


def add_episodes(commands: Commands) -> None:
    """Add `episodes` and its actions."""
    summary = "see what happened: a timeline, arcs and topics"
    episodes = commands.add_parser(
        "episodes",
        help=summary,
        description=f"{summary.capitalize()}.",
        epilog="example: memory-graph episodes list --user ana",
    )
    actions = episodes.add_subparsers(metavar="ACTION", required=True)
    _add_filters(_add(actions, "list", "show the latest as a timeline", "--when yesterday"))
    _add_id(_add(actions, "show", "show all of one episode", "ep-3fa9c2d1"))
    found = _add(actions, "search", "find episodes, with their scores", '"leak"')
    found.add_argument("query", metavar="QUERY", help="what it was about")
    _add_filters(found)
    _add_id(_add(actions, "chain", "show the arc that leads to an episode", "ep-3fa9c2d1"))
    replayed = _add(actions, "replay", "show a topic over time", '"leak"')
    replayed.add_argument("topic", metavar="TOPIC", help="what it was about")
    _add_limit(replayed)
    deleted = _add(actions, "delete", "delete an episode for good", "ep-3fa9c2d1 --yes")
    _add_id(deleted)
    deleted.add_argument("--yes", action="store_true", help="do not ask")


def add_maintain(commands: Commands) -> None:
    """Add `maintain`."""
    command = add_command(
        commands,
        "maintain",
        run="maintain:run",
        summary="close, archive, weaken, deduplicate and re-link episodes",
        example="memory-graph maintain --user ana --apply",
    )
    add_user(command)
    mode = command.add_mutually_exclusive_group()
    mode.add_argument("--dry-run", action="store_true", help="only say what would change (default)")
    mode.add_argument("--apply", action="store_true", help="change it")


def _add(actions: Commands, name: str, summary: str, rest: str) -> ArgumentParser:
    action = add_command(
        actions,
        name,
        run=f"episodes:{name}_episodes",
        summary=summary,
        example=f"memory-graph episodes {name} {rest}",
    )
    add_user(action)
    return action


def _add_id(action: ArgumentParser) -> None:
    action.add_argument("id", metavar="ID", help="id of an episode, or how it begins")


def _add_limit(action: ArgumentParser) -> None:
    action.add_argument("--limit", type=int, default=20, metavar="N", help="how many at most")


def _add_filters(action: ArgumentParser) -> None:
    action.add_argument("--when", metavar="PHRASE", help="only of this time, e.g. 'last week'")
    action.add_argument("--outcome", choices=get_args(Outcome), help="only with this outcome")
    action.add_argument("--tag", metavar="TAG", help="only with this tag")
    action.add_argument("--project", metavar="NAME", help="only of this project")
    _add_limit(action)
