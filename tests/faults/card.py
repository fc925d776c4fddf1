"""The card of the fault suite: `python -m tests.faults.card` runs it and prints what held where.

Arguments go to pytest: `python -m tests.faults.card -k embedder`.
"""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
STORES = ("memory", "sqlite", "postgres")
NO_STORE = "–"


class Outcomes:
    """How each test ended, by its file and function, and by the store it ran on."""

    def __init__(self) -> None:
        self.passed: dict[tuple[str, str, str], int] = defaultdict(int)
        self.failed: dict[tuple[str, str, str], int] = defaultdict(int)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and not report.failed:
            return
        if report.skipped:
            return
        file, _, name = report.nodeid.partition("::")
        function, _, given = name.partition("[")
        words = set(re.split(r"\W+", given))
        store = next((each for each in STORES if each in words), NO_STORE)
        ended = self.failed if report.failed else self.passed
        ended[Path(file).name, function, store] += 1

    def cell(self, file: str, function: str, store: str) -> str:
        passed, failed = self.passed[file, function, store], self.failed[file, function, store]
        if failed:
            return f"{failed} FAILED"
        return str(passed) if passed else ""


def titles() -> dict[str, str]:
    """Return what each file of the suite is about: the first line of its docstring."""
    read = {path: ast.parse(path.read_text("utf-8")) for path in sorted(FOLDER.glob("test_*.py"))}
    return {
        path.name: (ast.get_docstring(tree) or path.stem).splitlines()[0]
        for path, tree in read.items()
    }


def card(outcomes: Outcomes) -> str:
    """Return the card: a line per fault, a column per store, the number of cases that held."""
    seen = sorted({(file, function) for file, function, _ in (*outcomes.passed, *outcomes.failed)})
    head = "".join(f"{each:>12}" for each in (*STORES, "no store"))
    lines = [f"{'':<76}{head}"]
    for file, title in titles().items():
        functions = [function for each, function in seen if each == file]
        lines += ["", title] if functions else []
        for function in functions:
            cells = [outcomes.cell(file, function, each) for each in (*STORES, NO_STORE)]
            told = function.removeprefix("test_").replace("_", " ")
            lines.append(f"  {told[:73]:<74}" + "".join(f"{cell:>12}" for cell in cells))
    failed = sum(outcomes.failed.values())
    return "\n".join([*lines, "", f"{sum(outcomes.passed.values())} held, {failed} failed"])


def main(arguments: list[str]) -> int:
    outcomes = Outcomes()
    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "--tb=short"]
    code = pytest.main([str(FOLDER), *quiet, *arguments], plugins=[outcomes])
    print(card(outcomes))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
