"""The table of commands, and the decorator that declares one.

A command is declared above the function that runs it, with its arguments; the first line of the
function's docstring is its help. A new first word also needs a line in `COMMANDS` below. The
module of a command is imported only when that command is used.
"""

import argparse
from argparse import ArgumentParser, ArgumentTypeError, Namespace, _SubParsersAction
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from typing import NamedTuple, TypeAlias, TypeVar

from memory_graph import __version__
from memory_graph.cli.output import Presenter
from memory_graph.clock import zone_named
from memory_graph.errors import ConfigurationError

PROGRAM = "memory-graph"
DISTRIBUTION = "langgraph-memory-nodes"
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
EXAMPLES = """examples:
  memory-graph chat --user ana
  memory-graph memories list
  memory-graph demo"""

FAILED = 1  # exit code: the command failed, or what was asked for does not exist
USAGE = 2  # exit code: wrong usage or wrong settings
INTERRUPTED = 130  # exit code: Ctrl-C, as shells count it
Run = Callable[[Namespace, Presenter], Coroutine[None, None, int | None]]
"""What a command does; it returns an exit code, or nothing for success."""

RunT = TypeVar("RunT", bound=Run)
Argument = Callable[[ArgumentParser], object]  # adds an argument to the parser of a command
Actions: TypeAlias = "_SubParsersAction[ArgumentParser]"


def user(name: str) -> str:
    """Return a user id, which must name somebody."""
    if not name.strip():
        raise ArgumentTypeError("a user id must not be empty")
    return name


def zone(name: str) -> str:
    """Return the name of a time zone that exists."""
    try:
        return zone_named(name).key
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def day(text: str) -> date:
    """Return a day written as 2026-11-16."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a day such as 2026-11-16") from error


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers within bounds."""
    bounds = f"from {least} on" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        number = int(text) if text.removeprefix("-").isdecimal() else least - 1
        if number < least or (most is not None and number > most):
            raise ArgumentTypeError(f"{text} is not a whole number {bounds}")
        return number

    return read


def arg(*names: str, **options: object) -> Argument:
    """Return an argument, in the words of `ArgumentParser.add_argument`."""
    return lambda command: command.add_argument(*names, **options)  # type: ignore[arg-type]


def flag(name: str, meaning: str) -> Argument:
    """Return an option that is on or off."""
    return arg(name, action="store_true", help=meaning)


USER = (
    arg("--user", type=user, default="me", metavar="ID", help="user id (default: me)"),
    arg("--zone", type=zone, metavar="IANA", help="the user's time zone"),
)
MODEL = arg("--model", metavar="NAME", help="chat model (default: from settings)")
LIMIT = arg("--limit", type=whole(1), default=20, metavar="N", help="at most N (default: 20)")
PORT = whole(0, 65535)
YES = flag("--yes", "do not ask for confirmation")
APPLY = flag("--apply", "make the changes (default: only show them)")


class Action(NamedTuple):
    """What a command runs, and its arguments; a command without actions has one without a name."""

    name: str
    run: Run
    example: str
    arguments: tuple[Argument, ...]
    creates: bool


@dataclass(frozen=True)
class Group:
    """The commands of one module."""

    commands: dict[str, list[Action]] = field(default_factory=dict)

    def command(
        self,
        name: str,
        *arguments: Argument,
        example: str = "",
        of_user: bool = True,
        creates: bool = False,
    ) -> Callable[[RunT], RunT]:
        """Make a function a command, such as `why`, or the action of one: `memories list`.

        Args:
            name: What is typed.
            arguments: Its arguments besides the options that all commands share.
            example: Arguments for the example of an action; those of commands are in `COMMANDS`.
            of_user: Whether it is about one user's memory.
            creates: Whether it may create a store. For other commands, an address without a
                store is a typing mistake.
        """
        first, _, action = name.partition(" ")
        taken = (*USER, *arguments) if of_user else arguments

        def register(run: RunT) -> RunT:
            added = Action(action, run, example, taken, creates)
            self.commands.setdefault(first, []).append(added)
            return run

        return register

    def define(self, name: str, command: ArgumentParser) -> None:
        """Add the actions and arguments of a command to its parser."""
        actions = None
        for each in self.commands[name]:
            parser = command
            if each.name:
                actions = actions or command.add_subparsers(metavar="ACTION", required=True)
                summary = (each.run.__doc__ or "").partition("\n")[0].rstrip(".")
                summary = summary[:1].lower() + summary[1:]
                parser = add_parser(actions, each.name, summary, each.example)
            set_run(parser, each.run)
            parser.set_defaults(creates=each.creates)
            for argument in each.arguments:
                argument(parser)


