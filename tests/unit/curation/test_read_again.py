"""What rules have read is read by a model later: the cost first, and nothing said since changes."""

from datetime import timedelta

from langgraph.store.memory import InMemoryStore

from memory_graph import Memory
from memory_graph.context import Context
from memory_graph.curation.read_again import cost_of, find_read_by_rules, read_again
from memory_graph.records import Handling, Source, TurnRecord
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.examples import NOON, a_fact, a_reading, a_stated
from tests.fakes import CountingModel


def said(name, text, *, by="rules/3", day=0):
    at = NOON - timedelta(days=9 - day)
    return TurnRecord(
        id=f"turn-{name}-user",
        text=text,
        speaker="user",
        session="t",
        position=int(at.timestamp() * 1000),
        said_at=at,
        read=Handling(by=by),
        source=Source(thread_id="t", message_ids=(name,)),
    )


async def kept(memory, *turns):
    await memory.commit(await memory.turns.puts([*turns], NOON))


async def test_only_what_rules_read_and_may_hold_facts_is_read_oldest_first(memory):
    await kept(
        memory,
        said("m2", "My sister Eva moved to Porto.", day=2),
        said("m1", "I work at the harbour now.", day=1),
        said("m3", "Thanks!", day=3),
        said("m4", "I live in Leeds.", by="read_message/1 small", day=4),
    )
    found = await find_read_by_rules(memory)

    assert [each.text for each in found] == [
        "I work at the harbour now.",
        "My sister Eva moved to Porto.",
    ]
    cost = cost_of(found, CountingModel())
    assert (cost.messages, cost.usd) == (2, None)
    assert cost.input_tokens > 2000


async def test_it_is_kept_as_of_the_day_it_was_said_and_ends_nothing_newer(memory):
    newer = a_fact("work:job", "The user is a baker.", attribute="job", value="baker")
    await memory.commit(await memory.facts.puts([newer], NOON))
    old = said("m1", "I work as a welder at the harbour.", day=1)
    await kept(memory, old)
    job = a_stated("The user works as a welder.", attribute="job", value="welder", replaces=[1])
    model = CountingModel(answers=[a_reading(job)])

    await read_again(memory, old, model, Context())

    fact = await memory.facts.get("work:job")
    assert (fact.value, [each.value for each in fact.history]) == ("baker", ["welder"])
    assert "baker" not in model.prompts[0]
    assert await find_read_by_rules(memory) == []


async def test_a_fact_outlives_its_words_and_says_by_what_they_were_read():
    store = InMemoryStore()
    ana = Memory(store, user_id="ana")
    await ana.aadd("I live in Leeds.", thread_id="1")
    before = await ana.awhy("profile:city")
    kept = memory_of(Owner("ana"), store)

    await kept.commit(kept.turns.deletions(turn.id for turn in await kept.turns.all()))

    after = await ana.awhy("profile:city")
    assert [each.text for each in before.said if each.role == "user"] == ["I live in Leeds."]
    assert (after.said, after.read_by) == ((), "rules/3")
