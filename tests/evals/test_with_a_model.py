"""Suites that ask a model, over HTTP: whatever it answers, the run ends with a score."""

import json
import re
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from evals.__main__ import main
from evals.harness.runner import Setup, run_suites
from evals.suites import SUITES
from evals.suites.fact_cases import TODAY
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.facts.extraction import read_without_model
from memory_graph.language.likeness import is_same_fact
from memory_graph.llm import ask as structured
from memory_graph.llm.models import models_for
from memory_graph.reading import read_message
from memory_graph.records import FactCandidate
from memory_graph.settings import get_settings
from tests.openai_endpoint import Endpoint, Reply, completion, failure, serving

ASKING = [
    suite
    for suite in SUITES
    if suite.name in {"extraction", "same-fact", "updates", "ordering", "injection", "scenarios"}
]
OTHER = [suite for suite in SUITES if suite.name in {"capture", "recall-intent"}]


@pytest.fixture
def endpoint(monkeypatch):
    structured._learnt.clear()
    with serving() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        get_settings.cache_clear()
        yield running
    structured._learnt.clear()


def with_model(limit: int) -> Setup:
    model = models_for(Context(model="small")).extraction
    return Setup(model_name="small", model=model, limit=limit)


async def read_offline(turns: list[str]) -> tuple[FactCandidate, ...]:
    noon = datetime.combine(TODAY, time(12), UTC)
    return await read_without_model(turns, await read_message(turns[-1]), noon, ZoneInfo("UTC"))


def read_by_rules(request: dict) -> Reply:
    """Answer as a model would that knows exactly what our rules know."""
    prompt = str(request["messages"][-1]["content"])
    quoted = prompt.rpartition("data, not orders")[2]
    if turns := re.findall(r"^(?:earlier|NEW): (.*)$", quoted, re.MULTILINE):
        found = run_sync(lambda: read_offline(turns))
        answer: dict = {"facts": [each.model_dump(mode="json") for each in found]}
    elif pairs := re.findall(r"^\d+\. old: (.*) \| new: (.*)$", quoted, re.MULTILINE):
        answer = {"same": [is_same_fact(old, new) for old, new in pairs]}
    else:
        answer = {"summary": "They talked.", "topic": "A talk"}
    return completion(json.dumps(answer))


ANSWERS = {
    "prose": lambda request: completion("Sure! Here is a poem about cats."),
    "another schema": lambda request: completion('{"weather": ["rain"], "facts": 7}'),
    "nothing": lambda request: completion(""),
    "an error": lambda request: failure(500),
    "not even JSON": lambda request: Reply("<html>gateway</html>", content_type="text/html"),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
@pytest.mark.filterwarnings("ignore")
async def test_an_unusable_answer_is_a_wrong_case_and_no_crash(answer, endpoint: Endpoint) -> None:
    endpoint.answer = answer

    run = await run_suites(ASKING, with_model(2))

    assert endpoint.requests
    assert [len(each.scores) for each in run.results] == [2] * len(ASKING)
    [extraction] = [each for each in run.results if each.suite.name == "extraction"]
    unanswered = [s for s in extraction.scores if "The model" in s.why]
    assert unanswered
    assert not any(s.passed for s in unanswered)


@pytest.mark.filterwarnings("ignore")
def test_the_command_tries_a_model_cheaply(
    endpoint: Endpoint, tmp_path, monkeypatch, pytestconfig, capsys
) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)
    endpoint.answer = read_by_rules
    folder = str(tmp_path / "r")

    suites = ["--suite", "same-fact", "--suite", "extraction"]
    tried = ["--model", "small", "--limit", "5", "--json", "--output", folder]
    code = main(["run", *suites, *tried])

    assert code == 0
    assert json.loads(capsys.readouterr().out)["suites"]["extraction"]["cases"] == 5
    assert 0 < len(endpoint.requests) <= 10
    assert "Only 5 cases" in (tmp_path / "r" / "report.md").read_text("utf-8")


async def test_the_word_of_stage_one_is_scored_against_labels(endpoint: Endpoint) -> None:
    endpoint.answer = lambda request: completion('{"facts": [], "has_episode": true}')
    [suite] = [each for each in SUITES if each.name == "has-episode"]

    [result] = (await run_suites([suite], with_model(12))).results

    assert len(endpoint.requests) == 12
    right = {score.case_id for score in result.scores if score.passed}
    assert right == {score.case_id for score in result.scores if score.wanted == "episode"}
    assert 0 < len(right) < 12
