"""Every line of docs/lab/sources.md names a test that exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "lab" / "sources.md"
ROW = re.compile(r"^\| (?P<asked>.+?) \| `(?P<test>tests/[^`]+)` \| (?P<remark>.*) \|$")


def rows() -> list[re.Match[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ") and "Asked for" not in line]
    found = [ROW.match(line) for line in table]
    assert all(found), [line for line, row in zip(table, found, strict=True) if not row]
    return [row for row in found if row]


@cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, kinds))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["asked"][:60])
def test_what_a_source_asks_for_is_shown_by_a_test_that_exists(row):
    file, _, name = row["test"].partition("::")

    assert (ROOT / file).is_file(), file
    assert name in functions_in(ROOT / file), row["test"]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["asked"][:60])
def test_nothing_is_partly_so_without_a_reason(row):
    if row["remark"].startswith(("partly", "differently", "not ")):
        assert len(row["remark"].partition(":")[2].split()) > 3, row["remark"]


def test_all_five_documents_are_there():
    headings = re.findall(r"^## (\d{3}):", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    assert headings == ["000", "001", "002", "003", "004"]
    assert len(rows()) > 120
