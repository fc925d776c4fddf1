import pytest

from memory_graph.tools.bootstrap import bootstrap_context
from tests.examples import NOON, a_pattern

TASK = "deploy the billing service"


@pytest.fixture
async def _advice(memory):
    trigger = "the billing service is deployed"
    patterns = [a_pattern("run-smoke-tests", trigger=trigger, successes=9, occurrences=10)]
    await memory.commit(await memory.patterns.puts(patterns, NOON))


@pytest.mark.usefixtures("_advice")
async def test_a_task_starts_with_what_worked_before(call):
    answer = await call(bootstrap_context, task=TASK)

    assert "Worked before:\n- run-smoke-tests (pattern, 9 of 10 worked" in answer


@pytest.mark.usefixtures("_advice")
async def test_nothing_is_said_to_another_user(call):
    assert "nothing that fits" in await call(bootstrap_context, user="bo", task=TASK)


@pytest.mark.parametrize("args", [{"task": ""}, {"task": TASK, "token_budget": 10}])
async def test_bad_arguments_are_answered_in_words(call, args):
    assert "Please fix" in await call(bootstrap_context, **args)
