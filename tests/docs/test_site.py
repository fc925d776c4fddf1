"""The site builds without a warning, and every code block on it runs as it is written."""

import json
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from memory_graph.cli import main
from memory_graph.settings import get_settings

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path for path in (ROOT / "docs").rglob("*.md") if path.name not in {"events.md", "tuning.md"}
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SNIPPET = re.compile(r'^--8<-- "(examples/\w+\.py)"$')
ELSEWHERE = ("python3 -m venv", "pip install", "langgraph dev", "docker", "make ", "cd ", "npm ")
"""What other tests run: the wheel in an empty environment, the server, the targets."""


def blocks(page: Path, language: str) -> list[str]:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for name, text in found if name == language]


def lines(page: Path, language: str) -> list[str]:
    return [line for text in blocks(page, language) for line in text.splitlines() if line.strip()]


def own_code(page: Path) -> str:
    """The Python of a page that is written on it; what it includes is run as an example."""
    written = (text for text in blocks(page, "python") if not SNIPPET.match(text.strip()))
    return "\n".join(written)


def commands(page: Path) -> list[list[str]]:
    """The arguments of every `memory-graph` on a page; what else it calls is named in ELSEWHERE."""
    ours = [line for line in lines(page, "sh") if not line.startswith(ELSEWHERE)]
    split = [shlex.split(line, comments=True) for line in ours]
    assert {program for program, *_ in split} <= {"memory-graph"}, page
    return [arguments for _, *arguments in split]


@pytest.fixture
def empty_machine(monkeypatch, tmp_path):
    """A new folder as home and working folder, and settings read from there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]

    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "quickstart" / "index.html").exists()


@pytest.mark.parametrize(
    "page",
    [page for page in (ROOT / "README.md", *PAGES) if own_code(page) or commands(page)],
    ids=lambda page: page.stem,
)
@pytest.mark.usefixtures("empty_machine")
def test_a_page_runs_from_top_to_bottom_and_prints_what_it_says(page, capsys):
    exec(compile(own_code(page), page.name, "exec"), {"__name__": "__main__"})
    codes = [main(arguments) for arguments in commands(page)]

    printed = capsys.readouterr().out.splitlines()
    assert codes == [0] * len(codes)
    assert [line for line in lines(page, "text") if line not in printed] == []


def test_a_server_finds_all_that_the_pages_let_it_import():
    served = [json.loads(text) for text in blocks(ROOT / "docs/how-to/server.md", "json")]
    places = [place for each in served for place in (*each["graphs"].values(), each["http"]["app"])]

    assert places
    for module, name in (place.split(":") for place in places):
        assert getattr(import_module(module), name) is not None


def test_what_pages_include_are_examples():
    texts = [text for page in PAGES for text in blocks(page, "python")]
    included = [match[1] for text in texts if (match := SNIPPET.match(text.strip()))]

    assert included
    assert [path for path in included if not (ROOT / path).exists()] == []


def test_the_notebook_runs_from_top_to_bottom(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(ROOT / "docs" / "tutorial.ipynb", as_version=4)

    NotebookClient(notebook, timeout=180, kernel_name="python3").execute()

    assert all("ename" not in out for cell in notebook.cells for out in cell.get("outputs", []))
