"""A retraction that is heard before what it ends: it waits, and nobody sees it wait."""

import asyncio
import json
from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from memory_graph.curation.forget import forget, forget_everything
from memory_graph.curation.lookup import find_memory
from memory_graph.curation.undo import undo
from memory_graph.curation.validate import Total, validate_memory
from memory_graph.errors import RecordNotFoundError
from memory_graph.facts.keeping import admit
from memory_graph.facts.reconcile import Utterance
from memory_graph.facts.timeline import is_pending_retraction
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import FactCandidate, LedgerEntry, Source
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.telemetry import stated
from memory_graph.transfer.jsonl import everything, export_lines, import_lines
from tests.examples import NOON

CITY = "profile:city"


def lives_in(city):
    return FactCandidate(
        statement=f"The user lives in {city}.", category="profile", attribute="city", value=city
    )


def left(city=None):
    return FactCandidate(
        statement=f"The user no longer lives in {city or 'that city'}.",
        category="profile",
        attribute="city",
        value=city,
        retracts=True,
    )


async def tell(memory, candidate, *, day):
    said = Utterance(
        at=NOON + timedelta(days=day),
        source=Source(message_ids=(f"m{day}",)),
        extractor="rules/1",
        is_late=True,
    )
    admitted = await admit(memory, [candidate], said, AdmissionPolicy())
    entry = LedgerEntry(id=f"{day:08d}-n", at=said.at, node="n", decisions=admitted.decisions)
    await memory.commit([*admitted.puts, *memory.ledger.puts(entry)])
    return admitted.decisions


@pytest.fixture
async def waiting(memory):
    """A memory that knows nothing but that the user left some city on day 5."""
    await tell(memory, left(), day=5)
    return memory


async def test_the_older_statement_does_not_come_alive(waiting):
    decisions = await tell(waiting, lives_in("Lisbon"), day=0)

    fact = await waiting.facts.get(CITY)
    assert (fact.value, fact.valid_to) == ("Lisbon", NOON + timedelta(days=5))
    assert await waiting.facts.current() == await waiting.archive.all() == []
    assert stated(decisions) == []


async def test_a_newer_statement_is_a_new_fact(waiting):
    decisions = await tell(waiting, lives_in("Porto"), day=6)

    assert [(d.action, d.reason) for d in decisions] == [("create", "new_fact")]
    assert [fact.value for fact in await waiting.facts.current()] == ["Porto"]
    assert stated(decisions) == ["The user lives in Porto."]


async def test_nobody_is_told_of_what_never_held(memory):
    [decision] = await tell(memory, left(), day=5)

    assert (decision.action, decision.reason) == ("skip", "nothing_to_retract")
    assert stated([decision]) == []
    assert await memory.facts.all() == await everything(memory) == []
    report = await validate_memory(memory)
    assert report.is_sound
    assert report.totals["fact"] == Total(0, 0)
    with pytest.raises(RecordNotFoundError):
        await find_memory(memory, "profile")


async def test_the_same_message_again_changes_nothing(waiting):
    before = await waiting.archive.all()
    [decision] = await tell(waiting, left(), day=5)

    assert decision.reason == "already_applied"
    assert await waiting.archive.all() == before


async def test_it_can_be_undone_and_so_can_what_it_met(waiting):
    [marker] = await waiting.archive.all()
    await tell(waiting, lives_in("Lisbon"), day=0)
    await undo(waiting, await waiting.ledger.get("00000000-n"), None, NOON)
    assert await waiting.archive.all() == [marker]
    assert await waiting.facts.all() == []

    await undo(waiting, await waiting.ledger.get("00000005-n"), None, NOON)
    await tell(waiting, lives_in("Lisbon"), day=0)
    assert [fact.value for fact in await waiting.facts.current()] == ["Lisbon"]


async def test_it_is_forgotten_by_its_id_or_with_everything(waiting):
    await forget(waiting, await find_memory(waiting, CITY), NOON)
    assert await waiting.archive.all() == []
    assert "no longer lives" not in str(await waiting.ledger.recent())

    await tell(waiting, left(), day=6)
    await forget_everything(waiting, NOON)
    assert await waiting.archive.all() == []


async def test_it_moves_with_an_export(waiting, store):
    zoe, lines = memory_of(Owner("zoe"), store), await export_lines(waiting)

    assert (await import_lines(zoe, lines, NOON)).fates == {"created": 1}
    assert (await import_lines(zoe, lines, NOON)).fates == {"unchanged": 1}

    assert await zoe.archive.all() == await waiting.archive.all()
    await tell(zoe, lives_in("Lisbon"), day=0)
    assert await zoe.facts.current() == []


@pytest.mark.parametrize("first", ["the retraction", "the fact"])
@pytest.mark.parametrize(("city", "lives"), [("Lisbon", False), ("Porto", True)])
async def test_an_import_brings_both_together(store, first, city, lives):
    """Whichever side heard of which, and also if the retraction names another value."""
    here, there = memory_of(Owner("ana"), store), memory_of(Owner("zoe"), store)
    stating = {"memory": here, "told": lives_in("Lisbon"), "day": 0}
    ending = {"memory": there, "told": left(city), "day": 5}
    one, other = (ending, stating) if first == "the retraction" else (stating, ending)
    for each in (one, other):
        await tell(each["memory"], each["told"], day=each["day"])

    await import_lines(one["memory"], await export_lines(other["memory"]), NOON)

    [fact] = await one["memory"].facts.all()
    assert (fact.value, fact.valid_to is None) == ("Lisbon", lives)
    assert await one["memory"].archive.all() == []


events = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["Lisbon", "Porto", None]), st.booleans()),
    min_size=2,
    max_size=4,
    unique_by=lambda each: each[0],
).filter(lambda line: all(city or retracts for _, city, retracts in line))


async def heard(line):
    memory = memory_of(Owner("ana"), InMemoryStore())
    for day, city, retracts in line:
        await tell(memory, left(city) if retracts else lives_in(city), day=day)
    assert not any(map(is_pending_retraction, await memory.facts.all()))
    lines = [json.loads(line) for line in await export_lines(memory)]
    return [(each["value"], each["valid_to"], each["last_verified_at"]) for each in lines]


@settings(max_examples=15, deadline=None)
@given(events)
def test_any_order_ends_in_the_same_fact(line):
    ends = [asyncio.run(heard(order)) for order in permutations(line)]

    assert all(end == ends[0] for end in ends)