def add_parser(commands: Actions, name: str, summary: str, example: str) -> ArgumentParser:
    """Add the parser of a command or action; `example` is what follows its name."""
    added: ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[:1].upper()}{summary[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    added.epilog = f"example: {added.prog} {example}".rstrip()
    return added


def set_run(command: ArgumentParser, run: Run) -> None:
    """Set what a command runs, and add the options that all commands share."""
    command.set_defaults(run=run)
    _add_shared(command, default=argparse.SUPPRESS)


def _add_shared(command: ArgumentParser, **unset: object) -> None:
    """Add the options that may stand before or after the name of a command."""
    stores = "sqlite, sqlite:PATH, memory or postgresql://… (default: from settings)"
    levels = f"log to stderr: {', '.join(LEVELS)}"
    for argument in (
        arg("--store", metavar="ADDRESS", help=stores, **unset),
        arg("--json", action="store_true", help="print JSON", **unset),
        arg("--log-level", choices=LEVELS, metavar="LEVEL", help=levels, **unset),
    ):
        argument(command)


class Command(NamedTuple):
    """A command as `--help` lists it, and the module of this package that has it."""

    name: str
    summary: str
    example: str
    module: str

    def load(self) -> Group:
        """Import the group that the command is in."""
        group = import_module(f"memory_graph.cli.{self.module}").COMMANDS
        assert isinstance(group, Group)
        return group


def build_parser(argv: Collection[str]) -> ArgumentParser:
    """Return the parser for a command line.

    Commands that `argv` does not name are only listed: importing all groups would make every
    command as slow as the slowest.
    """
    top = ArgumentParser(
        prog=PROGRAM,
        description="Long-term memory for LangGraph agents: use it, inspect it, change it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    _add_shared(top)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        added = add_parser(commands, command.name, command.summary, command.example)
        if command.name in argv:
            command.load().define(command.name, added)
    return top


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """If the import of an extra fails, say how to install it."""
    try:
        yield
    except ImportError as error:
        advice = f"{what} needs an extra: pip install '{DISTRIBUTION}[{name}]'."
        raise ConfigurationError(advice) from error


COMMANDS = (
    Command("chat", "chat, and see what is remembered and why", "--user ana", "chat"),
    Command("demo", "play a scripted three-day conversation, offline", "", "chat"),
    Command("inspect", "see, try and correct memory in a browser", "--user ana", "serve"),
    Command("turns", "show the latest turns and what memory did", "--user ana", "memories"),
    Command("memories", "search, correct and delete memories", "list --user ana", "memories"),
    Command("why", "show every decision about a memory", "profile:pet:luna:age", "memories"),
    Command("why-not", "say why a memory is not recalled", '"my cat?" ep-3fa9c2d1', "memories"),
    Command("patterns", "list, confirm and reject patterns", "list --user ana", "memories"),
    Command("learn", "propose patterns from repeated outcomes", "--dry-run", "memories"),
    Command("notes", "export and import Markdown notes", "export notes --user ana", "transfer"),
    Command("migrate", "import memory from other systems", "mem0 export.json", "transfer"),
    Command("audit", "find copies, echoes, contradictions and secrets", "--user ana", "admin"),
    Command("validate", "check all records and links", "--user ana --json", "admin"),
    Command("maintain", "close, archive and deduplicate episodes", "--apply", "admin"),
    Command("reembed", "recompute all vectors with the configured embedder", "", "admin"),
    Command("calibrate", "measure an embedder's scale of similarity", "", "admin"),
    Command("doctor", "check the installation and suggest fixes", "--json", "doctor"),
    Command("settings", "list all settings with their defaults, as a .env file", "", "doctor"),
    Command("tools", "call a tool as an agent would", "call get_antipatterns", "serve"),
    Command("mcp", "serve the memory tools over MCP", "--user ana --transport http", "serve"),
)
