from datetime import timedelta

import pytest

from memory_graph.curation.forget import look_after_user
from memory_graph.curation.lookup import pin
from memory_graph.policies import UpkeepPolicy, VerbatimPolicy
from memory_graph.records import Source
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import NOON, a_fact, a_turn, an_episode

OLD = NOON - timedelta(days=100)
POLICY = UpkeepPolicy(forget_facts_after_days=30, forget_episodes_after_days=60)
TURNS = VerbatimPolicy(max_age_days=60)


def old_fact(fact_id: str, **given):
    times = dict.fromkeys(("created_at", "updated_at", "last_verified_at", "valid_from"), OLD)
    return a_fact(fact_id, f"Old words about {fact_id}.", **times, **given)


def said_in(message: str) -> Source:
    return Source(thread_id="t1", message_ids=(message,))


@pytest.fixture
async def memory(store):
    memory = memory_of(Owner("ana"), store)
    facts = [
        old_fact("old", source=said_in("m1")),
        a_fact("new", "A new one.", source=said_in("m2")),
    ]
    episodes = [
        an_episode("ep-old", ended_at=OLD, source=said_in("m3")),
        an_episode("ep-new", "another", ended_at=NOON),
    ]
    turns = [
        a_turn("old words", id="turn-old", said_at=OLD, source=said_in("m4")),
        a_turn("new words", id="turn-new", said_at=NOON, source=said_in("m5")),
    ]
    await memory.commit(
        [
            *await memory.facts.puts(facts, NOON),
            *await memory.episodes.puts(episodes, NOON),
            *await memory.turns.puts(turns, NOON),
        ]
    )
    return memory


async def kept(memory) -> set[str]:
    kinds = (memory.facts, memory.episodes, memory.turns)
    return {each.id for kind in kinds for each in await kind.all()}


async def test_a_dry_run_says_what_is_past_its_time_and_deletes_nothing(memory) -> None:
    decisions = await look_after_user(memory, POLICY, TURNS, NOON, apply=False)

    gone = {each.memory_id for each in decisions if each.reason == "expired"}
    assert gone == {"old", "ep-old", "turn-old"}
    assert len(await kept(memory)) == 6


async def test_what_is_past_its_time_is_gone_with_every_trace(memory, store) -> None:
    await look_after_user(memory, POLICY, TURNS, NOON, apply=True)

    assert await kept(memory) == {"new", "ep-new", "turn-new"}
    everything = str([each.value for each in await store.asearch(("memories",), limit=1000)])
    assert "Old words" not in everything
    assert "old words" not in everything
    again = await look_after_user(memory, POLICY, TURNS, NOON, apply=True)
    assert again == ()


async def test_without_a_setting_nothing_is_deleted(memory) -> None:
    await look_after_user(memory, UpkeepPolicy(), VerbatimPolicy(), NOON, apply=True)

    assert len(await kept(memory)) == 6


async def test_a_pin_holds_a_fact_and_the_words_it_came_from(memory) -> None:
    held = old_fact("held", pinned=True, source=said_in("m4"))
    await memory.commit(await memory.facts.puts([held], NOON))

    await look_after_user(memory, POLICY, TURNS, NOON, apply=True)

    assert {"held", "turn-old"} <= await kept(memory)
    assert "old" not in await kept(memory)


async def test_a_pin_holds_an_episode_against_retention_and_upkeep(memory) -> None:
    episode = await memory.episodes.get("ep-old")
    assert await pin(memory, episode, pinned=True, now=NOON)

    later = NOON + timedelta(days=900)
    await look_after_user(memory, POLICY, TURNS, later, apply=True)

    held = await memory.episodes.get("ep-old")
    assert (held.pinned, held.status) == (True, episode.status)
    assert not await pin(memory, held, pinned=True, now=later)
