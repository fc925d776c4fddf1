"""Items of the store that nobody can read cost themselves, and nothing else."""

import pytest
from langgraph.store.base import PutOp

from memory_graph.memory import Memory
from tests.faults.conftest import Conversation, foreign_nodes, rows_of

CANARY = "Zanzibarro"
JUNK = [
    {"of": "another version"},
    {"id": "x", "at": "yesterday", "node": 7, "decisions": "none"},
    {"json": "{", "decisions": [{"kind": "dream"}]},
    {"zlib": "!"},
]


@pytest.fixture
async def memory(store, memory_for):
    """A memory among whose rows are some that nobody can read."""
    conversation = Conversation(foreign_nodes(store, None))
    for text in ("My cat Luna is 3.", f"I live in {CANARY}.", "How old is Luna?"):
        await conversation.say("ana", text)
    root = memory_for("ana").scope.root
    kinds = ("ledger", "ledger-details", "captures", "access")
    junk = [(kind, f"{n:08x}-odd", each) for kind in kinds for n, each in enumerate(JUNK)]
    receipts = [each.id for each in await memory_for("ana").ledger.recent()]
    junk += [("ledger-details", f"{each}/changes", {"json": "{"}) for each in receipts]
    junk += [("access", "2026-01-01", {"profile:city": "often"})]
    junk += [("ledger", "0000000a-odd", {"about": CANARY})]
    ops = [PutOp((*root, kind), key, value, index=False) for kind, key, value in junk]
    await memory_for("ana").scope.gateway.write(ops)
    async with Memory(store.inner, user_id="ana") as memory:
        yield memory


async def test_why_audit_and_validate_go_on(memory):
    fact = await memory.afact("profile:pet:luna:age")

    assert (await memory.awhy(fact.id)).entries
    assert await memory.aaudit()
    assert await memory.avalidate()
    assert await memory.aturns()
    assert await memory.aexport()
    assert "3" in (await memory.arecall("How old is Luna?")).block


async def test_forgetting_goes_on_and_takes_along_what_cannot_be_read(memory, store):
    await memory.aforget("profile:city")
    assert CANARY not in await rows_of(store, "ana")
    assert await memory.afact("profile:pet:luna:age")

    await memory.aforget_everything()
    assert "odd" not in await rows_of(store, "ana")


async def test_a_turn_goes_on(memory, store):
    answered = await Conversation(foreign_nodes(store, None), "new").say("ana", "I am a nurse.")

    assert answered["messages"][-1].text
    assert await memory.afact("work:job")
