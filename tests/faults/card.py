"""The card of the fault suite: `python -m tests.faults.card` runs it and prints every case.

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


def cases() -> dict[str, tuple[str, list[str]]]:
    """Return the title and the cases of each file: the first line of its docstring, its tests."""
    read = {path: ast.parse(path.read_text("utf-8")) for path in sorted(FOLDER.glob("test_*.py"))}
    return {
        path.name: (
            (ast.get_docstring(tree) or path.stem).splitlines()[0],
            [each.name for each in ast.walk(tree) if _is_case(each)],
        )
        for path, tree in read.items()
    }


def _is_case(node: ast.AST) -> bool:
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return is_function and node.name.startswith("test_")


def card(outcomes: Outcomes) -> str:
    """Return the card: a line per case, a column per store, in how many forms it held."""
    head = "".join(f"{each:>12}" for each in (*STORES, "no store"))
    lines = [f"{'':<76}{head}"]
    held = failed = missing = 0
    for file, (title, functions) in cases().items():
        lines += ["", title]
        for function in functions:
            cells = [outcomes.cell(file, function, each) for each in (*STORES, NO_STORE)]
            failed += any("FAILED" in cell for cell in cells)
            missing += not any(cells)
            held += any(cells) and not any("FAILED" in cell for cell in cells)
            told = function.removeprefix("test_").replace("_", " ")
            row = "".join(f"{cell:>12}" for cell in cells) if any(cells) else f"{'not run':>12}"
            lines.append(f"  {told[:73]:<74}{row}")
    forms = sum(outcomes.passed.values())
    sums = f"{held} cases held in {forms} forms, {failed} failed, {missing} not run"
    return "\n".join([*lines, "", sums])


def main(arguments: list[str]) -> int:
    outcomes = Outcomes()
    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "--tb=short"]
    code = pytest.main([str(FOLDER), *quiet, *arguments], plugins=[outcomes])
    print(card(outcomes))
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
