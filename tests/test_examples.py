"""Every example runs as it is written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRINTED = {
    "quickstart": ["Luna is 4", "no memory"],
    "react_agent": ["It is sunny in Lisbon.", "The agent was told: True"],
    "middleware": ["I will remember that it worked.", "The model was told: True"],
    "supervisor": ["vegetarian restaurants", "The planner was told: True"],
    "postgres_workers": ["3", "Lisbon"],
    "mcp_client": ["add_pattern", "retry-once"],
}


def run(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=180,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_prints_what_it_promises(name: str, request: pytest.FixtureRequest) -> None:
    needs_postgres = name == "postgres_workers"
    arguments = [request.getfixturevalue("postgres_url")] if needs_postgres else []

    printed = run(name, *arguments)

    assert [words for words in PRINTED[name] if words not in printed] == []


def test_every_example_is_run() -> None:
    there = {path.stem for path in (ROOT / "examples").glob("*.py")}

    assert there == {*PRINTED, "auth"}  # auth runs on a server, in the integration tests
