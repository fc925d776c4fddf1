"""The `memory-graph` command."""

import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from typing import NamedTuple

import click

from memory_graph import __version__

__all__ = ["main", "run_command"]

PROGRAM = "memory-graph"
INTERRUPTED = 130  # exit code: Ctrl-C, as shells count it
_OWNER_ALONE = 0o077  # umask: files that a command makes are for their owner only
_RARELY = 100_000
"""Objects between two garbage collections: imports create many, and none is garbage."""


class Listed(NamedTuple):
    """A command as `--help` lists it; its module is imported when it is used."""

    summary: str
    module: Callable[[], Sequence[click.Command]]
    """Imports the module, and returns its commands."""


class Commands(click.Group):
    """The commands of this package, in the order in which they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        commands = COMMANDS[cmd_name].module() if cmd_name in COMMANDS else ()
        return next((each for each in commands if each.name == cmd_name), None)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.summary) for name, listed in COMMANDS.items()])


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: memory-graph chat --user ana",
)
@click.version_option(__version__, message=f"{PROGRAM} %(version)s")
@click.option("--store", metavar="ADDRESS", help="as `memory-graph COMMAND --help` says")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
@click.option("--log-level", metavar="LEVEL", help="log to stderr")
def memory_graph(**shared: object) -> None:
    """Long-term memory for LangGraph agents: use it, inspect it, change it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    gc.set_threshold(_RARELY)
    return run_command(memory_graph, argv, PROGRAM)


def run_command(command: click.Command, argv: Sequence[str] | None, program: str) -> int:
    """Run a command line; report errors as one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal may not be able to print everything
            stream.reconfigure(errors="replace")
    before = os.umask(_OWNER_ALONE)
    try:
        return int(command.main(argv, prog_name=program, standalone_mode=False) or 0)
    except click.Abort:
        sys.stderr.write("\n")
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except Exception as error:
        logging.getLogger(__name__).debug("Traceback:", exc_info=error)
        return _report(error, program)
    finally:
        os.umask(before)


def _report(error: Exception, program: str) -> int:
    """Say in one line what went wrong; return the exit code."""
    from memory_graph.cli.output import first_line, plain_words  # noqa: PLC0415 — brings records
    from memory_graph.errors import ConfigurationError  # noqa: PLC0415

    text = plain_words(error) or f"{first_line(error)} (details: --log-level DEBUG)"
    sys.stderr.write(f"{program}: {text}\n")
    return 2 if isinstance(error, ConfigurationError) else 1


def _of_chat() -> Sequence[click.Command]:
    from memory_graph.cli.chat import chat  # noqa: PLC0415 — brings the graph

    return (chat,)


def _of_memories() -> Sequence[click.Command]:
    from memory_graph.cli.memories import memories, why  # noqa: PLC0415 — brings the store

    return memories, why


def _of_admin() -> Sequence[click.Command]:
    from memory_graph.cli.admin import (  # noqa: PLC0415 — brings numpy
        audit,
        maintain,
        reembed,
        validate,
    )

    return audit, maintain, reembed, validate


def _of_transfer() -> Sequence[click.Command]:
    from memory_graph.cli.transfer import migrate, notes  # noqa: PLC0415 — brings the tools

    return migrate, notes


def _of_doctor() -> Sequence[click.Command]:
    from memory_graph.cli.doctor import doctor, settings  # noqa: PLC0415 — brings the models

    return doctor, settings


def _of_product() -> Sequence[click.Command]:
    from memory_graph.cli.product import prompts, shape  # noqa: PLC0415 — brings the shapes

    return shape, prompts


def _of_serve() -> Sequence[click.Command]:
    from memory_graph.cli.serve import inspect, mcp, tools  # noqa: PLC0415 — brings the tools

    return inspect, mcp, tools


COMMANDS: Mapping[str, Listed] = {
    "chat": Listed("Chat, and see what is remembered and why.", _of_chat),
    "inspect": Listed("See, try and correct memory in a browser.", _of_serve),
    "memories": Listed("Search, correct and delete memories.", _of_memories),
    "why": Listed("Show every decision about a memory.", _of_memories),
    "audit": Listed("Find copies, echoes, orders and secrets.", _of_admin),
    "maintain": Listed("Close, archive and deduplicate episodes.", _of_admin),
    "notes": Listed("Export and import Markdown notes.", _of_transfer),
    "migrate": Listed("Import memory from other systems.", _of_transfer),
    "validate": Listed("Check all records and links.", _of_admin),
    "reembed": Listed("Recompute all vectors with the configured embedder.", _of_admin),
    "doctor": Listed("Check the installation and suggest fixes.", _of_doctor),
    "settings": Listed("List all settings with their defaults.", _of_doctor),
    "shape": Listed("Check what matters in memory, and what is never kept.", _of_product),
    "prompts": Listed("Copy, compare and check the prompts.", _of_product),
    "tools": Listed("Call a tool as an agent would.", _of_serve),
    "mcp": Listed("Serve the memory tools over MCP.", _of_serve),
}
