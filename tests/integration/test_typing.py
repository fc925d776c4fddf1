"""The README, the examples and the testing kit's example as a user's own, typed project."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import memory_graph.testing
from tests.integration.conftest import ROOT

KIT = """
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph
from memory_graph.testing import GraphSurface, Scenario


async def test_memory() -> None:
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
"""
OPENING = """
from memory_graph import Context, build_graph, open_store


async def main() -> None:
    async with open_store("memory") as store:
        graph = build_graph(store=store)
        await graph.ainvoke({"messages": []}, context=Context(user_id="ana"))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    for path in (ROOT / "examples").glob("*.py"):
        shutil.copy(path, folder)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"## In your graph\n\n```python\n(.*?)```", readme, re.DOTALL)
    kit = re.search(r"\n\n(talk = .*)", memory_graph.testing.__doc__ or "", re.DOTALL)
    assert example
    assert kit
    (folder / "readme_example.py").write_text(example[1], encoding="utf-8")
    (folder / "kit_example.py").write_text(KIT + textwrap.indent(kit[1], "    "), encoding="utf-8")
    (folder / "opening.py").write_text(OPENING, encoding="utf-8")
    return folder


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=500,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    return done.stdout


def test_mypy_passes_in_its_strictest_mode(project: Path) -> None:
    files = [path.name for path in project.glob("*.py")]
    cache = str(ROOT / ".mypy_cache")  # that of `make lint`, which has read the package

    assert "Success" in run(
        project, sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *files
    )


def test_pyright_passes(project: Path) -> None:
    pytest.importorskip("pyright")
    config = {"extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (project / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")

    run(project, sys.executable, "-m", "pyright", "--pythonpath", sys.executable, ".")


def test_the_package_tells_its_names_and_its_version() -> None:
    assert set(memory_graph.__all__) <= set(dir(memory_graph))
    assert all(getattr(memory_graph, name) for name in memory_graph.__all__)
    assert re.match(r"\d+\.\d+", memory_graph.__version__)


def test_a_missing_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['langchain.agents.middleware.types'] = None\n"
        "sys.modules['langchain'] = None\n"
        "import memory_graph; memory_graph.MemoryMiddleware"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert "pip install 'langgraph-memory-nodes[middleware]'" in done.stderr


async def test_the_store_of_the_settings_is_opened(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORY_GRAPH_STORE", f"sqlite:{tmp_path / 'm.sqlite'}")
    async with memory_graph.open_store() as store:
        graph = memory_graph.build_graph(store=store)
        await graph.ainvoke(
            {"messages": [("user", "I live in Lisbon.")]}, context={"user_id": "ana"}
        )

    assert (tmp_path / "m.sqlite").exists()
