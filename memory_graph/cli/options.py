"""What do several commands take in common, and how are their values read?"""

from argparse import (
    SUPPRESS,
    ArgumentParser,
    ArgumentTypeError,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from datetime import date
from typing import TypeAlias
from zoneinfo import ZoneInfo

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
Commands: TypeAlias = "_SubParsersAction[ArgumentParser]"


def add_command(
    commands: Commands, name: str, *, run: str, summary: str, example: str
) -> ArgumentParser:
    """Add a command that `run` carries out (`module:function` within this package)."""
    command: ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog=f"example: {example}",
        formatter_class=RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    add_shared(command, top_level=False)
    return command


def add_group(commands: Commands, name: str, *, summary: str, example: str) -> Commands:
    """Add a command that consists of actions, and return where they are added."""
    group = commands.add_parser(
        name,
        help=summary,
        description=summary[:1].upper() + summary[1:] + ".",
        epilog=f"example: {example}",
    )
    return group.add_subparsers(metavar="ACTION", required=True)


def add_shared(command: ArgumentParser, *, top_level: bool) -> None:
    """Add the options that stand before or after the name of a command."""
    unset = None if top_level else SUPPRESS
    command.add_argument(
        "--store",
        default=unset,
        metavar="ADDRESS",
        help="where memory is: sqlite, sqlite:PATH, memory, postgresql://… (default: settings)",
    )
    command.add_argument(
        "--json",
        action="store_true",
        default=False if top_level else SUPPRESS,
        help="print JSON, for programs",
    )
    command.add_argument("--log-level", choices=LEVELS, default=unset, help="log on stderr")


def add_user(command: ArgumentParser) -> None:
    """Add whose memory it is, and in which zone their days are."""
    command.add_argument("--user", default="me", metavar="ID", help="whose memory (default: me)")
    command.add_argument("--zone", type=zone, metavar="IANA", help="their time zone")


def zone(name: str) -> str:
    """Return the name of a time zone that exists."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError) as error:
        raise ArgumentTypeError(f"unknown time zone {name!r}; say e.g. Europe/Lisbon") from error


def day(text: str) -> date:
    """Return a day written as 2026-11-16."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a day such as 2026-11-16") from error
