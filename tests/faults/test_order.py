"""Within a thread the thread's order decides what is true, across threads the store's."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.facts.direct import restore_lost
from memory_graph.facts.keeping import admit
from memory_graph.facts.reconcile import Utterance
from memory_graph.facts.timeline import apply
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import FactCandidate, Source
from memory_graph.settings import get_settings
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.conftest import NOON
from tests.faults.conftest import Conversation, foreign_nodes

CITIES = ["Aveiro", "Braga", "Coimbra", "Evora", "Faro", "Guarda"]


@pytest.fixture
def shuffled(monkeypatch):
    """A clock that stands, jumps back and forth, and differs from call to call."""

    def shuffle(seed: int) -> None:
        lots = random.Random(seed)
        monkeypatch.setattr(
            clock,
            "utc_now",
            lambda: NOON + timedelta(seconds=lots.choice([-3600, -1, 0, 0, 0, 1, 5])),
        )

    return shuffle


@pytest.mark.parametrize("seed", range(6))
async def test_what_was_said_last_in_a_thread_is_true(store, memory_for, shuffled, seed):
    shuffled(seed)
    conversation = Conversation(foreign_nodes(store, None))

    for city in CITIES:
        await conversation.say("ana", f"I live in {city}.")

    fact = await memory_for("ana").facts.get("profile:city")
    assert fact.value == CITIES[-1]
    assert [version.value for version in fact.history] == CITIES[:-1]


async def test_what_is_made_up_for_does_not_win_over_what_was_said_after(
    store, memory_for, now, monkeypatch
):
    conversation = Conversation(foreign_nodes(store, None))
    await conversation.say("ana", "My cat Luna is 3.")
    now.move(minutes=1)
    store.is_down = True
    await conversation.say("ana", "I live in Aveiro.")
    store.is_down = False
    now.move(minutes=-5)
    await conversation.say("ana", "I live in Braga.")

    fact = await memory_for("ana").facts.get("profile:city")
    assert (fact.value, [version.value for version in fact.history]) == ("Braga", ["Aveiro"])


ORDERS = [
    [("a", "Aveiro"), ("b", "Braga"), ("a", "Coimbra"), ("c", "Evora"), ("b", "Faro")],
    [("a", "Faro"), ("a", "Braga"), ("b", "Aveiro"), ("b", "Guarda"), ("a", "Evora")],
    [("c", "Guarda"), ("b", "Faro"), ("a", "Evora"), ("c", "Coimbra"), ("c", "Braga")],
]


@pytest.mark.parametrize("seed", range(9))
async def test_across_threads_what_the_store_heard_last_is_true(store, memory_for, shuffled, seed):
    shuffled(seed)
    graph, told = foreign_nodes(store, None), ORDERS[seed % len(ORDERS)]

    for thread, city in told:
        await Conversation(graph, thread).say("ana", f"I live in {city}.")

    fact = await memory_for("ana").facts.get("profile:city")
    assert fact.value == told[-1][1]
    assert [version.value for version in fact.history] == [city for _, city in told[:-1]]


LINES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(CITIES), st.integers(-7200, 7200)),
    min_size=2,
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(LINES)
def test_whatever_clocks_say_the_last_one_is_true(line):
    """A property: threads take turns, each on a worker whose clock says anything."""

    async def tell() -> str | None:
        memory = memory_of(Owner("ana"), InMemoryStore())
        for number, (thread, city, skew) in enumerate(line):
            claim = FactCandidate(
                statement=f"The user lives in {city}.",
                category="profile",
                attribute="city",
                value=city,
            )
            source = Source(thread_id=thread, message_ids=(f"m{number}",))
            said = Utterance(at=NOON + timedelta(seconds=skew), source=source, extractor="rules/1")
            admitted = await admit(memory, [claim], said, AdmissionPolicy())
            await memory.commit(admitted.puts)
        return (await memory.facts.get("profile:city")).value

    assert asyncio.run(tell()) == line[-1][1]


async def test_an_outage_in_the_middle_keeps_the_order_of_the_thread(store, memory_for, shuffled):
    for seed in range(4):
        shuffled(seed)
        conversation = Conversation(foreign_nodes(store, None), f"thread {seed}")
        user = f"user {seed}"
        for number, city in enumerate(CITIES):
            store.is_down = number in {1, 2, 3, 4}
            await conversation.say(user, f"I live in {city}.")
        for _ in range(2):
            await conversation.say(user, "Thanks!")

        fact = await memory_for(user).facts.get("profile:city")
        told = [*(version.value for version in fact.history), fact.value]
        assert told == CITIES, f"seed {seed}"


@pytest.mark.parametrize(
    ("zone", "moment"),
    [
        ("Europe/Lisbon", datetime(2026, 10, 25, 0, 59, 59, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 3, 8, 6, 59, 59, tzinfo=UTC)),
        ("Pacific/Apia", datetime(2026, 12, 31, 9, 59, 59, tzinfo=UTC)),
        ("Asia/Kathmandu", datetime(2024, 2, 29, 18, 14, 59, tzinfo=UTC)),
    ],
)
async def test_zones_and_changes_of_the_clock_move_nothing(
    store, memory_for, monkeypatch, zone, moment
):
    graph = foreign_nodes(store, None)
    monkeypatch.setenv("MEMORY_GRAPH_TIME_ZONE", zone)
    get_settings.cache_clear()
    for minutes, city in ((0, "Aveiro"), (1, "Braga"), (61, "Faro")):
        monkeypatch.setattr(clock, "utc_now", lambda m=minutes: moment + timedelta(minutes=m))
        await Conversation(graph, "t").say("ana", f"I live in {city} since yesterday.")

    fact = await memory_for("ana").facts.get("profile:city")
    assert fact.value == "Faro"
    assert [version.value for version in fact.history] == ["Aveiro", "Braga"]


async def test_what_another_process_wrote_over_is_added_again(store, memory_for):
    """Where no process can lock another out: both read the same fact, and both write it."""
    conversation = Conversation(foreign_nodes(store, None), "mine")
    memory = memory_for("ana")
    await conversation.say("ana", "I live in Aveiro.")
    old = await memory.facts.get("profile:city")
    await conversation.say("ana", "I live in Braga.")
    entry = (await memory.ledger.recent(node="memory_hotpath"))[0]
    theirs = FactCandidate(
        statement="The user lives in Faro.", category="profile", attribute="city", value="Faro"
    )
    said_at = old.updated_at + timedelta(days=1)
    over = apply(old, theirs, at=said_at, source=Source(thread_id="theirs", message_ids=("x",)))
    await memory.commit(await memory.facts.puts([over], NOON))

    assert await restore_lost(memory, entry, NOON) == 1
    assert await restore_lost(memory, entry, NOON) == 0

    fact = await memory.facts.get("profile:city")
    told = [*(version.value for version in fact.history), fact.value]
    assert told == ["Aveiro", "Braga", "Faro"]
