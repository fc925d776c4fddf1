"""Every numeric default was tuned, or says how it was chosen or why it is a limit or definition."""

import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest
from pydantic import BaseModel

from evals.tuning.record import FOLDER, read
from evals.tuning.tunables import TUNABLES
from memory_graph.policies import meanings
from memory_graph.settings import Settings

TUNING = (Path(__file__).parents[2] / "docs" / "lab" / "tuning.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| `(?P<setting>[\w.]+)` \| (?P<default>\S+) "
    r"\| `python -m evals tune --what (?P<task>[\w-]+)` "
    r"\| \[(?P=task)\]\(\.\./\.\./evals/tuning/records/(?P=task)\.md\) \|$",
    re.MULTILINE,
)
TUNED = {row["setting"]: row for row in ROW.finditer(TUNING)}
CITED = "docs/lab/tuning.md"
DECLARED = re.compile(r"\bA (?:limit|definition): \w|`python -m evals\.[\w.]+`|\bChosen with `\w+`")


def numbers(model: BaseModel, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield every numeric default by its setting, with its description."""
    for name in type(model).model_fields:
        value, here = getattr(model, name), (*path, name)
        if isinstance(value, BaseModel):
            yield from numbers(value, here)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            own = meanings(type(model)).get(name, "")
            is_described = CITED in own or DECLARED.search(own)
            yield ".".join(here), own if is_described else type(model).__doc__ or ""


DEFAULTS = dict(numbers(Settings()))


def value_of(setting: str) -> float:
    return float(reduce(getattr, setting.split("."), Settings()))


@pytest.mark.parametrize("setting", DEFAULTS)
def test_a_default_is_in_the_table_or_says_why_it_was_not_tuned(setting) -> None:
    description = DEFAULTS[setting]

    assert (CITED in description) == (setting in TUNED), f"{setting}: {description!r}"
    assert setting in TUNED or DECLARED.search(description), f"{setting}: {description!r}"


@pytest.mark.parametrize("setting", TUNED)
def test_the_table_the_record_and_the_default_agree(setting) -> None:
    row = TUNED[setting]

    chosen = read(FOLDER / f"{row['task']}.md")[setting].chosen

    assert float(row["default"]) == chosen
    assert setting not in DEFAULTS or value_of(setting) == chosen


def test_everything_that_can_be_tuned_is_in_the_table() -> None:
    tunable = {r.setting: t.name for t in TUNABLES.values() for r in t.ranges}

    assert {setting: row["task"] for setting, row in TUNED.items()} == tunable
    assert len(TUNED) == TUNING.count("| `python -m evals tune --what ")


def test_policies_hold_more_numbers_than_anybody_would_check_by_hand() -> None:
    assert {"capture.weights.outcome", "recall.found_min", "limits.ledger_max"} <= DEFAULTS.keys()
    assert len(DEFAULTS) > 80
