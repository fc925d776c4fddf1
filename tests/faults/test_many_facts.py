"""Somebody with many facts: no turn is held up by them, and none of them goes."""

import json

from langgraph.store.base import PutOp

from memory_graph.memory import Memory
from tests.examples import a_fact
from tests.faults.conftest import Conversation, foreign_nodes

MANY = 700
"""More than a turn may read, write or judge, and few enough to be embedded in a test."""


async def test_a_turn_after_a_large_import_writes_only_its_own(store, memory_for):
    memory = memory_for("ana")
    facts = [a_fact(f"other:n{n}", f"The user likes item {n}.") for n in range(MANY)]
    lines = [json.dumps({"kind": "fact", **fact.model_dump(mode="json")}) for fact in facts]
    async with Memory(store.inner, user_id="ana") as imported:
        assert (await imported.aimport_(lines)).bad == []
    written: list[PutOp] = []
    store.before = lambda ops: written.extend(op for op in ops if isinstance(op, PutOp))
    conversation = Conversation(foreign_nodes(store, None))

    await conversation.say("ana", "My cat Luna is 3.")
    await conversation.say("ana", "I am a nurse.")

    assert len(written) < 100
    kept = {fact.id for fact in await memory.facts.all()}
    assert kept >= {*(fact.id for fact in facts), "profile:pet:luna:age", "work:job"}
    assert await memory.archive.all() == []
