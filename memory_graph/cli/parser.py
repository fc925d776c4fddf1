"""The command line's parser: every command by name, with its group imported only when it is used.

A group module defines the arguments of its commands next to the functions that run them. To add
a command, write both there, list it in the module's `COMMANDS`, and add a line to `COMMANDS` here.
"""

from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from collections.abc import Callable, Collection, Coroutine, Mapping
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from memory_graph.cli.output import Presenter, wrapped

PROGRAM = "memory-graph"
DISTRIBUTION = "langgraph-memory-nodes"
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
EXAMPLES = """examples:
  memory-graph chat --user ana
  memory-graph memories list
  memory-graph demo"""

FAILED = 1
"""Exit code: the command failed, or what was asked for does not exist."""

USAGE = 2
"""Exit code: wrong usage or wrong settings."""

INTERRUPTED = 130
"""Exit code: Ctrl-C, as shells count it."""

Run = Callable[[Namespace, Presenter], Coroutine[None, None, int]]
Define = Callable[[ArgumentParser], None]
"""Adds a command's arguments to its parser."""

Group = Mapping[str, Define]
Actions: TypeAlias = "_SubParsersAction[ArgumentParser]"


class Command(NamedTuple):
    """A command as `--help` lists it, and how to import the group that defines it."""

    name: str
    summary: str
    example: str
    load: Callable[[], Group]


def build_parser(argv: Collection[str]) -> ArgumentParser:
    """Return the parser for a command line.

    Commands that `argv` does not name are only listed: importing all groups would make every
    command as slow as the slowest.
    """
    top = ArgumentParser(
        prog=PROGRAM,
        description=wrapped(
            "Long-term memory for LangGraph agents: use it, inspect it, change it."
        ),
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {installed_version()}")
    add_shared(top, top_level=True)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        added = add_parser(commands, command.name, command.summary, command.example)
        if command.name in argv:
            command.load()[command.name](added)
    return top


def installed_version() -> str:
    """Return the version of the installed package."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "(not installed)"


def add_parser(commands: Actions, name: str, summary: str, example: str) -> ArgumentParser:
    """Add the parser of a command or action; `example` is what follows its name."""
    added: ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=wrapped(summary[:1].upper() + summary[1:] + "."),
        formatter_class=RawDescriptionHelpFormatter,
    )
    added.epilog = wrapped(f"example: {added.prog} {example}".rstrip(), "", "  ")
    return added


def add_actions(command: ArgumentParser) -> Actions:
    """Make a command consist of actions, and return where they are added."""
    return command.add_subparsers(metavar="ACTION", required=True)


def add_action(
    actions: Actions, name: str, run: Run, summary: str, example: str = ""
) -> ArgumentParser:
    """Add an action on one user's memory."""
    action = add_parser(actions, name, summary, example)
    set_run(action, run)
    add_user(action)
    return action


def set_run(command: ArgumentParser, run: Run) -> None:
    """Set what a command runs, and add the options that all commands share."""
    command.set_defaults(run=run)
    add_shared(command, top_level=False)


def add_shared(command: ArgumentParser, *, top_level: bool) -> None:
    """Add the options that may stand before or after the name of a command."""
    unset = None if top_level else SUPPRESS
    command.add_argument(
        "--store",
        default=unset,
        metavar="ADDRESS",
        help="sqlite, sqlite:PATH, memory or postgresql://… (default: from settings)",
    )
    command.add_argument(
        "--json",
        action="store_true",
        default=False if top_level else SUPPRESS,
        help="print JSON",
    )
    command.add_argument(
        "--log-level",
        choices=LEVELS,
        default=unset,
        metavar="LEVEL",
        help=f"log to stderr: {', '.join(LEVELS)}",
    )


def add_user(command: ArgumentParser) -> None:
    """Add the user whose memory it is, and their time zone."""
    command.add_argument(
        "--user", type=user, default="me", metavar="ID", help="user id (default: me)"
    )
    command.add_argument("--zone", type=zone, metavar="IANA", help="the user's time zone")


def add_model(command: ArgumentParser) -> None:
    """Add the chat model to use."""
    command.add_argument("--model", metavar="NAME", help="chat model (default: from settings)")


def creates_a_store(command: ArgumentParser) -> None:
    """Let a command make a store that does not exist yet; the others would only mistype one."""
    command.set_defaults(creates=True)


def user(name: str) -> str:
    """Return a user id, which must name somebody."""
    if not name.strip():
        raise ArgumentTypeError("a user id must not be empty")
    return name


def zone(name: str) -> str:
    """Return the name of a time zone that exists."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError) as error:
        raise ArgumentTypeError(f"unknown time zone {name!r}; example: Europe/Lisbon") from error


def day(text: str) -> date:
    """Return a day written as 2026-11-16."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a day such as 2026-11-16") from error


