"""Every suite, offline, in every build: what must hold holds, and nothing on tune got worse.

What is held back or sealed is measured by `python -m evals compare`, and asserted on by no test.
"""

import json
import os

import pytest

from evals.__main__ import main
from evals.harness.runner import Setup, run_suites
from evals.harness.summary import BASELINE, Summary, compare, summarise
from evals.suites import SUITES
from tests.configured import configure

pytestmark = pytest.mark.xdist_group("evals")


LONG = ("people", "recall-intent", "updates", "stories", "has-episode", "pace")
"""Suites that take longer than all others together; `make suites` plays them."""


def played() -> list[object]:
    long = pytest.mark.whole_suite
    return [pytest.param(s, id=s.name, marks=[long] if s.name in LONG else []) for s in SUITES]


@pytest.mark.parametrize("suite", played())
async def test_a_suite_holds_and_is_no_worse_than_its_baseline(suite) -> None:
    run = await run_suites([suite], Setup(held_back=False))

    [result] = run.results
    assert [(score.case_id, score.why) for score in result.broken] == []
    moves = compare(Summary.read(BASELINE), summarise(run), SUITES)
    worse = [move for move in moves if move.what == "tune" and move.kind == "regression"]
    assert [str(move) for move in worse] == []


def test_every_suite_has_a_baseline() -> None:
    assert Summary.read(BASELINE).suites.keys() == {suite.name for suite in SUITES}


@pytest.mark.parametrize(
    ("suite", "broken"),
    [
        ("capture", {"capture": {"notability_min": 0.95}}),
        ("abstention", {"recall": {"found_min": 0.05, "weak_min": 0.05}}),
        ("retrieval", {"recall": {"weights": {"lexical": 0, "vector": 0}}}),
        ("scenarios", {"capture": {"max_per_day": 0}}),
        ("pace", {"capture": {"novelty_min": 0.9}}),
    ],
)
def test_a_broken_threshold_is_caught(suite, broken, monkeypatch, pytestconfig, capsys):
    monkeypatch.chdir(pytestconfig.rootpath)
    configure(monkeypatch, **broken)

    code = main(["compare", "--suite", suite])

    assert code == 1
    assert "regression" in capsys.readouterr().out


def test_a_run_writes_its_report_with_charts(tmp_path, monkeypatch, pytestconfig, capsys) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)

    code = main(["run", "--suite", "capture", "--json", "--output", str(tmp_path / "r")])

    assert code == 0
    assert json.loads(capsys.readouterr().out)["suites"]["capture"]["tune"] > 0.8
    written = set(os.listdir(tmp_path / "r"))
    assert {"report.md", "summary.json", "scores.svg", "confusion-capture.svg"} <= written
    assert "curve-capture.notability_min.svg" in written
