import json

import pytest

from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.transfer.jsonl import export_lines, import_lines, read_line
from tests.unit.conftest import AGE, LATER, episode


@pytest.fixture
async def lines(memory, updated):
    await memory.commit(await memory.episodes.puts([episode()], LATER))
    return await export_lines(memory)


async def test_an_export_holds_every_memory_and_no_vector(lines):
    assert [json.loads(line)["id"] for line in lines] == [AGE, "ep-1"]
    assert not any("embedding" in line for line in lines)


async def test_an_import_restores_records_exactly(store, lines, updated):
    zoe = memory_of(Owner("zoe"), store)

    imported = await import_lines(zoe, lines, LATER)

    assert imported.fates == {"created": 2}
    assert await zoe.facts.get(AGE) == updated
    assert await zoe.episodes.get("ep-1") == episode()


async def test_importing_again_changes_nothing_and_leaves_no_trace(memory, lines):
    before = await memory.ledger.recent()

    imported = await import_lines(memory, lines, LATER)

    assert imported.fates == {"unchanged": 2}
    assert await memory.ledger.recent() == before


async def test_what_is_known_is_not_replaced_by_something_older(memory, three, updated):
    older = json.dumps({"kind": "fact", **three.model_dump(mode="json")})

    imported = await import_lines(memory, [older], LATER)

    assert imported.fates == {"outdated": 1}
    assert await memory.facts.get(AGE) == updated


async def test_bad_lines_are_named_and_the_rest_is_imported(memory, lines):
    imported = await import_lines(memory, ["{", lines[0], "", '{"kind": "episode"}'], LATER)

    assert [bad.number for bad in imported.bad] == [1, 4]
    assert imported.fates == {"unchanged": 1}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("oops", "not JSON", id="no JSON"),
        pytest.param("[]", "`kind` must be", id="no object"),
        pytest.param('{"kind": "cat"}', "`kind` must be", id="unknown kind"),
        pytest.param('{"kind": "fact", "id": 3}', "id: Input should be", id="wrong type"),
    ],
)
def test_a_line_that_is_no_memory_says_why(line, told):
    with pytest.raises(ValueError, match=told):
        read_line(line)
