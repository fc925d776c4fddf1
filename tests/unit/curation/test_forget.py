from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import SearchOp

from memory_graph import build_graph
from memory_graph.curation.forget import forget, forget_everything
from memory_graph.curation.lookup import find_memory
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.store.values import Query
from memory_graph.transfer.jsonl import export_lines
from tests.examples import NOON, a_fact
from tests.unit.conftest import AGE, LATER, episode


async def everything(store):
    [items] = await store.abatch([SearchOp((), limit=1000)])
    return str([(item.namespace, item.key, item.value) for item in items])


async def test_a_forgotten_fact_leaves_no_text_in_any_namespace(memory, store, updated):
    forgotten = await forget(memory, updated, LATER)

    assert forgotten.ledger_entries == 2
    assert "luna" not in (await everything(store)).casefold()


async def test_replies_that_told_a_forgotten_fact_go_with_it(store):
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "ana", "thread_id": "t1"}}
    for text in ("My cat Luna is 3.", "I live in Porto.", "How old is Luna?", "Where do I live?"):
        await graph.ainvoke({"messages": [HumanMessage(text)]}, config)
    memory = memory_of(Owner("ana"), store)

    await forget(memory, await find_memory(memory, "profile:pet:luna:age"), LATER)

    said = [turn.text for turn in await memory.turns.all() if turn.role == "assistant"]
    assert [text for text in said if "Luna" in text] == []
    assert any("Porto" in text for text in said)


async def test_the_receipts_of_the_turns_stay_so_that_a_replay_brings_nothing_back(memory, updated):
    await forget(memory, updated, LATER)

    nodes = [entry.node for entry in await memory.ledger.recent()]
    assert sorted(nodes) == ["forget", "memory_hotpath", "memory_hotpath"]


async def test_that_something_was_forgotten_is_on_record_but_not_what(memory, updated):
    await forget(memory, updated, LATER)

    [entry] = await memory.ledger.recent(node="forget")
    [decision] = entry.decisions
    assert (decision.action, decision.reason) == ("evict", "asked_to_forget")
    assert decision.memory_id is None


async def test_episodes_from_the_same_messages_are_named(memory, updated):
    await memory.commit(await memory.episodes.puts([episode(message_id="m2")], LATER))

    forgotten = await forget(memory, updated, LATER)

    assert forgotten.told_in == ("ep-1",)


async def test_forgetting_everything_empties_one_user_and_no_other(memory, store, updated):
    ben = memory_of(Owner("ben"), store)
    await ben.commit(await ben.facts.puts([updated], LATER))

    counts = await forget_everything(memory, LATER)

    assert (counts["facts"], counts["ledger"], counts["access"]) == (1, 2, 1)
    [left] = await store.abatch([SearchOp(memory.scope.root, limit=1000)])
    assert {item.namespace[-1] for item in left} == {"revisions"}
    assert [fact.id for fact in await ben.facts.all()] == [AGE]


async def test_an_index_held_in_memory_forgets_everything_too(memory, updated):
    query = Query(text="Luna", now=LATER.timestamp())
    assert await memory.facts.search(query, 5)

    await forget_everything(memory, LATER)
    await memory.commit(await memory.facts.puts([updated.model_copy(update={"id": "x"})], LATER))

    index = await memory.facts._index()
    assert len(index) == 1


async def test_an_archived_fact_can_be_exported_and_forgotten(memory):
    await memory.commit(
        await memory.archive.puts([a_fact("profile:hobby", "The user sails.")], NOON)
    )

    exported = "\n".join(await export_lines(memory))
    await forget(memory, await find_memory(memory, "profile:hobby"), NOON)

    assert "The user sails." in exported
    assert await memory.archive.all() == []
