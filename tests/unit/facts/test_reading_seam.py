"""One message, read and kept: what every node is built on."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.facts.keeping import keep
from memory_graph.facts.reading import Message, read
from memory_graph.facts.timeline import is_over
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Fact, Source
from memory_graph.store.locks import facts_lock
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

AT = datetime(2026, 11, 16, 9, tzinfo=UTC)


async def test_what_a_message_states_is_kept_with_its_source():
    memory = memory_of(Owner("ana"), InMemoryStore())
    message = Message("I live in Lisbon.", "m1", AT, ZoneInfo("UTC"), "en")

    result = await read(message, memory, None, 1.0, Context())
    async with facts_lock(memory.scope):
        kept = await keep(
            memory, result, message, Source(thread_id="t", message_ids=("m1",)), AdmissionPolicy()
        )
        await memory.commit(kept.puts)

    [fact] = await memory.facts.current()
    assert (fact.id, fact.value, fact.source.message_ids) == ("profile:city", "Lisbon", ("m1",))
    assert [each.action for each in kept.decisions] == ["create"]


def test_what_a_plan_will_end_holds_until_then():
    day = timedelta(days=1)
    home = Fact(
        id="home",
        statement="The user lives in Leeds.",
        created_at=AT,
        updated_at=AT,
        last_verified_at=AT,
        valid_from=AT,
        valid_to=AT + 30 * day,
    )
    coming = home.model_copy(update={"valid_from": AT + 30 * day, "valid_to": None})

    assert not is_over(home, AT + day)
    assert is_over(home, AT + 31 * day)
    assert not is_over(coming, AT + day)
    assert not is_over(coming, AT + 31 * day)
