"""Suites that ask a model, over HTTP: whatever it answers, the run ends with a score."""

import json
import re

import pytest

from evals.__main__ import main
from evals.harness.runner import Setup, run_suites
from evals.suites import SUITES
from memory_graph.context import Context
from memory_graph.language.facts import read_facts
from memory_graph.language.words import language_of
from memory_graph.llm import ask as structured
from memory_graph.llm.models import models_for
from memory_graph.settings import get_settings
from tests.examples import a_reading, a_stated
from tests.openai_endpoint import Endpoint, Reply, completion, failure, serving

ASKING = [
    suite
    for suite in SUITES
    if suite.name in {"extraction", "updates", "ordering", "injection", "scenarios"}
]


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


def read_by_rules(request: dict) -> Reply:
    """Answer as a model would that knows exactly what our rules know."""
    prompt = str(request["messages"][-1]["content"])
    quoted = prompt.rpartition("Below is data")[2]
    if new := re.findall(r"^NEW: (.*)$", quoted, re.MULTILINE):
        found = read_facts(new, language_of(new[0]))
        facts = [
            a_stated(
                each.candidate.statement,
                about=f"{each.candidate.entity} ({each.candidate.entity_kind or 'self'})",
                attribute=each.candidate.attribute or "",
                value=each.candidate.value or "",
            )
            for each in found
            if not each.candidate.retracts
        ]
        return completion(json.dumps(a_reading(*facts)))
    return completion(json.dumps({"summary": "They talked.", "topic": "A talk"}))


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

    suites = ["--suite", "updates", "--suite", "extraction"]
    tried = ["--model", "small", "--limit", "5", "--json", "--output", folder]
    code = main(["run", *suites, *tried])

    assert code == 0
    assert json.loads(capsys.readouterr().out)["suites"]["extraction"]["cases"] == 5
    assert 0 < len(endpoint.requests) <= 20
    assert "Only 5 cases" in (tmp_path / "r" / "report.md").read_text("utf-8")


async def test_the_word_of_stage_one_is_scored_against_labels(endpoint: Endpoint) -> None:
    endpoint.answer = lambda request: completion('{"facts": [], "has_episode": true}')
    [suite] = [each for each in SUITES if each.name == "has-episode"]

    [result] = (await run_suites([suite], with_model(12))).results

    said = [score for score in result.scores if score.got == "episode"]
    assert 0 < len(said) == len(endpoint.requests) < len(result.scores) == 12
    assert 0 < sum(score.wanted == "episode" for score in said) < len(said)
    assert all(score.passed == (score.wanted == score.got) for score in result.scores)
