"""Candidates through the store: order, replays, history, caps."""

import asyncio
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from memory_graph.curation.undo import undo
from memory_graph.facts.keeping import admit
from memory_graph.facts.reconcile import Utterance
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import FactCandidate, LedgerEntry, Source
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


def goal(name):
    return FactCandidate(
        statement=f"The user wants to {name}.", category="goal", attribute="goal", value=name
    )


@pytest.fixture
async def full(memory):
    """Two goals of two, the older of which is `swim`."""
    policy = AdmissionPolicy(max_per_category=2)
    await tell(memory, goal("swim"), day=0, policy=policy)
    await tell(memory, goal("sail"), day=1, policy=policy)
    return memory, policy


async def test_a_full_category_archives_its_oldest_fact_and_says_so(full):
    memory, policy = full
    decisions = await tell(memory, goal("sing"), day=2, policy=policy)

    assert [(d.action, d.reason) for d in decisions] == [
        ("create", "new_fact"),
        ("evict", "category_full"),
    ]
    assert {fact.value for fact in await memory.facts.all()} == {"sail", "sing"}
    assert [fact.value for fact in await memory.archive.all()] == ["swim"]


async def test_an_archived_fact_is_restored_by_undo(full):
    memory, policy = full
    swim = await memory.facts.get("goal:swim")
    decisions = await tell(memory, goal("sing"), day=2, policy=policy)
    entry = LedgerEntry(id="0" * 32, at=NOON, node="memory_hotpath", decisions=decisions)
    await undo(memory, entry, 2, NOON)

    assert await memory.facts.get("goal:swim") == swim
    assert await memory.archive.all() == []


async def test_an_archived_fact_that_is_told_again_comes_back_with_its_past(full):
    memory, policy = full
    await tell(memory, goal("sing"), day=2, policy=policy)
    await tell(memory, goal("swim"), day=3, policy=policy)

    swim = await memory.facts.get("goal:swim")
    assert swim.created_at == NOON
    assert [fact.value for fact in await memory.archive.all()] == ["sail"]
