"""Build the parser of the command line from `commands.toml`, which declares every command.

The module of a command is imported only when the command runs.
"""

import argparse
import tomllib
from argparse import ArgumentParser, ArgumentTypeError, Namespace, _SubParsersAction
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from memory_graph import __version__
from memory_graph.cli.output import Presenter, wrapped
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

Actions: TypeAlias = "_SubParsersAction[ArgumentParser]"
COMMANDS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text(encoding="utf-8")
)
"""Each command or action as it is typed, and its declaration."""

_SHARED = COMMANDS.pop("shared")

_NO_ARGUMENTS = frozenset({"help", "example", "module", "of_user", "creates", "one_of"})


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


def share(text: str) -> float:
    """Return a share from 0 to 1."""
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return given


_TYPES = {kind.__name__: kind for kind in (int, float, user, zone, day, share)}


def build_parser() -> ArgumentParser:
    """Return the parser of the whole command line."""
    top = ArgumentParser(
        prog=PROGRAM,
        description=wrapped(
            "Long-term memory for LangGraph agents: use it, inspect it, change it."
        ),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    _add_shared(top)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    actions: dict[str, Actions] = {}
    for typed, declared in COMMANDS.items():
        command, _, action = typed.partition(" ")
        added = add_parser(
            actions[command] if action else commands,
            action or command,
            declared["help"],
            declared.get("example", ""),
        )
        if any(other.startswith(f"{typed} ") for other in COMMANDS):
            actions[command] = added.add_subparsers(metavar="ACTION", required=True)
            continue
        module = declared.get("module") or COMMANDS[command]["module"]
        set_run(added, _loaded(module, f"run_{action or command}".replace("-", "_")))
        added.set_defaults(creates=declared.get("creates", False))
        _add_arguments(added, declared)
    return top


def _loaded(module: str, function: str) -> Run:
    """Return a function of a module, imported when it runs; if it takes a memory, opened for it."""

    async def run(args: Namespace, show: Presenter) -> int | None:
        found: Callable[..., Coroutine[None, None, int | None]]
        found = getattr(import_module(f"memory_graph.cli.{module}"), function)
        if "memory" not in found.__annotations__:
            return await found(args, show)
        opening = import_module("memory_graph.cli.open")
        is_whole = found.__annotations__["memory"] is opening.Memory
        opened = opening.open_memory(args) if is_whole else opening.open_user(args)
        async with opened as memory:
            return await found(memory, args, show)

    return run


def _add_arguments(command: ArgumentParser, declared: Mapping[str, Any]) -> None:
    of_user = {"--user": True, "--zone": True} if declared.get("of_user", True) else {}
    exclusive = command.add_mutually_exclusive_group() if "one_of" in declared else None
    for name, given in {**of_user, **declared}.items():
        if name in _NO_ARGUMENTS:
            continue
        options = _SHARED[name] if given is True else given
        if isinstance(options, str):
            options = {"help": options, **({"action": "store_true"} if name[0] == "-" else {})}
        if name[0] != "-" and "choices" not in options:
            options = {"metavar": name.upper(), **options}
        if "type" in options:
            options = {**options, "type": _TYPES[options["type"]]}
        holder = exclusive if exclusive and name in declared["one_of"] else command
        holder.add_argument(name, **options)


def add_parser(commands: Actions, name: str, summary: str, example: str) -> ArgumentParser:
    """Add the parser of a command or action; `example` is what follows its name."""
    added: ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=wrapped(summary[:1].upper() + summary[1:] + "."),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    added.epilog = wrapped(f"example: {added.prog} {example}".rstrip(), "", "  ")
    return added


def set_run(command: ArgumentParser, run: Run) -> None:
    """Set what a command runs, and add the options that all commands share."""
    command.set_defaults(run=run)
    _add_shared(command, default=argparse.SUPPRESS)


def _add_shared(command: ArgumentParser, **unset: Any) -> None:  # noqa: ANN401 — as argparse
    """Add the options that may stand before or after the name of a command."""
    stores = "sqlite, sqlite:PATH, memory, postgresql://… or redis://… (default: from settings)"
    levels = f"log to stderr: {', '.join(LEVELS)}"
    command.add_argument("--store", metavar="ADDRESS", help=stores, **unset)
    command.add_argument("--json", action="store_true", help="print JSON", **unset)
    command.add_argument("--log-level", choices=LEVELS, metavar="LEVEL", help=levels, **unset)


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """If the import of an extra fails, say how to install it."""
    try:
        yield
    except ImportError as error:
        advice = f"{what} needs an extra: pip install '{DISTRIBUTION}[{name}]'."
        raise ConfigurationError(advice) from error
