import json
import re
import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import ROOT, copy_project


def langgraph(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("langgraph")
    return subprocess.run(
        [command, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_configuration_is_valid(tmp_path: Path) -> None:
    copy_project(tmp_path)

    done = langgraph(tmp_path, "validate")

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_dockerfile_comes_out_of_the_project_without_edits(tmp_path: Path) -> None:
    copy_project(tmp_path)

    done = langgraph(tmp_path, "dockerfile", "Dockerfile")

    assert done.returncode == 0, done.stdout + done.stderr
    dockerfile = (tmp_path / "Dockerfile").read_text(encoding="utf-8")
    assert "memory_graph/graph.py:graph" in dockerfile
    assert "memory_graph/server/app.py:app" in dockerfile


def test_every_file_the_configuration_names_exists() -> None:
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    named = re.findall(r"\./([\w/.]+\.py):", json.dumps(config))

    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_no_secret_and_no_memory_goes_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()

    assert {".env", ".langgraph_api/", "*.sqlite*", ".git/"} <= set(ignored)
