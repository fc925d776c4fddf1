"""SECURITY.md promises only what a test shows: every promise names one, and each of them exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = PAGE.partition("\n## Promises")[2].partition("\n## ")[0]
ROWS = [line for line in PROMISES.splitlines() if line.startswith("| ") and "Promise |" not in line]


def named_in(row: str) -> list[tuple[str, str]]:
    """The tests of a row, as file and function; `::name` is in the file before it."""
    found, file = [], ""
    for path, name in re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", row):
        file = path or file
        found += [(file, name)] if path or name else []
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:60])
def test_a_promise_names_tests_that_exist(row):
    assert named_in(row)
    for file, name in named_in(row):
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        functions = {getattr(node, "name", "") for node in ast.walk(tree)}
        assert not name or name in functions, f"{file}::{name}"


def test_there_are_promises():
    assert len(ROWS) > 25
