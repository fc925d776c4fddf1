"""A real `langgraph dev` server, started once for the tests of a worker."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Server:
    """A running server and where it logs."""

    url: str
    log: Path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the project as its `langgraph.json` says, and the graphs scenarios need."""
    graphs = {
        "timed": "./tests/integration/served.py:graph",
        "scripted": "./tests/integration/served.py:scripted",
        "certified": "./tests/integration/served.py:certified",
    }
    with serving(tmp_path_factory.mktemp("project"), graphs=graphs) as running:
        yield running


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the project with the auth example switched on."""
    auth = {"path": "./examples/auth.py:auth", "disable_studio_auth": True}
    with serving(tmp_path_factory.mktemp("guarded"), auth=auth) as running:
        yield running


def copy_project(folder: Path, **changes: dict[str, object]) -> None:
    """Copy what is deployed, with sections of `langgraph.json` added to."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("memory_graph", "prompts", "examples", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    for section, added in changes.items():
        config[section] = {**config.get(section, {}), **added}
    (folder / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")


@contextmanager
def serving(project: Path, **changes: dict[str, object]) -> Iterator[Server]:
    """Run `langgraph dev` on a copy of the project, on a free port."""
    copy_project(project, **changes)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = project / "server.log"
    command = [Path(sys.executable).with_name("langgraph"), "dev", "--no-browser", "--no-reload"]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=project,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "HOME": str(project),
                "PYTHONPATH": str(project),
                "LANGSMITH_TRACING": "false",
                "MEMORY_GRAPH_OPERATORS": "ana@example.com",
                "CRON_SCHEDULER_SLEEP_TIME": "1",
            },
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_ready(url, process, log)
        yield Server(url, log)
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{url}/ok", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.5)
    pytest.fail(f"langgraph dev did not start:\n{log.read_text(encoding='utf-8')[-4000:]}")
