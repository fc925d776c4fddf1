"""`python -m evals run|list|compare|tune`: memory quality, measured and tuned on labelled cases."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from memory_graph.cli import run_command
from memory_graph.cli.session import Session, for_anybody

try:
    from evals.harness import commands
    from evals.harness.commands import Selection
except ModuleNotFoundError as error:
    sys.exit(f"`{error.name}` is not installed: pip install --group evals")

PROGRAM = "python -m evals"
_FILE = click.Path(path_type=Path)

locomo_option = click.option(
    "--locomo",
    type=_FILE,
    envvar="MEMORY_GRAPH_LOCOMO",
    metavar="FILE",
    help="LoCoMo data, if available",
)


@click.group()
def evals() -> None:
    """Measure memory on labelled cases, and tune its settings on them."""


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose suites."""
    for option in (
        click.argument("named", nargs=-1, metavar="[SUITE]..."),
        click.option("--suite", multiple=True, metavar="NAME", help="only this; repeatable"),
        click.option("--all", "every", is_flag=True, help="every suite (the default)"),
        click.option("--model", metavar="NAME", help="chat model (default: offline, by rules)"),
        click.option("--trials", type=click.IntRange(1), default=1, help="runs per case"),
        locomo_option,
    ):
        command = option(command)
    return command


def _selection(given: dict[str, Any]) -> Selection:
    names = [*given["named"], *given["suite"]]
    if given["every"] and names:
        raise click.UsageError("Name suites, or say --all.")
    chosen = {
        name: given[name]
        for name in ("model", "trials", "locomo", "limit", "data", "sealed")
        if name in given
    }
    return Selection(suites=names, **chosen)


@evals.command("list", epilog="example: python -m evals list --json")
@for_anybody
async def list_suites(session: Session) -> int:
    """List the suites and what each promises."""
    return await commands.list_suites(session.show)


@evals.command(epilog="example: python -m evals run capture updates")
@selecting
@click.option("--limit", type=click.IntRange(1), metavar="N", help="only N cases of each suite")
@click.option("--data", type=_FILE, metavar="FILE", help="other conversations for `people`")
@click.option("--sealed", is_flag=True, help="also what is sealed: totals only")
@click.option("--output", type=_FILE, metavar="FOLDER", help="folder of the report")
@for_anybody
async def run(session: Session, output: Path | None, **selection: Any) -> int:  # noqa: ANN401 — as typed
    """Run suites, print the table and write a report with charts."""
    return await commands.run(session.show, _selection(selection), output)


@evals.command(epilog="example: python -m evals compare --all")
@selecting
@click.option("--baseline", type=_FILE, metavar="FILE", help="another baseline")
@click.option("--with", "other", type=_FILE, metavar="FILE", help="an earlier run")
@click.option("--accept", is_flag=True, help="make this run the baseline")
@for_anybody
async def compare(
    session: Session,
    baseline: Path | None,
    other: Path | None,
    accept: bool,
    **selection: Any,  # noqa: ANN401 — as typed
) -> int:
    """Show what changed since the baseline; fail on a regression."""
    chosen = _selection(selection)
    return await commands.compare(session.show, chosen, baseline, other, accept=accept)


@evals.command(epilog="example: python -m evals tune --what auto")
@click.option("--what", multiple=True, metavar="NAME", help="only this; repeatable")
@click.option("--resamples", type=click.IntRange(1), default=400, help="for intervals")
@locomo_option
@click.option("--output", type=_FILE, metavar="FOLDER", help="folder of the record")
@for_anybody
async def tune(
    session: Session,
    what: Sequence[str],
    resamples: int,
    locomo: Path | None,
    output: Path | None,
) -> int:
    """Search thresholds and weights on the tune split."""
    return await commands.tune(session.show, what, resamples, locomo, output)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return run_command(evals, argv, PROGRAM)


if __name__ == "__main__":
    sys.exit(main())
