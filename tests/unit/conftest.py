from datetime import UTC, datetime

import pytest
from langgraph.store.memory import InMemoryStore

from memory_graph.facts.timeline import apply, new_fact
from memory_graph.records import Episode, FactCandidate, LedgerEntry, Source
from memory_graph.store.changes import decision_for
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATER = datetime(2026, 11, 17, 12, tzinfo=UTC)
AGE = "profile:pet:luna:age"


def said(message_id):
    return Source(thread_id="t", message_ids=(message_id,))


def age(value):
    return FactCandidate(
        statement=f"The user's cat Luna is {value} years old.",
        category="profile",
        entity="Luna",
        entity_kind="cat",
        attribute="age",
        value=str(value),
    )


def episode(episode_id="ep-1", *, message_id="m1"):
    return Episode(
        id=episode_id,
        title="the birthday of Luna",
        summary="We planned the birthday of Luna.",
        human_line="On 2026-11-16 (W47, 2026) we discussed the birthday of Luna.",
        started_at=NOON,
        ended_at=NOON,
        created_at=NOON,
        updated_at=NOON,
        date_iso="2026-11-16",
        week=47,
        year=2026,
        source=said(message_id),
    )


@pytest.fixture
def store():
    return InMemoryStore()


@pytest.fixture
def memory(store):
    return memory_of(Owner("ana"), store)


@pytest.fixture
def three():
    return new_fact(age(3), fact_id=AGE, key=AGE, at=NOON, source=said("m1"))


@pytest.fixture
def four(three):
    return apply(three, age(4), at=LATER, source=said("m2"))


@pytest.fixture
async def updated(memory, three, four):
    """A fact that was created and then updated, each with its ledger entry."""
    for number, decision in enumerate(
        (
            decision_for("create", "new_fact", before=None, after=three),
            decision_for("update", "key_match", before=three, after=four),
        )
    ):
        entry = LedgerEntry(
            id=f"0000000{number}-memory_hotpath",
            at=decision.after["updated_at"],
            node="memory_hotpath",
            decisions=(decision,),
        )
        await memory.commit(await memory.ledger.keep(entry))
    access = await memory.access.touch([AGE], LATER)
    await memory.commit([*await memory.facts.puts([four], LATER), *access])
    return four
