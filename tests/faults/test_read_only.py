"""A database on a file system that nobody may write to can still be read, listed and exported."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_graph.memory import Memory

_RIGHTS_TO_IGNORE_MODES = (1, 2, 3)
_DROP_FROM_BOUNDING_SET = 24

_MAIN = "import sys; from memory_graph.cli import main; sys.exit(main(sys.argv[1:]))"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs prctl")


def _obey_modes() -> None:
    """Take away what lets root write to files that are read-only."""
    for right in _RIGHTS_TO_IGNORE_MODES:
        ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, right, 0, 0, 0)


@pytest.fixture(params=["closed", "in use"])
async def database(request, tmp_path):
    """A database that was closed, or whose log still holds what was written last."""
    path = tmp_path / "kept" / "memory.sqlite"
    async with Memory(f"sqlite:{path}", user_id="ana") as memory:
        await memory.aadd("I live in Porto.")
        if request.param == "in use":
            _set_modes(path.parent, 0o555, 0o444)
            yield path
            _set_modes(path.parent, 0o755, 0o644)
    if request.param == "closed":
        _set_modes(path.parent, 0o555, 0o444)
        yield path
        _set_modes(path.parent, 0o755, 0o644)


def _set_modes(folder: Path, of_folders: int, of_files: int) -> None:
    folder.chmod(of_folders)
    for each in folder.iterdir():
        each.chmod(of_folders if each.is_dir() else of_files)


def _run(database: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = database.parents[1] / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", _MAIN, *arguments, "--store", f"sqlite:{database}"],
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[2])},
        preexec_fn=_obey_modes,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_is_listed_searched_and_exported(database, tmp_path):
    listed = _run(database, "memories", "list", "--user", "ana")
    assert "Porto" in listed.stdout, listed.stderr
    found = _run(database, "memories", "search", "Where do I live?", "--user", "ana")
    assert "Porto" in found.stdout, found.stderr
    exported = _run(database, "memories", "export", str(tmp_path / "ana.jsonl"), "--user", "ana")
    assert exported.returncode == 0, exported.stderr
    assert "Porto" in (tmp_path / "ana.jsonl").read_text()


def test_what_cannot_be_kept_is_said(database):
    added = _run(database, "memories", "add", "I am a nurse.", "--user", "ana")

    assert added.returncode != 0
    assert "Traceback" not in added.stderr
    assert "read-only" in added.stderr.lower() or "readonly" in added.stderr.lower()
