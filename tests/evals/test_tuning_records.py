"""Searching again finds what the committed records say."""

import os
from pathlib import Path

import pytest

from evals.harness.runner import Setup, SkippedSuiteError
from evals.tuning.record import FOLDER, read
from evals.tuning.tunables import TUNABLES
from evals.tuning.tuner import tune

pytestmark = pytest.mark.xdist_group("evals")  # suites and searches play the same cases

LOCOMO = Path(os.environ["MEMORY_GRAPH_LOCOMO"]) if "MEMORY_GRAPH_LOCOMO" in os.environ else None
"""Read here, as every test starts without the variables of this package."""


@pytest.mark.whole_suite
@pytest.mark.parametrize("tunable", TUNABLES.values(), ids=TUNABLES)
async def test_searching_again_stays_within_the_recorded_interval(tunable) -> None:
    recorded = read(FOLDER / f"{tunable.name}.md")
    try:
        task = await tunable.build(Setup(locomo=LOCOMO))
    except SkippedSuiteError as reason:
        pytest.skip(str(reason))

    tuned = tune(task, resamples=100)

    assert {each.knob.setting for each in tuned.chosen} == recorded.keys()
    for each in tuned.chosen:
        known = recorded[each.knob.setting]
        assert known.low <= each.best <= known.high, each.knob.setting
        assert known.chosen == each.knob.current, each.knob.setting


def test_a_record_belongs_to_something_that_can_be_searched_again() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == TUNABLES.keys()
