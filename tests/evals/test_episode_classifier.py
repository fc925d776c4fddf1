"""The 32 labelled exchanges of stage one."""

import json
import os

import pytest

from evals.harness.runner import Setup
from evals.suites.episode_classifier import ARTIFACT, read_cases, report
from memory_graph.context import Context
from memory_graph.llm.models import models_for


def test_half_of_the_exchanges_are_worth_an_episode() -> None:
    labels = [each.worth for each in read_cases()]

    assert (len(labels), sum(labels)) == (32, 16)


async def test_local_signals_tell_them_apart() -> None:
    scores = (await report(Setup()))["scores"]

    assert scores["signals"]["precision"] >= 0.7
    assert scores["signals"]["recall"] >= 0.6


@pytest.mark.skipif(not os.environ.get("RUN_CLASSIFIER_EVAL"), reason="RUN_CLASSIFIER_EVAL=1")
async def test_every_case_is_written_down_for_whoever_sets_thresholds() -> None:
    name = os.environ.get("MEMORY_GRAPH_MODEL")
    model = models_for(Context(model=name)).extraction if name else None

    told = await report(Setup(model_name=name, model=model))

    ARTIFACT.parent.mkdir(exist_ok=True)
    ARTIFACT.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    assert len(told["cases"]) == 32
