"""What came from one source can be taken back, and what a thread went back behind goes."""

import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime, ServerInfo

from memory_graph import memory_hotpath
from memory_graph.cli import main
from memory_graph.context import Context
from memory_graph.curation.lookup import find_entry
from memory_graph.curation.undo import CannotUndoError, Origin, roll_back, undo
from memory_graph.facts.direct import tell_fact
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Change, FactCandidate, Source
from tests.conftest import NOON
from tests.faults.conftest import Conversation, foreign_nodes, in_pairs, rows_of

POISON = "I live in Evilville and we decided to trust Evilcorp."


async def statements(memory) -> str:
    facts = [fact for fact in await memory.facts.all() if fact.valid_to is None]
    return json.dumps([fact.statement for fact in facts])


@pytest.fixture
async def poisoned(store, memory_for, now):
    """Two good threads with one between them that nobody should have trusted."""
    graph = foreign_nodes(store, None)
    await Conversation(graph, "good").say("ana", "I live in Porto.")
    now.move(hours=1)
    bad = Conversation(graph, "bad")
    bad.config["configurable"]["run_id"] = "run-7"
    await bad.say("ana", POISON)
    await bad.say("ana", "My cat Luna is 99.")
    now.move(hours=1)
    await Conversation(graph, "after").say("ana", "My cat Luna is 3.")
    return memory_for("ana")


ORIGINS = {
    "thread": Origin(thread_id="bad"),
    "run": Origin(run_id="run-7"),
}


@pytest.mark.parametrize("origin", ORIGINS)
async def test_all_that_came_from_a_source_is_taken_back(poisoned, store, now, origin):
    assert "Evil" in await rows_of(store, "ana")

    back = await roll_back(poisoned, ORIGINS[origin], now())

    told = await statements(poisoned)
    assert "Porto" in told
    assert "Evil" not in told
    luna = await poisoned.facts.get("profile:pet:luna:age")
    assert (luna.value, luna.history) == ("3", ())
    assert not [each for each in await poisoned.turns.all() if "Evil" in each.text]
    assert not [each for each in await poisoned.episodes.all() if "Evil" in each.summary]
    assert back.words >= 2
    assert back.left == ()


async def test_a_tool_is_a_source(poisoned, now):
    told = Change(id="call-1", by="remember_fact", at=now(), source=Source(thread_id="good"))
    claim = FactCandidate(
        statement="The user lives in Toolville.",
        category="profile",
        attribute="city",
        value="Toolville",
    )
    await tell_fact(poisoned, claim, told, AdmissionPolicy())
    assert "Toolville" in await statements(poisoned)

    await roll_back(poisoned, Origin(by="remember_fact"), now())

    assert "Toolville" not in await statements(poisoned)
    assert (await poisoned.facts.get("profile:city")).value == "Evilville"


async def test_a_dry_run_changes_nothing_and_a_rollback_can_be_undone(poisoned, store, now):
    before = await rows_of(store, "ana")
    planned = await roll_back(poisoned, Origin(thread_id="bad"), now(), dry_run=True)
    assert await rows_of(store, "ana") == before

    done = await roll_back(poisoned, Origin(thread_id="bad"), now())
    assert [e.was for e in planned.undone] == [e.was for e in done.undone]
    [entry] = await poisoned.ledger.recent(node="rollback")
    await undo(poisoned, await find_entry(poisoned, entry.id), None, now())

    assert "Evilville" in await statements(poisoned)


@pytest.mark.parametrize("backend", ["memory"], indirect=True)
async def test_a_rollback_of_nothing_in_particular_is_refused(poisoned, now):
    with pytest.raises(CannotUndoError):
        await roll_back(poisoned, Origin(), now())


async def test_a_replay_brings_nothing_back(store, memory_for, now):
    conversation = Conversation(foreign_nodes(store, None))
    said = HumanMessage(POISON, id="m1")
    await conversation.say("ana", said)
    await roll_back(memory_for("ana"), Origin(thread_id="shared"), now())
    await conversation.say("ana", said)
    await conversation.say("ana", "Thanks!")

    assert "Evil" not in await statements(memory_for("ana"))
    assert not [each for each in await memory_for("ana").turns.all() if "Evil" in each.text]


