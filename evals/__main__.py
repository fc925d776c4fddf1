"""`python -m evals run|list|compare|tune`: memory quality, measured and tuned on labelled cases."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from memory_graph import cli
from memory_graph.cli.commands import Actions, Run, add_parser, set_run

try:
    from evals.harness import commands
except ModuleNotFoundError as error:
    sys.exit(f"`{error.name}` is not installed: pip install --group evals")

PROGRAM = "python -m evals"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return cli.run(build_parser().parse_args(argv), program=PROGRAM)


def build_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    top = ArgumentParser(
        prog=PROGRAM,
        description="Measure memory on labelled cases, and tune its settings on them.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.set_defaults(json=False, log_level=None, store=None)
    actions = top.add_subparsers(metavar="COMMAND", required=True)
    _add(actions, "list", commands.list_suites, "list the suites and what each promises")
    _add_run(actions)
    _add_compare(actions)
    _add_tune(actions)
    return top


def _add(actions: Actions, name: str, run: Run, summary: str, example: str = "") -> ArgumentParser:
    action = add_parser(actions, name, summary, example)
    set_run(action, run)
    return action


def _add_run(actions: Actions) -> None:
    run = _add(
        actions,
        "run",
        commands.run,
        "run suites, print the table and write a report with charts",
        "capture updates",
    )
    _add_selection(run)
    run.add_argument("--limit", type=_count, metavar="N", help="only N cases of each suite")
    run.add_argument("--data", type=Path, metavar="FILE", help="other conversations for `people`")
    run.add_argument("--sealed", action="store_true", help="also what is sealed: totals only")
    run.add_argument("--output", type=Path, metavar="FOLDER", help="folder of the report")


def _add_compare(actions: Actions) -> None:
    compare = _add(
        actions,
        "compare",
        commands.compare,
        "show what changed since the baseline; fail on a regression",
        "--all",
    )
    _add_selection(compare)
    compare.add_argument("--baseline", type=Path, metavar="FILE", help="another baseline")
    compare.add_argument("--with", dest="other", type=Path, metavar="FILE", help="an earlier run")
    compare.add_argument("--accept", action="store_true", help="make this run the baseline")


def _add_selection(command: ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument("named", nargs="*", default=(), metavar="SUITE", help="only these")
    which.add_argument("--suite", action="append", metavar="NAME", help="only this; repeatable")
    which.add_argument("--all", action="store_true", help="every suite (the default)")
    command.add_argument("--model", metavar="NAME", help="chat model (default: offline, by rules)")
    command.add_argument("--trials", type=_count, default=1, metavar="N", help="runs per case")
    command.add_argument("--locomo", type=Path, metavar="FILE", help="LoCoMo data, if available")


def _add_tune(actions: Actions) -> None:
    tune = _add(
        actions,
        "tune",
        commands.tune,
        "search thresholds and weights on the tune split",
        "--what auto",
    )
    tune.add_argument("--what", action="append", metavar="NAME", help="only this; repeatable")
    tune.add_argument("--resamples", type=_count, default=400, metavar="N", help="for intervals")
    tune.add_argument("--locomo", type=Path, metavar="FILE", help="LoCoMo data, if available")
    tune.add_argument("--output", type=Path, metavar="FOLDER", help="folder of the record")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a count of at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
