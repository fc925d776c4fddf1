import json
from uuid import NAMESPACE_URL, uuid5

import pytest

from memory_graph.curation.lookup import find_entry, pin
from memory_graph.curation.undo import CannotUndoError, Origin, roll_back, undo
from memory_graph.errors import RecordNotFoundError
from memory_graph.records import LedgerEntry, MemoryDecision, Receipt, Source
from memory_graph.store.changes import decision_for
from tests.examples import an_episode
from tests.unit.conftest import AGE, LATER


async def test_undoing_an_update_restores_the_record_exactly(memory, three, updated):
    entry = await memory.ledger.get("00000001-memory_hotpath")

    [undone] = await undo(memory, entry, None, LATER)

    assert undone.restored == three
    assert await memory.facts.get(AGE) == three


async def test_an_undo_can_be_undone(memory, updated):
    await undo(memory, await memory.ledger.get("00000001-memory_hotpath"), 1, LATER)
    [undoing] = await memory.ledger.recent(node="undo")

    await undo(memory, undoing, None, LATER)

    assert await memory.facts.get(AGE) == updated


async def test_undoing_a_creation_deletes_the_record(memory, updated):
    await undo(memory, await memory.ledger.get("00000001-memory_hotpath"), None, LATER)

    await undo(memory, await memory.ledger.get("00000000-memory_hotpath"), None, LATER)

    with pytest.raises(RecordNotFoundError):
        await memory.facts.get(AGE)


async def test_a_later_change_stands_in_the_way(memory, updated):
    await pin(memory, updated, pinned=True, now=LATER)
    entry = await memory.ledger.get("00000001-memory_hotpath")

    with pytest.raises(CannotUndoError, match="has changed since"):
        await undo(memory, entry, None, LATER)

    assert (await memory.facts.get(AGE)).pinned


@pytest.mark.parametrize(
    ("number", "told"),
    [
        pytest.param(None, "changed nothing", id="a skip"),
        pytest.param(0, "decisions 1 to 1", id="below the first"),
        pytest.param(2, "decisions 1 to 1", id="past the last"),
    ],
)
async def test_what_changed_nothing_cannot_be_undone(memory, number, told):
    skip = MemoryDecision(kind="fact", action="skip", reason="question_only")
    entry = LedgerEntry(id="00000009-n", at=LATER, node="n", decisions=(skip,))

    with pytest.raises(CannotUndoError, match=told):
        await undo(memory, entry, number, LATER)


async def test_an_entry_is_found_by_its_short_name(memory, updated):
    assert (await find_entry(memory, "00000001-memory_hotpath")).id == "00000001-memory_hotpath"
    with pytest.raises(RecordNotFoundError):
        await find_entry(memory, "00000002-memory_hotpath")


async def merged(memory, turns):
    """Keep an episode that takes in one turn after the other, and return it at each step."""
    steps = []
    for number in range(turns):
        said = tuple(str(uuid5(NAMESPACE_URL, str(each))) for each in range(number + 1))
        episode = an_episode("ep-1", source=Source(thread_id="t", message_ids=said))
        action, known = ("merge", steps[-1]) if steps else ("create", None)
        decision = decision_for(action, "decision", before=known, after=episode)
        heard = Source(thread_id=f"t{number}", message_ids=said[-1:])
        puts = await memory.episodes.puts([episode], LATER)
        receipts = [Receipt(f"{number:08x}-episodic_capture", heard)]
        await memory.apply("episodic_capture", [decision], puts, at=LATER, receipts=receipts)
        steps.append(episode)
    return steps


async def test_the_details_of_merges_take_half_of_what_they_tell_at_most(memory):
    steps = await merged(memory, 150)

    kept = await memory.scope.gateway.scan((*memory.scope.root, "ledger-details"))

    told = 2 * sum(len(each.model_dump_json()) for each in steps)
    assert 2 * sum(len(json.dumps(each.value)) for each in kept) < told


async def test_a_merge_is_undone_and_taken_back(memory):
    *_, before, last = await merged(memory, 60)

    await undo(memory, await memory.ledger.get(f"{59:08x}-episodic_capture"), None, LATER)
    assert await memory.episodes.get("ep-1") == before

    [undoing] = await memory.ledger.recent(node="undo")
    await undo(memory, undoing, None, LATER)
    assert await memory.episodes.get("ep-1") == last

    await roll_back(memory, Origin(thread_id="t59"), LATER)
    assert await memory.episodes.get("ep-1") == before