def _chat() -> Group:
    from memory_graph.cli import chat  # noqa: PLC0415

    return chat.COMMANDS


def _doctor() -> Group:
    from memory_graph.cli import doctor  # noqa: PLC0415

    return doctor.COMMANDS


def _episodes() -> Group:
    from memory_graph.cli import episodes  # noqa: PLC0415

    return episodes.COMMANDS


def _memories() -> Group:
    from memory_graph.cli import memories  # noqa: PLC0415

    return memories.COMMANDS


def _patterns() -> Group:
    from memory_graph.cli import patterns  # noqa: PLC0415

    return patterns.COMMANDS


def _upkeep() -> Group:
    from memory_graph.cli import upkeep  # noqa: PLC0415

    return upkeep.COMMANDS


def _serve() -> Group:
    from memory_graph.cli import serve  # noqa: PLC0415

    return serve.COMMANDS


def _tools() -> Group:
    from memory_graph.cli import tools  # noqa: PLC0415

    return tools.COMMANDS


def _transfer() -> Group:
    from memory_graph.cli import transfer  # noqa: PLC0415

    return transfer.COMMANDS


COMMANDS = (
    Command("chat", "chat, and see what is remembered and why", "--user ana", _chat),
    Command("demo", "play a scripted three-day conversation, offline", "", _chat),
    Command("inspect", "see, try and correct memory in a browser", "--user ana", _serve),
    Command("turns", "show the latest turns and what memory did", "--user ana", _serve),
    Command("memories", "list, correct, move and delete memories", "list --user ana", _memories),
    Command("patterns", "list, add and decide on learnt patterns", "list --user ana", _patterns),
    Command("decisions", "show an episode's decisions and their effects", "ep-3fa9c2d1", _episodes),
    Command("learn", "propose patterns from repeated outcomes", "--user ana --dry-run", _patterns),
    Command("bootstrap", "show the briefing for a new task", '"deploy" --user ana', _patterns),
    Command("notes", "episodes and patterns as Markdown", "export notes --user ana", _transfer),
    Command(
        "migrate", "import memory from other systems", "mem0 export.json --user ana", _transfer
    ),
    Command("validate", "check all records and links", "--user ana --json", _transfer),
    Command("episodes", "show episodes by time, thread and topic", "list --user ana", _episodes),
    Command("why", "show every decision about a memory", "profile:pet:luna:age", _memories),
    Command("why-not", "say why a memory is not recalled", '"my cat?" ep-3fa9c2d1', _memories),
    Command("audit", "find copies, echoes, contradictions and secrets", "--user ana", _upkeep),
    Command("doctor", "check the installation and suggest fixes", "--json", _doctor),
    Command("reembed", "recompute all vectors with the configured embedder", "", _transfer),
    Command("calibrate", "measure an embedder's scale of similarity", "", _transfer),
    Command("maintain", "close, archive and deduplicate episodes", "--user ana --apply", _episodes),
    Command("shards", "spread users over several stores", "move --user ana --to b", _upkeep),
    Command("settings", "list all settings with their defaults, as a .env file", "", _doctor),
    Command(
        "tools", "call a tool as an agent would", 'call replay_topic \'{"topic": "leak"}\'', _tools
    ),
    Command("mcp", "serve the memory tools over MCP", "--user ana --transport http", _serve),
    Command("completion", "print a script that completes commands", "bash", _doctor),
)
