import pytest

from memory_graph.migrate.mem0 import read_export
from tests.examples import NOON

ENTRY = {
    "id": "m-1",
    "memory": "Likes green tea",
    "user_id": "ana",
    "created_at": "2026-01-21T10:00:00-08:00",
    "updated_at": None,
    "metadata": {"any": "thing"},
    "categories": ["misc", "food"],
}


@pytest.mark.parametrize("export", [[ENTRY], {"results": [ENTRY]}, {"memories": [ENTRY]}])
def test_a_memory_becomes_a_fact_that_says_where_it_is_from(export):
    [fact] = read_export(export, "ana", NOON).facts

    assert (fact.statement, fact.category) == ("Likes green tea", "preference")
    assert fact.valid_from == fact.updated_at
    assert fact.valid_from.isoformat() == "2026-01-21T10:00:00-08:00"
    assert (fact.source.message_ids, fact.extractor) == (("mem0:m-1",), "mem0/1")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"memory": " "}, "has no id or no text", id="empty"),
        pytest.param({"user_id": "bo"}, "belongs to another user", id="another user's"),
    ],
)
def test_an_unusable_memory_says_why(change, reason):
    found = read_export([{**ENTRY, **change}], "ana", NOON)

    assert found.facts == ()
    assert [each.reason for each in found.unusable] == [reason]


@pytest.mark.parametrize("export", [None, "x", [1, None], {"other": []}])
def test_something_else_holds_nothing(export):
    assert read_export(export, "ana", NOON).facts == ()
