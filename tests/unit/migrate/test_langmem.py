import pytest
from langgraph.store.base import Item

from memory_graph.migrate.langmem import read_items
from tests.examples import NOON


def kept(key, value):
    return Item(
        value=value, key=key, namespace=("memories", "ana"), created_at=NOON, updated_at=NOON
    )


@pytest.mark.parametrize(
    ("value", "statement"),
    [
        pytest.param(
            {"kind": "Memory", "content": {"content": "Likes tea"}}, "Likes tea", id="its own"
        ),
        pytest.param(
            {"kind": "Profile", "content": {"name": "Ana", "age": 34, "city": None}},
            "Profile: name is Ana, age is 34",
            id="a custom schema",
        ),
        pytest.param({"kind": "Note", "content": "Likes tea"}, "Likes tea", id="bare text"),
    ],
)
def test_an_item_becomes_a_fact(value, statement):
    [fact] = read_items([kept("k1", value)]).facts

    assert fact.statement == statement
    assert fact.source.message_ids == ("langmem:memories/ana/k1",)


@pytest.mark.parametrize("value", [{}, {"text": "x"}, {"kind": "Memory", "content": {}}])
def test_anything_else_is_reported(value):
    found = read_items([kept("k1", value)])

    assert found.facts == ()
    assert found.unusable[0].where == "k1"
