import pytest

from memory_graph.tools.patterns import bootstrap_context
from tests.demo_memory import THEMES, keep_demo

TASK = THEMES[0].task


@pytest.fixture
async def _demo(memory, now):
    await keep_demo(memory)


@pytest.mark.usefixtures("_demo")
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.advice.name)
async def test_a_task_starts_with_what_fits_it_and_nothing_else(call, theme):
    answer = await call(bootstrap_context, task=theme.task)

    assert answer.splitlines() == [
        "<memory>",
        "Failed recently:",
        f"- (2026-11-14) {theme.failure.title}. {theme.failure.summary}",
        "Failed more often than not:",
        f"- {theme.warning.name} (antipattern, 0 of 4 worked, trust 0.00): "
        f"when {theme.warning.trigger}, do not: {theme.warning.action}.",
        "Worked before:",
        f"- {theme.advice.name} (pattern, 9 of 10 worked, trust 0.60): "
        f"when {theme.advice.trigger}, do: {theme.advice.action}.",
        "Still to do:",
        f"- {theme.next_step}",
        "Who this is for:",
        "- The user is called Ana. (since 2026-11-16)",
        "</memory>",
    ]


@pytest.mark.usefixtures("_demo")
async def test_another_task_is_warned_of_nothing(call):
    answer = await call(bootstrap_context, task="choose a name for the puppy")

    assert answer.splitlines()[1:-1] == [
        "Who this is for:",
        "- The user is called Ana. (since 2026-11-16)",
    ]


@pytest.mark.usefixtures("_demo")
async def test_the_run_says_how_much_it_wants_to_know(call):
    answer = await call(
        bootstrap_context, task=TASK, context={"bootstrap": {"failures": 0, "facts": 0}}
    )

    assert "Failed recently:" not in answer
    assert "Worked before:" in answer
