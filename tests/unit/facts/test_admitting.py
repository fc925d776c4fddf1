"""Candidates through the store: order, replays, history, caps."""

import asyncio
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from memory_graph.facts.keeping import admit
from memory_graph.facts.reconcile import Utterance
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import FactCandidate, Source
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import NOON

POLICY = AdmissionPolicy()


def lives_in(city, *, retracts=False):
    return FactCandidate(
        statement=f"The user lives in {city}.",
        category="profile",
        attribute="city",
        value=city,
        retracts=retracts,
    )


async def tell(memory, *candidates, day=0, policy=POLICY):
    said = Utterance(
        at=NOON + timedelta(days=day),
        source=Source(message_ids=(f"m{day}",)),
        extractor="rules/1",
        is_late=True,
    )
    admitted = await admit(memory, candidates, said, policy)
    await memory.commit(admitted.puts)
    return admitted.decisions


days = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from(["Lisbon", "Porto", "Rome", "Faro"])),
    min_size=2,
    max_size=6,
    unique_by=lambda each: each[0],
)
quick = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


async def told(line):
    memory = memory_of(Owner("ana"), InMemoryStore())
    for day, city in line:
        await tell(memory, lives_in(city), day=day)
    [fact] = await memory.facts.all()
    return fact


@quick
@given(days, st.randoms())
def test_any_order_of_the_same_statements_ends_in_the_same_current_fact(line, random):
    shuffled = list(line)
    random.shuffle(shuffled)
    fact, in_order = asyncio.run(told(shuffled)), asyncio.run(told(sorted(line)))

    assert fact.value == max(line)[1]
    assert (fact.value, fact.valid_to, fact.last_verified_at) == (
        in_order.value,
        in_order.valid_to,
        in_order.last_verified_at,
    )


@quick
@given(days)
def test_telling_everything_again_changes_nothing(line):
    async def twice():
        store = InMemoryStore()
        memory = memory_of(Owner("ana"), store)
        snapshots = []
        for _ in range(2):
            for day, city in sorted(line):
                await tell(memory, lives_in(city), day=day)
            items = await store.asearch(("memories", "ana", "facts"), limit=100)
            snapshots.append([(item.key, item.value) for item in items])
        return snapshots

    first, second = asyncio.run(twice())
    assert first == second


async def test_two_statements_of_one_turn_about_one_fact_are_both_in_its_line(memory):
    await tell(memory, lives_in("Lisbon"), lives_in("Porto"))

    fact = await memory.facts.get("profile:city")
    assert fact.value in {"Lisbon", "Porto"}
    assert len(await memory.facts.all()) == 1
