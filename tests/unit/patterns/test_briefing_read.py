from datetime import timedelta

import pytest
from langgraph.store.base import BaseStore

from memory_graph.context import Context
from memory_graph.patterns.briefing import brief
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from tests.examples import NOON, a_fact, a_pattern, an_episode

TASK = "deploy the billing service to production"


@pytest.fixture
def memory(store: BaseStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


async def keep(memory, episodes=(), patterns=(), facts=()):
    puts = await memory.episodes.puts(episodes, NOON)
    puts += await memory.patterns.puts(patterns, NOON)
    puts += await memory.facts.puts(facts, NOON)
    await memory.commit(puts)


def failed(episode_id, title, days_ago, **given):
    return an_episode(
        episode_id,
        title,
        summary=f"{title} did not work.",
        outcome="failure",
        ended_at=NOON - timedelta(days=days_ago),
        **given,
    )


async def test_recent_failures_that_fit_the_task_are_warnings(memory):
    await keep(
        memory,
        episodes=[
            failed("near", "deploying the billing service", 1),
            failed("week", "the billing service deploy to production", 7),
            failed("old", "deploying billing to production", 8),
            failed("other", "baking sourdough bread at home", 1),
        ],
    )
    briefing = await brief(memory, TASK, Context(), NOON)

    assert {each.id for each in briefing.failures} == {"near", "week"}


async def test_advice_and_warnings_come_from_patterns_that_fit(memory):
    fits = "a service is deployed to production"
    await keep(
        memory,
        patterns=[
            a_pattern("run-smoke-tests", trigger=fits, successes=9, occurrences=10),
            a_pattern("lucky-deploy", trigger=fits, successes=1, occurrences=1),
            a_pattern("deploy-on-friday", trigger=fits, successes=0, occurrences=3),
            a_pattern("skip-review-of-deploy", trigger=fits, kind="antipattern", occurrences=1),
            a_pattern("unlucky-deploy", trigger=fits, occurrences=1),
            a_pattern("coin-toss-deploy", trigger=fits, successes=5, occurrences=10),
            a_pattern("guess", trigger=fits, successes=9, occurrences=9, status="proposed"),
            a_pattern(
                "feed-sourdough", trigger="the bread dough is flat", successes=8, occurrences=8
            ),
        ],
    )
    briefing = await brief(memory, TASK, Context(), NOON)

    assert [each.name for each in briefing.patterns] == ["run-smoke-tests", "lucky-deploy"]
    assert {each.name for each in briefing.antipatterns} == {
        "deploy-on-friday",
        "skip-review-of-deploy",
    }


async def test_open_steps_come_from_episodes_about_the_task(memory):
    await keep(
        memory,
        episodes=[
            an_episode("a", "deploying the billing service", next_steps=("Rotate the key",)),
            an_episode("b", "baking bread", summary="We baked.", next_steps=("Buy flour",)),
        ],
    )

    assert (await brief(memory, TASK, Context(), NOON)).next_steps == ("Rotate the key",)


async def test_the_recap_holds_what_matters_always_and_what_fits(memory):
    await keep(
        memory,
        facts=[
            a_fact("profile:name", "The user is called Ana.", importance=5),
            a_fact("work:cloud", "The user deploys the billing service from Lisbon."),
            a_fact("taste:tea", "The user likes green tea."),
            a_fact("profile:city", "The user lives in Porto.", importance=5, valid_to=NOON),
        ],
    )
    briefing = await brief(memory, TASK, Context(), NOON)

    assert [each.id for each in briefing.facts] == ["profile:name", "work:cloud"]
