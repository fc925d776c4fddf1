"""Which `memories` actions are there, and what do they take?"""

from argparse import ArgumentParser
from typing import get_args

from memory_graph.cli.options import Commands, add_command, add_group, add_user, day
from memory_graph.records import FactCategory


def add_memories(commands: Commands) -> None:
    """Add `memories` and its actions."""
    actions = add_group(
        commands,
        "memories",
        summary="read, correct, move and forget what is remembered",
        example="memory-graph memories list --user ana",
    )
    _add_reading(actions)
    _add_changing(actions)
    _add_moving(actions)


def _add_reading(actions: Commands) -> None:
    listed = _add(actions, "list", "reading", "show facts and episodes", "--kind fact")
    listed.add_argument("--kind", choices=("fact", "episode"), help="only these")
    listed.add_argument("--category", choices=get_args(FactCategory), help="only such facts")
    listed.add_argument("--as-of", type=day, metavar="DAY", help="as it stood when a day ended")
    shown = _add(actions, "show", "reading", "show all of one memory", "ep-3fa9c2d1")
    _add_id(shown)
    found = _add(actions, "search", "reading", "find memories, with their scores", '"cat"')
    found.add_argument("query", metavar="QUERY", help="what to look for")
    found.add_argument("--limit", type=int, default=10, metavar="N", help="how many of each kind")
    past = _add(actions, "history", "reading", "show which values facts had, and when", "")
    past.add_argument("id", nargs="?", metavar="ID", help="one fact (default: those that changed)")


def _add_changing(actions: Commands) -> None:
    _add_id(_add(actions, "pin", "changing", "mark a fact as always relevant", "profile:name"))
    _add_id(_add(actions, "unpin", "changing", "take the mark off again", "profile:name"))
    forgotten = _add(actions, "forget", "changing", "delete for good", "profile:name --yes")
    forgotten.add_argument("id", nargs="?", metavar="ID", help="a fact or an episode")
    forgotten.add_argument("--all", action="store_true", help="everything about this user")
    forgotten.add_argument("--yes", action="store_true", help="do not ask")
    undone = _add(actions, "undo", "changing", "take a decision back", "3fa9c2d1-pin#1")
    undone.add_argument("entry", metavar="ENTRY[#N]", help="ledger entry, as `why` names it")


def _add_moving(actions: Commands) -> None:
    exported = _add(actions, "export", "moving", "write all memories as JSON Lines", "ana.jsonl")
    exported.add_argument("file", nargs="?", metavar="FILE", help="where to (default: stdout)")
    imported = _add(actions, "import", "moving", "read memories from JSON Lines", "ana.jsonl")
    imported.add_argument("file", metavar="FILE", help="where from; `-` is stdin")


def _add(actions: Commands, name: str, module: str, summary: str, rest: str) -> ArgumentParser:
    example = f"memory-graph memories {name} {rest}".rstrip()
    run = f"{module}:{name}_memories"
    action = add_command(actions, name, run=run, summary=summary, example=example)
    add_user(action)
    return action


def _add_id(action: ArgumentParser) -> None:
    action.add_argument("id", metavar="ID", help="id of a memory, or how it begins")
