"""`python -m evals.ablation --patch FILE`: what memory is worth without a piece of the package.

Open conversations are played offline on the package as it is and on one that a patch or a commit
makes of it, each in a process of its own; both are scored alike.
"""

import asyncio
import json
import logging
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.harness.runner import CASES
from evals.suites.people import play, read_people

ROOT = Path(__file__).parents[1]
OPEN = sorted((CASES / "people").glob("*dev.json"))
COLUMNS = ("reply right", "in block", "changed", "corrected", "facts kept", "sound facts", "honest")

Row = Mapping[str, tuple[int, int]]


def main(argv: Sequence[str] | None = None) -> int:
    """Play both packages and print a table of them."""
    args = _parser().parse_args(argv)
    if args.play:
        logging.disable(logging.WARNING)
        print(json.dumps(asyncio.run(_play(args.people))))
        return 0
    with TemporaryDirectory() as folder:
        rows = {"as it is": _played(ROOT, args.people)}
        if args.patch or args.commit:
            _make_package(Path(folder), args)
            rows["made" if args.commit else "without"] = _played(Path(folder), args.people)
    print(" " * 10 + "".join(column.rjust(13) for column in COLUMNS))
    for name, row in rows.items():
        print(name.ljust(10) + "".join("/".join(map(str, row[c])).rjust(13) for c in COLUMNS))
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m evals.ablation", description=__doc__)
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--patch", type=Path, metavar="FILE", help="applied to the last commit")
    other.add_argument("--commit", metavar="NAME", help="the package of this commit")
    parser.add_argument("--people", type=Path, nargs="+", default=OPEN, metavar="FILE")
    parser.add_argument("--play", action="store_true", help="only this package, as JSON")
    return parser


def _make_package(folder: Path, args: Namespace) -> None:
    """Put the other package into a folder."""
    archive = ["git", "-C", str(ROOT), "archive", args.commit or "HEAD", "memory_graph"]
    packed = subprocess.run(archive, check=True, capture_output=True).stdout
    unpack = ["tar", "-x", "-C", str(folder)]
    subprocess.run(unpack, input=packed, check=True)
    if args.patch:
        patch = ["git", "apply", "--include=memory_graph/*", str(args.patch.resolve())]
        subprocess.run(patch, cwd=folder, check=True)


def _played(package: Path, people: Iterable[Path]) -> Row:
    """Play a package in a process of its own, away from this machine's settings and memory."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": f"{package}:{ROOT}"}
    files = [str(each.resolve()) for each in people]
    play_it = [sys.executable, "-m", "evals.ablation", "--play", "--people", *files]
    with TemporaryDirectory() as folder:
        played = subprocess.run(
            play_it, check=True, stdout=subprocess.PIPE, cwd=folder, env=environment
        )
    row: Row = json.loads(played.stdout)
    return row


async def _play(files: Iterable[Path]) -> Row:
    """Play conversations; return how often each column is right, and of how many."""
    right, of = Counter[str](), Counter[str]()
    for person in (person for path in files for person in read_people(path)):
        for name, figure in (await play(person)).items():
            right[name] += figure.right
            of[name] += figure.of
    return {column: (right[column], of[column]) for column in COLUMNS}


if __name__ == "__main__":
    sys.exit(main())
