"""What is recalled, through the graph, without a model."""

from datetime import UTC, datetime

import pytest
from langchain_core.messages import HumanMessage

from memory_graph.context import Context
from memory_graph.curation.forget import forget
from memory_graph.settings import get_settings
from tests.examples import an_episode
from tests.fakes import FakeClock
from tests.unit.test_graph import Talk

HOTEL = "We stayed at the Hotel Lumen in Porto, the breakfast was lovely."


async def test_the_name_of_a_hotel_is_found_in_the_users_own_words(now: FakeClock) -> None:
    talk = Talk()
    await talk.say(HOTEL)
    now.move(days=3)

    answer = await talk.say("What was the name of that hotel?")

    assert "Lumen" in answer
    assert "user said) We stayed at the Hotel Lumen" in talk.state["memory_context"]


async def test_a_question_about_the_past_is_no_evidence_when_it_is_asked_again(
    now: FakeClock,
) -> None:
    talk = Talk()
    for _ in range(2):
        answer = await talk.say("What was the name of that hotel?")
        now.move(hours=1)

    assert "don't know" in answer
    assert [turn.echoes for turn in await talk.memory.turns.all()] == [True] * 4


async def test_turns_about_something_else_are_shown_nothing_word_for_word(now: FakeClock) -> None:
    talk = Talk()
    await talk.say(HOTEL)
    await talk.say("My bike has a flat tyre.")

    assert "said)" not in talk.state["memory_context"]
    assert talk.named("memory.search")[0]["turns"] == 0


async def test_a_turn_that_names_something_known_is_shown_what_was_said_of_it(
    now: FakeClock,
) -> None:
    talk = Talk()
    await talk.say(HOTEL)
    now.move(days=3)

    answer = await talk.say("The Hotel Lumen in Porto is full this week.")

    assert "user said) We stayed at the Hotel Lumen" in talk.state["memory_context"]
    assert answer == "Noted."


async def test_switched_off_nothing_is_kept_word_for_word(
    now: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_GRAPH_VERBATIM_ENABLED", "false")
    get_settings.cache_clear()
    talk = Talk()

    await talk.say(HOTEL)

    [turn] = await talk.memory.turns.all()
    assert (turn.text, turn.captured.state) == ("", "done")


async def test_forgetting_a_fact_forgets_the_words_it_came_from(now: FakeClock) -> None:
    talk = Talk()
    await talk.say("My cat Luna is 3.")
    now.move(days=1)
    await talk.say("Luna turned 4 yesterday!")
    await talk.say("The weather is fine in Porto today.")
    fact = await talk.memory.facts.get("profile:pet:luna:age")

    forgotten = await forget(talk.memory, fact, now.at)

    assert forgotten.turns == 4
    assert "luna" not in str(await talk.memory.turns.all()).casefold()
    assert len(await talk.memory.turns.all()) == 2


LATE = [
    # 23:30 on 16 November; yesterday is the same date there and other hours.
    pytest.param("Pacific/Auckland", "2026-11-16T10:30Z", "the boat", id="Auckland"),
    pytest.param("America/Los_Angeles", "2026-11-17T07:30Z", "the tents", id="Los Angeles"),
]
TOPICS = {
    "2026-11-14T02:00Z": "the skis",
    "2026-11-14T20:00Z": "the boat",
    "2026-11-15T20:00Z": "the tents",
    "2026-11-16T09:00Z": "the kayak",
}


@pytest.mark.parametrize(("zone", "at", "topic"), LATE)
async def test_yesterday_is_the_users_own_day(
    now: FakeClock, zone: str, at: str, topic: str
) -> None:
    talk = Talk(zone=zone)
    for said_at, about in TOPICS.items():
        ended = datetime.fromisoformat(said_at)
        episode = an_episode(f"ep-{about}", summary=f"We chose {about}.", ended_at=ended)
        await talk.memory.commit(await talk.memory.episodes.puts([episode], ended))
    now.at = datetime.fromisoformat(at)

    answer = await talk.say("What did we decide yesterday?")

    recalled = talk.state["memory_recall"]
    assert (recalled["found"], recalled["reason"], recalled["reach"]) == ("found", "time", "asked")
    assert recalled["time_range"][0].startswith("2026-11-15T00:00:00")
    assert [about for about in TOPICS.values() if about in answer] == [topic]


async def test_an_empty_day_is_widened_step_by_step_and_said_so(now: FakeClock) -> None:
    talk = Talk()
    await talk.memory.commit(await talk.memory.episodes.puts([an_episode()], now.at))
    asked = "What did we decide yesterday?"

    now.move(days=2)
    await talk.say(asked)
    near = talk.state
    now.move(days=20)
    await talk.say(asked)
    far = talk.state

    assert (near["memory_recall"]["reach"], near["memory_recall"]["found"]) == ("around", "weak")
    assert "Nothing is known of the time asked about" in near["memory_context"]
    assert (far["memory_recall"]["reach"], far["memory_recall"]["found"]) == ("anytime", "none")


async def test_a_topic_is_not_answered_by_whatever_else_was_said_that_day(now: FakeClock) -> None:
    talk = Talk()
    await talk.memory.commit(await talk.memory.episodes.puts([an_episode()], now.at))
    now.move(days=1)

    assert "don't know" in await talk.say("What did we decide about the wedding yesterday?")
    assert "deploy" in await talk.say("What did we decide about the deploy yesterday?")


async def test_both_parts_of_a_question_are_answered_and_a_gap_is_admitted(
    now: FakeClock,
) -> None:
    talk = Talk()
    await talk.say("My cat Luna is 3 and I live in Lisbon.")

    both = await talk.say("How old is Luna, and where do I live?")
    one = await talk.say("How old is Luna, and what is my favourite opera?")

    assert "3" in both
    assert "Lisbon" in both
    assert "3" in one
    assert "Lisbon" not in one
    assert "The rest I don't know yet." in one


async def test_a_message_that_nothing_bears_on_is_shown_no_episode(now: FakeClock) -> None:
    talk = Talk()
    for day in range(1, 6):
        ended = datetime(2026, 11, day, 12, tzinfo=UTC)
        episode = an_episode(f"ep-{day}", ended_at=ended)
        await talk.memory.commit(await talk.memory.episodes.puts([episode], ended))

    await talk.say("I bought a violin.")

    assert talk.state["memory_recall"]["memory_ids"] == []
    assert talk.state["memory_context"] == ""


@pytest.mark.parametrize("topn", [1, 3, 10])
async def test_no_more_memories_are_shown_than_allowed(now: FakeClock, topn: int) -> None:
    talk = Talk()
    for number in range(8):
        await talk.say(f"My neighbour number {number} plays the violin at night.")
        episode = an_episode(f"ep-{number}", f"violin number {number}")
        await talk.memory.commit(await talk.memory.episodes.puts([episode], now.at))
    context = Context(user_id="ana", recall={"topn": topn})

    state = await talk.graph.ainvoke(
        {"messages": [HumanMessage("What did I say about the violin?")]},
        context=context,
        config={"configurable": {"thread_id": "t9"}},
        output_keys=["memory_context"],
    )

    shown = [line for line in state["memory_context"].splitlines() if line.startswith("- ")]
    assert 0 < len(shown) <= topn
