"""The `memory-graph` command: parse the arguments, run one command, return its exit code."""

import asyncio
import gc
import logging
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from io import TextIOWrapper

from memory_graph.cli.commands import FAILED, INTERRUPTED, PROGRAM, USAGE, Run, build_parser
from memory_graph.cli.output import Presenter, first_line, plain_words
from memory_graph.errors import ConfigurationError

__all__ = ["main", "run"]

_OWNER_ALONE = 0o077  # umask: files that a command makes are for their owner only
_RARELY = 100_000
"""Objects between two garbage collections: imports create many, and none is garbage."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    gc.set_threshold(_RARELY)
    given = sys.argv[1:] if argv is None else argv
    return run(build_parser(given).parse_args(given))


def run(args: Namespace, program: str = PROGRAM) -> int:
    """Run the parsed command; report errors as one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal may not be able to print everything
            stream.reconfigure(errors="replace")
    before = os.umask(_OWNER_ALONE)
    show = Presenter(as_json=args.json, program=program)
    try:
        return _run(args, show)
    except KeyboardInterrupt:
        show.line()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader left (`| head`); Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    finally:
        os.umask(before)


def _run(args: Namespace, show: Presenter) -> int:
    from memory_graph.settings import get_settings  # noqa: PLC0415 — keeps `--help` quick

    try:
        logging.basicConfig(
            level=args.log_level or get_settings().log_level,
            format="%(levelname)s %(name)s: %(message)s",
            stream=sys.stderr,
        )
        command: Run = args.run
        return asyncio.run(command(args, show)) or 0
    except BrokenPipeError:
        raise
    except Exception as error:
        logging.getLogger(__name__).debug("Traceback:", exc_info=error)
        show.problem(plain_words(error) or f"{first_line(error)} (details: --log-level DEBUG)")
        return USAGE if isinstance(error, ConfigurationError) else FAILED
