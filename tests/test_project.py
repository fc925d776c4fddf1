"""The project's own habits: what CI runs, what a release needs, what the index shows."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from trove_classifiers import classifiers

from tests.scheduling import GroupScheduling

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_ci_calls_targets_that_a_person_can_call(path: Path) -> None:
    steps = [step for job in read(path)["jobs"].values() for step in job["steps"]]
    called = re.findall(r"\bmake (\w+)", " ".join(step.get("run", "") for step in steps))

    assert called
    assert [name for name in called if not re.search(rf"^{name}:", MAKEFILE, re.MULTILINE)] == []


def test_ci_tests_every_python_that_the_package_names() -> None:
    named = {each.rpartition(" ")[2] for each in PROJECT["classifiers"] if ":: 3." in each}

    tested = read(ROOT / ".github/workflows/check.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert set(tested["python"]) == named


def test_the_index_shows_known_classifiers() -> None:
    assert [each for each in PROJECT["classifiers"] if each not in classifiers] == []


def test_whoever_cites_the_package_cites_this_version() -> None:
    cited = read(ROOT / "CITATION.cff")

    assert (cited["version"], cited["license"]) == (PROJECT["version"], PROJECT["license"])


def test_every_form_and_hook_can_be_read() -> None:
    forms = [*(ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"), ROOT / ".pre-commit-config.yaml"]

    assert all(read(path) for path in forms)


def test_the_notes_of_a_release_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    changes = "# Changelog\n\n## [0.2.0]\n\n- Two.\n\n## [0.1.0]\n\n- One.\n"
    (tmp_path / "CHANGELOG.md").write_text(changes, encoding="utf-8")

    for tag in ("v0.2.0", "v0.1.0"):
        subprocess.run(["make", "notes", f"TAG={tag}"], cwd=tmp_path, check=True)
        notes = (tmp_path / "dist" / "NOTES.md").read_text(encoding="utf-8")
        assert notes.strip() == ("- Two." if tag == "v0.2.0" else "- One.")
    missing = subprocess.run(
        ["make", "notes", "TAG=v9"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert "no section [9]" in missing.stderr


@pytest.mark.parametrize("fixture", ["server: Server", "guarded: Server", "browser: Browser"])
def test_files_that_share_a_server_or_browser_run_in_one_worker(fixture: str) -> None:
    folders = (ROOT / "tests" / "integration", ROOT / "tests" / "browser")
    files = [path for folder in folders for path in folder.glob("test_*.py")]
    sharing = [path.relative_to(ROOT) for path in files if fixture in path.read_text("utf-8")]
    split = GroupScheduling._split_scope

    groups = {split(None, f"{path}::{name}") for path in sharing for name in ("one", "other")}

    assert sharing
    assert len(groups) == 1
    assert "::" not in groups.pop()
