"""32 labelled exchanges, 16 worth an episode and 16 routine: who tells them apart how well.

`RUN_CLASSIFIER_EVAL=1 pytest tests/evals/test_episode_classifier.py` writes every case to
`artifacts/episode_classifier_eval.json`, by local signals and, where a model is set, by what it
says of the user's message.
"""

import json
from pathlib import Path

from pydantic import JsonValue

from evals.harness.runner import CASES, Setup
from evals.suites import has_episode
from evals.suites.exchanges import Exchange, decide
from memory_graph.records import Said
from memory_graph.settings import get_settings

FILE = CASES / "episode_classifier.jsonl"
ARTIFACT = Path(__file__).parents[2] / "artifacts" / "episode_classifier_eval.json"


def read_cases() -> list[Exchange]:
    """Return the labelled exchanges."""
    rows = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return [
        Exchange(
            row["id"],
            "classifier",
            row["has_episode"],
            (
                Said(role="user", text=row["user"]),
                Said(role="assistant", text=row["assistant"]),
            ),
        )
        for row in rows
    ]


async def report(setup: Setup) -> dict[str, JsonValue]:
    """Return every case with its label and what each judge says, and how good each judge is."""
    policy, cases = get_settings().capture, read_cases()
    said: dict[str, list[bool]] = {"signals": [decide(each, policy).keep for each in cases]}
    if setup.model is not None:
        said["model"] = [await has_episode.told(each, setup) for each in cases]
    rows: list[JsonValue] = [
        {
            "id": each.case_id,
            "has_episode": each.worth,
            **{judge: answers[number] for judge, answers in said.items()},
        }
        for number, each in enumerate(cases)
    ]
    wanted = [each.worth for each in cases]
    scores: dict[str, JsonValue] = {judge: _score(wanted, each) for judge, each in said.items()}
    return {"model": setup.model_name, "scores": scores, "cases": rows}


def _score(wanted: list[bool], got: list[bool]) -> JsonValue:
    right = sum(one and other for one, other in zip(wanted, got, strict=True))
    return {
        "precision": round(right / max(sum(got), 1), 3),
        "recall": round(right / sum(wanted), 3),
    }
