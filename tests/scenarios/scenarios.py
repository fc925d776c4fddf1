"""What memory does for its user, told once and run on every surface and store.

Each scenario takes a `Scenario` and says nothing about where it runs.
"""

from collections.abc import Awaitable, Callable

from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from memory_graph.testing.scenario import Scenario
from memory_graph.testing.scripted import ScriptedChat

Told = Callable[[Scenario], Awaitable[None]]
SCENARIOS: dict[str, Told] = {}
SCRIPTED = frozenset({"tool_outcome"})
"""Scenarios in which a chat model of the application's own calls tools."""

OUTAGE = "(outage)"
"""Whatever is said with this in front is said while the store is down."""


def scenario(told: Told) -> Told:
    SCENARIOS[told.__name__] = told
    return told


@tool
def deploy(service: str) -> str:
    """Deploy a service."""
    return f"{service} deployed, all checks passed"


def scripted_model() -> ScriptedChat:
    """The application's model: it deploys, and answers what memory asks of it."""
    call = {"name": "deploy", "args": {"service": "billing"}, "id": "c1", "type": "tool_call"}
    draft = {
        "summary": "The billing service was deployed and all checks passed.",
        "topic": "deploying billing",
        "approach": "the deploy tool",
        "outcome": "success",
        "tools_used": ["deploy"],
    }
    return ScriptedChat(
        replies=[AIMessage("", tool_calls=[call]), "Billing is deployed, all checks passed."],
        answers={"ExtractedFacts": {"facts": []}, "EpisodeDraft": draft},
    )


@scenario
async def fact_created(talk: Scenario) -> None:
    await talk.user_says("My cat Luna is 3.")
    talk.expect_event("memory.create", reason="new_fact")
    await talk.expect_fact("profile:pet:luna:age", value="3")
    await talk.expect_episodes(0)


@scenario
async def fact_corrected(talk: Scenario) -> None:
    await talk.user_says("My cat Luna is 3.")
    talk.wait(days=1)
    await talk.user_says("Luna turned 4 yesterday!")
    talk.expect_event("memory.update")
    await talk.expect_fact("profile:pet:luna:age", value="4", was="3")


@scenario
async def fact_retracted(talk: Scenario) -> None:
    await talk.user_says("I live in Lisbon.")
    await talk.expect_fact("profile:city", value="Lisbon")
    talk.wait(days=2)
    await talk.user_says("I no longer live in Lisbon.")
    talk.expect_event("memory.retract")
    await talk.expect_no_fact("profile:city")


@scenario
async def recall_by_time(talk: Scenario) -> None:
    await talk.user_says("We decided to move the photo archive to Postgres.")
    await talk.expect_episodes(1)
    talk.wait(days=1, hours=2)
    await talk.user_says("What did we decide about the photo archive yesterday?", thread="next")
    event = talk.expect_recall("found", "weak")
    assert event["episodes"] + event["turns"] == 1


@scenario
async def skip_reasons(talk: Scenario) -> None:
    await talk.user_says("Thanks!")
    talk.expect_skip("routine")
    await talk.user_says("I live in Lisbon.")
    talk.expect_skip("pure_fact_update")
    await talk.user_says("We decided to go with Postgres for the billing service.")
    talk.expect_event("episodic.create", reason="decision")
    talk.wait(minutes=2)
    await talk.user_says("We also decided to name the new server Atlas.")
    talk.expect_skip("cooldown")
    await talk.expect_episodes(1)


@scenario
async def merged(talk: Scenario) -> None:
    await talk.user_says("We decided to move the photo archive to Postgres.")
    talk.wait(hours=5)
    await talk.user_says(
        "We finished moving the photo archive to Postgres today, and SQLite no longer locks.",
        thread="afternoon",
    )
    talk.expect_event("episodic.merge")
    await talk.expect_episodes(1)


@scenario
async def chained(talk: Scenario) -> None:
    await talk.user_says("We decided to move the photo archive to Postgres.")
    talk.wait(hours=25)
    await talk.user_says(
        "We fixed the slow searches in the photo archive on Postgres: "
        "an index was missing, it works now.",
        thread="later",
    )
    first, second = await talk.expect_episodes(2)
    assert second.parent_episode_id == first.id


@scenario
async def isolation(talk: Scenario) -> None:
    await talk.user_says("I live in Lisbon.")
    await talk.user_says("Where do I live?", user="ben")
    talk.expect_recall("none")
    await talk.expect_no_fact("profile:city", user="ben")
    await talk.user_says("Where do I live?", thread="another")
    talk.expect_recall("found")


@scenario
async def abstaining(talk: Scenario) -> None:
    await talk.user_says("I live in Lisbon.")
    talk.wait(days=3)
    await talk.user_says("What did we decide about the Berlin office last year?")
    talk.expect_recall("none")


@scenario
async def tool_outcome(talk: Scenario) -> None:
    await talk.user_says("Please deploy the billing service.")
    talk.expect_reply("Billing is deployed")
    [episode] = await talk.expect_episodes(1)
    assert episode.outcome == "success"
    assert "deploy" in episode.metadata.tools_used


@scenario
async def replayed(talk: Scenario) -> None:
    text = "We decided to go with Postgres, and my cat Luna is 3."
    for _ in range(3):
        await talk.user_says(text, message_id="delivered-three-times")
        talk.wait(hours=1)
    fact = await talk.expect_fact("profile:pet:luna:age", value="3")
    assert fact.history == ()
    [episode] = await talk.expect_episodes(1)
    assert episode.source.message_ids == ("delivered-three-times",)


@scenario
async def failure(talk: Scenario) -> None:
    heard = await talk.user_says(f"{OUTAGE} I live in Lisbon.")
    assert heard.reply
    talk.expect_event("memory.gave_up")
    await talk.expect_no_fact("profile:city")
    talk.wait(minutes=5)
    await talk.user_says("My cat Luna is 3.")
    await talk.expect_fact("profile:pet:luna:age", value="3")
