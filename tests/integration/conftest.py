"""A real `langgraph dev` server, started once for the tests of a worker."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
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
    """Serve the project as its `langgraph.json` says, from a copy, on a free port."""
    project = tmp_path_factory.mktemp("project")
    for name in ("langgraph.json", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project / name)
    for name in ("memory_graph", "prompts"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
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
            env={**os.environ, "HOME": str(project), "LANGSMITH_TRACING": "false"},
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
