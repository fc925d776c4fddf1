"""The site builds without a warning, and every code block on it runs as it is written."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path for path in (ROOT / "docs").rglob("*.md") if path.name not in {"events.md", "tuning.md"}
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SNIPPET = re.compile(r'^--8<-- "(examples/\w+\.py)"$')
ELSEWHERE = ("pip install", "langgraph dev", "docker", "make ")
"""What other tests run: the wheel in an empty environment, the server, the targets."""


def blocks(page: Path, language: str) -> list[str]:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for name, text in found if name == language]


def own_code(page: Path) -> str:
    """The Python of a page that is written on it; what it includes is run as an example."""
    written = (text for text in blocks(page, "python") if not SNIPPET.match(text.strip()))
    return "\n".join(written)


def environment(home: Path) -> dict[str, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home), "PATH": path}


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


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
    [page for page in (ROOT / "README.md", *PAGES) if own_code(page)],
    ids=lambda page: page.stem,
)
def test_the_python_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text(own_code(page), encoding="utf-8")

    run([sys.executable, "-W", "ignore", str(script)], tmp_path)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "sh")], ids=lambda page: page.stem
)
def test_the_commands_of_a_page_run(page, tmp_path):
    lines = [line for text in blocks(page, "sh") for line in text.splitlines() if line.strip()]
    ours = [line for line in lines if not line.startswith(ELSEWHERE)]

    for line in ours:
        program, *arguments = shlex.split(line, comments=True)
        assert program == "memory-graph", line
        start = "import sys; from memory_graph.cli import main; sys.exit(main())"
        run([sys.executable, "-c", start, *arguments], tmp_path)


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
