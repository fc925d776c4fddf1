"""`eval` and `tune`: memory quality, measured and tuned by the `evals/` of a checkout."""

import sys
from argparse import Namespace
from collections.abc import Callable, Coroutine
from importlib import import_module
from pathlib import Path

from memory_graph.cli.presenter import Presenter
from memory_graph.errors import ConfigurationError

Command = Callable[[Namespace, Presenter], Coroutine[None, None, int]]


async def list_suites(args: Namespace, show: Presenter) -> int:
    """Show every suite with what it promises."""
    return await _command("list_suites")(args, show)


async def run(args: Namespace, show: Presenter) -> int:
    """Run suites, print the table, write the report; fail if something must hold and does not."""
    return await _command("run")(args, show)


async def compare(args: Namespace, show: Presenter) -> int:
    """Run suites and print what moved since the baseline; fail on a regression."""
    return await _command("compare")(args, show)


async def tune(args: Namespace, show: Presenter) -> int:
    """Search thresholds on the tune split and write down what was found."""
    return await _command("tune")(args, show)


def _command(name: str) -> Command:
    """Import a command out of the checkout around the current directory.

    Raises:
        ConfigurationError: If there is no checkout, or its extra is not installed.
    """
    _reach(_checkout())
    try:
        command: Command = getattr(import_module("evals.commands"), name)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Evaluating needs `{error.name}`: run `pip install -e '.[evals]'` in the checkout."
        ) from error
    return command


def _checkout() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "evals" / "harness.py").is_file() and (folder / "memory_graph").is_dir():
            return folder
    raise ConfigurationError(
        "The labelled cases are not part of the installed package: run this inside a checkout "
        "of the repository, where `evals/` is."
    )


def _reach(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
