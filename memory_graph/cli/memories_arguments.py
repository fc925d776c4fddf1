"""Which `memories` actions are there, and what do they take?"""

from argparse import ArgumentParser
from typing import get_args

from memory_graph.cli.options import Commands, add_command, add_user, day
from memory_graph.records import FactCategory


def add_memories(commands: Commands) -> None:
    """Add `memories` and its actions."""
    summary = "read, correct, move and forget what is remembered"
    memories = commands.add_parser("memories", help=summary, description=f"{summary.capitalize()}.")
    actions = memories.add_subparsers(metavar="ACTION", required=True)
    _add_list(actions)
    _add_history(actions)


def _add_list(actions: Commands) -> None:
    action = _add(actions, "list", "reading", "facts and episodes", "--kind fact")
    action.add_argument("--kind", choices=("fact", "episode"), help="only these")
    action.add_argument("--category", choices=get_args(FactCategory), help="only facts of it")
    action.add_argument("--as-of", type=day, metavar="DAY", help="as it stood when a day ended")


def _add_history(actions: Commands) -> None:
    action = _add(actions, "history", "reading", "which values facts had, and when", "")
    action.add_argument(
        "id", nargs="?", metavar="ID", help="one fact (default: those that changed)"
    )


def _add(actions: Commands, name: str, module: str, summary: str, rest: str) -> ArgumentParser:
    example = f"memory-graph memories {name} {rest}".rstrip()
    action = add_command(
        actions, name, run=f"{module}:{name}_memories", summary=summary, example=example
    )
    add_user(action)
    return action
