"""On a fresh machine: the wheel in an empty environment, then the README's example as it is."""

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.integration.conftest import ROOT

pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_the_wheel_alone_runs_the_composing_example(tmp_path: Path) -> None:
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
        "--wheel-dir", tmp_path, ROOT, cwd=tmp_path,
    )  # fmt: skip
    [wheel] = tmp_path.glob("*.whl")
    venv.create(tmp_path / "fresh", with_pip=True)
    python = tmp_path / "fresh" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"## In your graph\n\n```python\n(.*?)```", readme, re.DOTALL)
    assert example

    printed = run(python, "-c", example[1], cwd=tmp_path)

    assert "Luna is 4 years old" in printed
