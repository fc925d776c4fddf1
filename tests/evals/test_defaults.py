"""Every number that is a default was tuned, or says why it is none that could be."""

import re
from collections.abc import Iterator
from functools import reduce

import pytest
from pydantic import BaseModel

from evals.tunables import TUNABLES
from evals.tuning_record import FOLDER, read
from memory_graph.settings import Settings

CITED = re.compile(r"`memory-graph tune --what ([\w-]+)`: `evals/tuning/([\w-]+)\.md`")
DECLARED = re.compile(r"\bA (?:limit|definition): \w")


def numbers(model: BaseModel, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield every numeric default by its setting, with what is written about it."""
    for name, field in type(model).model_fields.items():
        value, here = getattr(model, name), (*path, name)
        if isinstance(value, BaseModel):
            yield from numbers(value, here)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            own = field.description or ""
            is_told = CITED.search(own) or DECLARED.search(own)
            yield ".".join(here), own if is_told else type(model).__doc__ or ""


DEFAULTS = dict(numbers(Settings()))


def value_of(setting: str) -> float:
    return float(reduce(getattr, setting.split("."), Settings()))


@pytest.mark.parametrize("setting", DEFAULTS)
def test_a_default_cites_the_search_that_chose_it_or_says_why_it_is_a_limit(setting) -> None:
    told = DEFAULTS[setting]
    cited = CITED.findall(told)
    assert cited or DECLARED.search(told), f"{setting} says neither: {told!r}"

    records = {name: read(FOLDER / f"{name}.md") for name, file in cited if name == file}
    assert len(records) == len(cited)
    chosen = [record[setting].chosen for record in records.values() if setting in record]
    assert chosen == ([value_of(setting)] if cited else [])


def test_every_setting_that_can_be_tuned_cites_its_record() -> None:
    tunable = {r.setting: t.name for t in TUNABLES.values() for r in t.ranges if r.constant is None}

    cited = {s: {name for name, _ in CITED.findall(DEFAULTS[s])} for s in tunable}

    assert {s for s, name in tunable.items() if name not in cited[s]} == set()


def test_policies_hold_more_numbers_than_anybody_would_check_by_hand() -> None:
    assert {"capture.weights.decision", "recall.found_min", "ledger_max"} <= DEFAULTS.keys()
    assert len(DEFAULTS) > 80
