import pytest
from langgraph.store.base import Item

from memory_graph.transfer.other_systems import read_items
from tests.examples import NOON


def kept(key, value):
    return Item(
        value=value, key=key, namespace=("memories", "ana"), created_at=NOON, updated_at=NOON
    )


@pytest.mark.parametrize(
    ("value", "statements"),
    [
        pytest.param(
            {"kind": "Memory", "content": {"content": "Likes tea"}}, ["Likes tea"], id="its own"
        ),
        pytest.param(
            {"kind": "Profile", "content": {"name": "Ana", "age": 34, "city": None}},
            ["Name is Ana", "Age is 34"],
            id="a custom schema",
        ),
        pytest.param({"kind": "Note", "content": "Likes tea"}, ["Likes tea"], id="bare text"),
    ],
)
def test_an_item_becomes_a_statement_for_each_thing_it_tells(value, statements):
    told = read_items([kept("k1", value)]).statements

    assert [each.text for each in told] == statements
    assert all(each.source.message_ids[0].startswith("langmem:memories/ana/k1") for each in told)


@pytest.mark.parametrize("value", [{}, {"text": "x"}, {"kind": "Memory", "content": {}}])
def test_anything_else_is_reported(value):
    found = read_items([kept("k1", value)])

    assert found.statements == ()
    assert found.unusable[0].where == "k1"
