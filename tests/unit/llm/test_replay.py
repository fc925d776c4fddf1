"""Whole conversations with what a real small model answered, and with a model that misleads."""

import pytest

from evals.harness.runner import CASES
from evals.replay import FILES, Misleading, Replayed, beside_rules, read_recordings
from evals.suites.people import read_people

RECORDINGS = read_recordings(FILES)


def person(file, name):
    return next(each for each in read_people(CASES / "people" / file) if each.id == name)


@pytest.mark.parametrize(
    ("file", "name"), [("fifth_hand_dev.json", "phd_hydro"), ("other_hand_dev.json", "forklift")]
)
async def test_a_real_models_answers_cost_no_fact_and_no_correction(file, name):
    model = Replayed(recordings=RECORDINGS)
    by_rules, with_model = await beside_rules(person(file, name), model)

    assert model.calls["facts"] > model.calls["not recorded"]
    for figure in ("facts kept", "corrected", "in block"):
        assert with_model[figure].right >= by_rules[figure].right


async def test_a_model_that_says_of_everything_that_it_replaces_something_costs_no_fact():
    by_rules, with_model = await beside_rules(person("dev.json", "beekeeper"), Misleading())

    for figure in ("facts kept", "corrected", "in block"):
        assert with_model[figure].right >= by_rules[figure].right
