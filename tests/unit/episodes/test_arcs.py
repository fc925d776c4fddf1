"""Stories that go on over days, through the whole graph and without a model."""

from datetime import timedelta

from langgraph.store.memory import InMemoryStore

from memory_graph.language.frames import frames_for
from memory_graph.records import Episode
from tests.fakes import FakeClock
from tests.unit.test_graph import Talk

DEBUGGING = (
    "The import worker leaks memory: after an hour it gets killed. I decided to take a heap dump.",
    "I found the root cause of the memory leak: the import worker keeps every row.",
    "We fixed the memory leak of the import worker and deployed it, the heap stays flat now.",
)
OFF_TOPIC = "We decided to celebrate Elena's birthday at the lake with her whole class."


async def told(talk: Talk) -> list[Episode]:
    return sorted(await talk.memory.episodes.all(), key=lambda each: each.ended_at)


async def three_days(now: FakeClock) -> Talk:
    """One conversation per day, each in a thread of its own; a party in between."""
    store = InMemoryStore()
    for day, text in enumerate(DEBUGGING):
        talk = Talk(store=store, thread=f"day-{day}")
        await talk.say(text)
        if day == 1:
            now.move(hours=3)
            await Talk(store=store, thread="party").say(OFF_TOPIC)
            now.move(hours=-3)
        now.move(days=1)
    return talk


async def test_three_days_of_debugging_chain_by_themselves(now: FakeClock) -> None:
    talk = await three_days(now)
    first, second, party, third = await told(talk)

    assert [first.parent_episode_id, second.parent_episode_id] == [None, first.id]
    assert third.parent_episode_id == second.id
    assert party.parent_episode_id is None
    chain = await talk.memory.episodes.chain(third.id)
    assert [each.id for each in chain] == [first.id, second.id, third.id]


async def test_a_story_that_went_on_too_late_starts_anew(now: FakeClock) -> None:
    talk = Talk()
    await talk.say(DEBUGGING[0])
    now.move(days=31)
    await talk.say(DEBUGGING[1])

    assert [each.parent_episode_id for each in await told(talk)] == [None, None]


async def test_the_same_story_later_that_day_joins_its_episode(now: FakeClock) -> None:
    talk = Talk()
    await talk.say(DEBUGGING[0])
    now.move(hours=2)
    await talk.say(DEBUGGING[1])

    [episode] = await told(talk)
    assert len(episode.merged_from) == 1


async def test_another_story_of_that_day_stays_apart(now: FakeClock) -> None:
    talk = Talk()
    await talk.say(DEBUGGING[0])
    now.move(hours=2)
    await talk.say(OFF_TOPIC)

    assert len(await told(talk)) == 2


async def test_a_cycle_made_by_hand_is_survived(now: FakeClock) -> None:
    talk = await three_days(now)
    first, _, _, third = await told(talk)
    looped = first.model_copy(update={"parent_episode_id": third.id})
    memory = talk.memory
    await memory.commit(await memory.episodes.puts([looped], now.at))

    chain = await memory.episodes.chain(third.id)

    assert len(chain) == len({each.id for each in chain}) == 3


async def test_an_episode_names_what_is_new_and_never_quotes_our_own_boilerplate(
    now: FakeClock,
) -> None:
    talk = Talk()
    await talk.say(OFF_TOPIC)
    now.move(minutes=30)
    await talk.say("Thanks!")
    now.move(minutes=30)
    await talk.say(DEBUGGING[0])

    latest = (await told(talk))[-1]
    assert "import worker" in latest.title
    assert "birthday" not in latest.summary
    assert all(frames_for("en")["start"][:20] not in each.content for each in await told(talk))
    assert all("Noted:" not in each.content for each in await told(talk))
    assert latest.ended_at - latest.started_at < timedelta(hours=1)