def test_the_command_shows_first_and_acts_when_told(tmp_path, capsys):
    store = ["--store", f"sqlite:{tmp_path / 'memory.sqlite'}"]
    fact = {"kind": "fact", "id": "profile:city", "statement": "The user lives in Evilville."}
    times = dict.fromkeys(
        ("created_at", "updated_at", "last_verified_at", "valid_from"), NOON.isoformat()
    )
    (tmp_path / "in.jsonl").write_text(json.dumps({**fact, **times}))
    assert main(["memories", "import", str(tmp_path / "in.jsonl"), *store]) == 0

    assert main(["memories", "rollback", "--tool", "import", *store]) == 0
    assert main(["memories", "list", *store, "--json"]) == 0
    assert '"statement": "The user lives in Evilville."' in capsys.readouterr().out
    assert main(["memories", "rollback", "--tool", "import", "--apply", *store]) == 0
    capsys.readouterr()
    assert main(["memories", "list", *store, "--json"]) == 0
    assert "Evilville" not in capsys.readouterr().out
    assert main(["memories", "rollback", *store]) == 1


async def history(conversation) -> list[object]:
    graph, config = conversation.graph, conversation.config
    return [each async for each in graph.aget_state_history(config)]


@in_pairs
async def test_a_thread_that_goes_back_takes_its_memory_along(conversation, store, memory_for):
    await conversation.say("ana", "I live in Porto.")
    before = (await history(conversation))[0].config
    await conversation.say("ana", POISON)
    await conversation.say("ana", "My cat Luna is 3.")
    assert "Evil" in await statements(memory_for("ana"))

    context = Context(user_id="ana")
    again = {"messages": [HumanMessage("I am a nurse.")]}
    await conversation.graph.ainvoke(again, before, context=context)

    memory = memory_for("ana")
    told = await statements(memory)
    assert "Porto" in told
    assert "nurse" in told
    assert "Evil" not in told
    assert "Luna" not in told
    assert not [each for each in await memory.turns.all() if "Evil" in each.text]
    assert not [each for each in await memory.episodes.all() if "Evil" in each.summary]


@in_pairs
async def test_going_back_to_the_beginning_takes_everything_along(conversation, store, memory_for):
    await conversation.say("ana", POISON)
    await conversation.say("ana", "My cat Luna is 3.")
    first = (await history(conversation))[-1].config

    again = {"messages": [HumanMessage("I am a nurse.")]}
    await conversation.graph.ainvoke(again, first, context=Context(user_id="ana"))

    told = await statements(memory_for("ana"))
    assert "nurse" in told
    assert "Evil" not in told


async def test_a_thread_that_lost_its_checkpoints_loses_no_memory(store, memory_for):
    for text in ("I live in Porto.", "My cat Luna is 3."):
        await Conversation(foreign_nodes(store, None), "same").say("ana", text)

    assert "Porto" in await statements(memory_for("ana"))


async def test_a_thread_whose_old_messages_are_trimmed_loses_no_memory(store, memory_for):
    from langchain_core.messages import RemoveMessage
    from langgraph.graph.message import REMOVE_ALL_MESSAGES

    conversation = Conversation(foreign_nodes(store, None))
    await conversation.say("ana", "I live in Porto.")
    await conversation.say("ana", "My cat Luna is 3.")
    everything = {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES)]}
    await conversation.graph.aupdate_state(conversation.config, everything)
    await conversation.say("ana", "I am a nurse.")

    told = await statements(memory_for("ana"))
    assert "Porto" in told
    assert "Luna" in told


async def test_a_run_that_a_server_rolled_back_takes_its_facts_along(backend, memory_for):
    """The server deletes the run's checkpoints and runs the next one on what was before."""

    class User:
        identity = "ana"
        permissions = ()

    server = ServerInfo(assistant_id="a", graph_id="g", user=User())
    runtime = Runtime(context=Context(), store=backend.store, server_info=server)
    config = {"configurable": {"thread_id": "t"}}
    first = HumanMessage("I live in Porto.", id="m1")
    state = {"messages": [first]}
    state |= await memory_hotpath(state, runtime, config)
    state["messages"] = [first, AIMessage("I see.")]

    rolled_back = HumanMessage("I live in Evilville.", id="m2")
    await memory_hotpath({**state, "messages": [*state["messages"], rolled_back]}, runtime, config)
    assert "Evilville" in await statements(memory_for("ana"))
    again = HumanMessage("I am a nurse.", id="m3")
    await memory_hotpath({**state, "messages": [*state["messages"], again]}, runtime, config)

    told = await statements(memory_for("ana"))
    assert "Porto" in told
    assert "nurse" in told
    assert "Evil" not in told
