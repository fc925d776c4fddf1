"""Which `eval` actions are there, and what do they and `tune` take?"""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from memory_graph.cli.options import Commands, add_command


def add_evals(commands: Commands) -> None:
    """Add `eval` with its actions, and `tune`."""
    summary = "measure memory on labelled cases (needs a checkout)"
    evals = commands.add_parser(
        "eval",
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog="example: memory-graph eval run --all",
    )
    actions = evals.add_subparsers(metavar="ACTION", required=True)
    add_command(
        actions,
        "list",
        run="evals:list_suites",
        summary="show the suites and what each promises",
        example="memory-graph eval list",
    )
    _add_run(actions)
    _add_compare(actions)
    _add_tune(commands)


def _add_run(actions: Commands) -> None:
    run = add_command(
        actions,
        "run",
        run="evals:run",
        summary="run suites, print the table and write a report with charts",
        example="memory-graph eval run --suite capture --suite updates",
    )
    _add_selection(run)
    run.add_argument("--limit", type=_count, metavar="N", help="only N cases of each suite")
    run.add_argument("--output", type=Path, metavar="FOLDER", help="where the report goes")


def _add_compare(actions: Commands) -> None:
    compare = add_command(
        actions,
        "compare",
        run="evals:compare",
        summary="print what moved since the committed baseline; fail on a regression",
        example="memory-graph eval compare --all",
    )
    _add_selection(compare)
    compare.add_argument("--baseline", type=Path, metavar="FILE", help="another baseline")
    compare.add_argument("--with", dest="other", type=Path, metavar="FILE", help="an earlier run")
    compare.add_argument("--accept", action="store_true", help="make this run the baseline")


def _add_selection(command: ArgumentParser) -> None:
    which = command.add_mutually_exclusive_group()
    which.add_argument("--suite", action="append", metavar="NAME", help="only this; repeatable")
    which.add_argument("--all", action="store_true", help="every suite (the default)")
    command.add_argument("--model", metavar="NAME", help="chat model (default: offline, by rules)")
    command.add_argument("--trials", type=_count, default=1, metavar="N", help="runs per case")
    command.add_argument("--locomo", type=Path, metavar="FILE", help="LoCoMo data, if you have it")


def _add_tune(commands: Commands) -> None:
    tune = add_command(
        commands,
        "tune",
        run="evals:tune",
        summary="search thresholds on the tune split (needs a checkout)",
        example="memory-graph tune --what found",
    )
    tune.add_argument("--what", action="append", metavar="NAME", help="only this; repeatable")
    tune.add_argument("--resamples", type=_count, default=400, metavar="N", help="for intervals")
    tune.add_argument("--locomo", type=Path, metavar="FILE", help="LoCoMo data, if you have it")
    tune.add_argument("--output", type=Path, metavar="FOLDER", help="where the record goes")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a count of at least 1")
    return int(text)
