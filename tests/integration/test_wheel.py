"""The wheel among what it asks for and nothing else: the README's example and those of extras."""

import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.integration.conftest import ROOT
from tests.test_examples import PRINTED

README_PRINTS = ("Luna is 4 years old",)


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


EXTRAS = {
    "": ["quickstart"],
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


@dataclass(frozen=True)
class Fresh:
    """An environment that holds the wheel, and what extras of it ask for."""

    folder: Path
    packages: Path
    python: Path
    there: set[str] = field(default_factory=set)

    def install(self, extra: str) -> None:
        """Link what the wheel asks for with an extra: pip would unpack the same for a minute."""
        path, name = [str(self.packages)], "langgraph-memory-nodes"
        [wheel] = metadata.distributions(path=path, name=name)
        for found in asked_for(wheel, frozenset({extra}), set()):
            if found.name not in self.there:
                self.there.add(found.name)
                self._link(found)

    def _link(self, found: metadata.Distribution) -> None:
        for file in found.files or ():
            if ".." not in file.parts:  # as programs in bin are
                link = self.packages / file
                link.parent.mkdir(parents=True, exist_ok=True)
                if not link.exists():
                    link.symlink_to(found.locate_file(file))


def asked_for(
    one: metadata.Distribution, extras: frozenset[str], seen: set[tuple[str, frozenset[str]]]
) -> Iterator[metadata.Distribution]:
    """Yield all that a distribution requires with some extras, as it is installed here."""
    for line in one.requires or ():
        asked = Requirement(line)
        wanted = [asked.marker is None or asked.marker.evaluate({"extra": e}) for e in extras]
        key = (asked.name, frozenset({"", *asked.extras}))
        if any(wanted) and key not in seen:
            seen.add(key)
            found = metadata.distribution(asked.name)
            assert asked.specifier.contains(found.version, prereleases=True), line
            yield found
            yield from asked_for(found, key[1], seen)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", folder, cwd=ROOT)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "fresh")
    python = folder / "fresh" / "bin" / "python"
    alone = ("install", "--quiet", "--no-deps", "--no-index")
    run(sys.executable, "-m", "pip", "--python", python, *alone, wheel, cwd=folder)
    [packages] = folder.glob("fresh/lib/python*/site-packages")
    return Fresh(folder, packages, python)


ALL_IN_ONE = """
import runpy, sys
for path in sys.argv[1:]:
    print("\\f")
    runpy.run_path(path, run_name="__main__")
"""
"""Loads the package once for several examples."""


def test_the_wheel_runs_the_readme_and_each_example_with_its_extra(
    fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = re.search(r"## In your graph\n\n```python\n(.*?)```", readme, re.DOTALL)
    assert example
    (fresh.folder / "readme.py").write_text(example[1], encoding="utf-8")
    for extra, names in EXTRAS.items():
        fresh.install(extra)
        paths = [ROOT / "examples" / f"{name}.py" for name in names]
        words = [PRINTED[name] for name in names]
        if not extra:
            paths, words = [Path("readme.py"), *paths], [README_PRINTS, *words]
        if paths:
            shown = run(fresh.python, "-c", ALL_IN_ONE, *paths, cwd=fresh.folder).split("\f")[1:]
            for printed, promised in zip(shown, words, strict=True):
                assert [each for each in promised if each not in printed] == []
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
