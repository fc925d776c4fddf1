"""How does a command line become a call, and its outcome an exit code?"""

import asyncio
import logging
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Coroutine, Sequence
from importlib import import_module

from memory_graph.cli.arguments import parser
from memory_graph.cli.exit_codes import FAILED, INTERRUPTED, USAGE
from memory_graph.cli.presenter import Presenter, open_presenter

Command = Callable[[Namespace, Presenter], Coroutine[None, None, int]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = parser().parse_args(argv)
    show = open_presenter(as_json=args.json)
    try:
        return _run(args, show)
    except KeyboardInterrupt:
        show.line()
        return INTERRUPTED
    except BrokenPipeError:
        # The reader left (`| head`); Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(args: Namespace, show: Presenter) -> int:
    from memory_graph.errors import ConfigurationError, MemoryGraphError  # noqa: PLC0415

    try:
        _start_logging(args)
        return asyncio.run(_command(args.run)(args, show))
    except ConfigurationError as error:
        show.problem(str(error))
        return USAGE
    except MemoryGraphError as error:
        show.problem(str(error))
        return FAILED
    except BrokenPipeError:
        raise
    except Exception as error:
        logging.getLogger(__name__).debug("Traceback:", exc_info=error)
        show.problem(f"{type(error).__name__}: {_first_line(error)} (`--log-level DEBUG`: more)")
        return FAILED


def _command(path: str) -> Command:
    """Import the command named `module:function`: only what is run is loaded."""
    module, _, name = path.partition(":")
    command: Command = getattr(import_module(f"memory_graph.cli.{module}"), name)
    return command


def _start_logging(args: Namespace) -> None:
    from memory_graph.cli.opening import load_settings  # noqa: PLC0415

    logging.basicConfig(
        level=args.log_level or load_settings().log_level,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no details"])[0]
