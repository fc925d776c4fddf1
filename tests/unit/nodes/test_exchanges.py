"""The topics that wait for a capture: what is evidence, and what came too soon."""

from datetime import timedelta

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import reading
from memory_graph.context import Context
from memory_graph.episodes.topics import Seen, Topic, open_topics
from memory_graph.offline.chat import OfflineChat
from memory_graph.state import RecallNote
from memory_graph.turns.messages import read_turns
from tests.fakes import FakeClock
from tests.unit.test_graph import Talk

ASK = "What did we decide about the fence last week?"
MADE_UP = "You decided to build the fence of larch and to paint it green in spring."


async def topics_of(
    *messages: AIMessage | HumanMessage | ToolMessage, recall: RecallNote
) -> list[Topic]:
    turns = read_turns(messages, {"configurable": {"thread_id": "t1"}})
    return await open_topics(turns, Seen({}, {}), Context(user_id="ana"), recall)


async def test_what_is_said_about_the_past_without_memory_behind_it_is_no_evidence() -> None:
    for found in ("none", "weak"):
        recall = RecallNote(intent="explicit", found=found)

        [topic] = await topics_of(HumanMessage(ASK), AIMessage(MADE_UP), recall=recall)

        assert [one.text for one in topic.exchange.said] == [ASK]


async def test_what_memory_itself_said_is_no_evidence() -> None:
    own = OfflineChat(reply="Noted.").invoke("…")

    [topic] = await topics_of(HumanMessage("We decided to move."), own, recall=RecallNote())

    assert [one.role for one in topic.exchange.said] == ["user"]


async def test_an_episode_holds_its_own_names_only(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("My cat Luna hates the new vacuum cleaner.")
    now.move(minutes=1)
    await talk.say("We decided to move the archive to Postgres in Frankfurt.")

    [episode] = await talk.memory.episodes.all()

    assert "Luna" not in episode.metadata.entities
    assert "Luna" not in episode.content


async def test_what_came_too_soon_is_judged_on_its_own_later(now: FakeClock) -> None:
    store = InMemoryStore()
    talk = Talk(store=store)
    await talk.say("We signed the lease for the flat in Leeds today.")
    now.move(minutes=2)
    await talk.say("The doctor cleared me to run again after the knee operation.")
    early = await talk.memory.episodes.all()
    now.move(minutes=30)
    await talk.say("thanks!")

    titles = sorted(each.title for each in await talk.memory.episodes.all())

    assert len(early) == 1
    assert titles == [
        "Signed the lease for the flat in Leeds today",
        "The doctor cleared me to run again after the knee operation",
    ]


async def test_what_came_too_soon_is_not_lost_with_its_conversation(now: FakeClock) -> None:
    store = InMemoryStore()
    monday = Talk(store=store, thread="monday")
    await monday.say("We signed the lease for the flat in Leeds today.")
    now.move(minutes=2)
    said_at = now.at
    await monday.say("The doctor cleared me to run again after the knee operation.")
    now.move(hours=6)
    await Talk(store=store, thread="evening").say("good evening!")

    episodes = sorted(await monday.memory.episodes.all(), key=lambda each: each.ended_at)

    assert len(episodes) == 2
    assert abs(episodes[1].ended_at - said_at) < timedelta(seconds=1)
    assert "Leeds" not in episodes[1].summary


async def test_what_came_too_soon_does_not_put_off_what_is_said_weeks_later(
    now: FakeClock,
) -> None:
    store = InMemoryStore()
    may = Talk(store=store, thread="may")
    await may.say("We signed the lease for the flat in Leeds today.")
    now.move(minutes=2)
    await may.say("The doctor cleared me to run again after the knee operation.")
    now.move(days=21)
    await Talk(store=store, thread="june").say("We decided to sell the old caravan to Petra.")

    titles = [each.title for each in await may.memory.episodes.recent(10)]

    assert titles == [
        "Decided to sell the old caravan to Petra",
        "The doctor cleared me to run again after the knee operation",
        "Signed the lease for the flat in Leeds today",
    ]


async def test_what_goes_on_in_a_sitting_joins_its_episode(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("First swim since the shoulder operation, forty lengths and no pain at all.")
    now.move(minutes=3)
    await talk.say("Plan for the swimming is three times a week until August, never over a mile.")

    [episode] = await talk.memory.episodes.all()

    assert len(episode.source.message_ids) == 2


async def test_a_known_story_goes_on_with_less_of_an_outcome(now: FakeClock) -> None:
    told = "It is 200 a month for the camper van."
    alone, knowing = Talk(), Talk()
    await knowing.say("We bought the camper van today, paid the deposit.")
    now.move(days=2)
    await alone.say(told)
    await knowing.say(told)

    assert len(await alone.memory.episodes.all()) == 0
    assert [bool(e.parent_episode_id) for e in await knowing.memory.episodes.recent(1)] == [True]


@pytest.mark.parametrize("turns", [2, 9])
async def test_what_a_turn_costs_does_not_grow_with_the_conversation(
    turns: int, now: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk()
    for number in range(turns):
        await talk.say(f"The {number}. shelf in the cellar holds the old records of the choir.")
        now.move(minutes=20)
    read: list[str] = []
    asked: list[str] = []
    spy_on(monkeypatch, reading, "_read", read)
    spy_on(monkeypatch, type(talk.memory.turns), "since", asked)

    await talk.say("thank you!")

    assert len(read) <= 2
    assert len(asked) == 1


def spy_on(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, calls: list[str]) -> None:
    real = getattr(owner, name)

    async def noted(*given: object, **named: object) -> object:
        calls.append(name)
        return await real(*given, **named)

    monkeypatch.setattr(owner, name, noted)
