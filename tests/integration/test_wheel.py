"""On a fresh machine: the wheel in an empty environment, then the README's example as it is."""

import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.conftest import ROOT
from tests.test_examples import PRINTED

pytestmark = pytest.mark.slow
README_PRINTS = ("Luna is 4 years old",)


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


EXTRAS = {
    "": ["quickstart"],
    "cli": [],
    "middleware": ["middleware", "react_agent", "supervisor"],
    "mcp": ["mcp_client"],
    "metrics": [],
    "inspect": [],
}
"""The examples that run with each extra, and with nothing but the extras before it."""

USES = {
    "inspect": "import memory_graph.server.inspector.app",
    "metrics": "from memory_graph.metrics import exposition; print(exposition().content_type)",
}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> "Fresh":
    folder = tmp_path_factory.mktemp("wheel")
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
        "--wheel-dir", folder, ROOT, cwd=folder,
    )  # fmt: skip
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "fresh", with_pip=True)
    return Fresh(folder, wheel, folder / "fresh" / "bin" / "python")


@dataclass(frozen=True)
class Fresh:
    """An empty environment, and the wheel to put into it."""

    folder: Path
    wheel: Path
    python: Path

    def install(self, extra: str) -> None:
        named = f"{self.wheel}[{extra}]" if extra else str(self.wheel)
        command = (self.python, "-m", "pip", "install", "--quiet", "--no-compile", named)
        run(*command, cwd=self.folder)


ALL_IN_ONE = """
import runpy, sys
for path in sys.argv[1:]:
    print("\\f")
    runpy.run_path(path, run_name="__main__")
"""
"""Loads the package once for several examples."""


def test_the_wheel_runs_the_readme_and_each_example_with_its_extra(fresh: Fresh) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"## In your graph\n\n```python\n(.*?)```", readme, re.DOTALL)
    assert example
    (fresh.folder / "readme.py").write_text(example[1], encoding="utf-8")
    for extra, names in EXTRAS.items():
        fresh.install(extra)
        paths = ["readme.py", *(ROOT / "examples" / f"{name}.py" for name in names)]
        shown = run(fresh.python, "-c", ALL_IN_ONE, *paths, cwd=fresh.folder).split("\f")[1:]
        for printed, words in zip(shown, [README_PRINTS, *map(PRINTED.get, names)], strict=True):
            assert [each for each in words if each not in printed] == []
        if extra in USES:
            run(fresh.python, "-c", USES[extra], cwd=fresh.folder)
        if not extra:
            assert "[middleware]" in missing(fresh, "import memory_graph.middleware")
            served = missing(fresh, "from memory_graph.cli import main; exit(main(['mcp']))")
            assert "[mcp]" in served


def missing(fresh: Fresh, code: str) -> str:
    done = subprocess.run(
        [fresh.python, "-c", code], cwd=fresh.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    return done.stderr
