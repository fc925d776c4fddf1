import pytest

from memory_graph.transfer.imports import admit_statements
from memory_graph.transfer.other_systems import read_export
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
def test_a_memory_becomes_a_statement_that_says_where_it_is_from(export):
    [told] = read_export(export, "ana", NOON).statements

    assert (told.text, told.category) == ("Likes green tea", "preference")
    assert told.at.isoformat() == "2026-01-21T10:00:00-08:00"
    assert (told.source.message_ids, told.reader) == (("mem0:m-1",), "mem0/1")


NOTED = [
    ("Name is Alex", "profile:name", "Alex"),
    ("User lives in Lisbon", "profile:city", "Lisbon"),
    ("The user's sister Ana is a nurse.", "profile:sister:ana:job", "nurse"),
    ("Is allergic to peanuts", "health:allergy:peanuts", "peanuts"),
]


@pytest.mark.parametrize(("text", "key", "value"), NOTED)
async def test_what_others_noted_gets_the_key_that_saying_it_would(memory, text, key, value):
    found = read_export([{**ENTRY, "memory": text}], "ana", NOON)

    heard = await admit_statements(memory, found.statements, apply=True)

    [fact] = await memory.facts.all()
    assert heard.fates == {"create": 1}
    assert fact.value == value
    assert fact.key is not None


async def test_what_is_imported_updates_what_was_said_and_keeps_its_history(memory):
    older = {**ENTRY, "memory": "Lives in Porto", "created_at": "2026-01-01T10:00:00Z"}
    newer = {**ENTRY, "id": "m-2", "memory": "User lives in Lisbon"}
    found = read_export([newer, older], "ana", NOON)

    heard = await admit_statements(memory, found.statements, apply=True)
    again = await admit_statements(memory, found.statements, apply=True)

    [city] = await memory.facts.all()
    assert (city.value, [each.value for each in city.history]) == ("Lisbon", ["Porto"])
    assert (heard.fates, again.fates) == ({"create": 1, "update": 1}, {"keep": 2})


async def test_a_secret_is_refused_like_one_that_is_said(memory):
    found = read_export([{**ENTRY, "memory": "Password is hunter2hunter2"}], "ana", NOON)

    heard = await admit_statements(memory, found.statements, apply=True)

    assert [each.where for each in heard.unusable] == ["m-1"]
    assert await memory.facts.all() == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"memory": " "}, "has no id or no text", id="empty"),
        pytest.param({"user_id": "bo"}, "belongs to another user", id="another user's"),
    ],
)
def test_an_unusable_memory_says_why(change, reason):
    found = read_export([{**ENTRY, **change}], "ana", NOON)

    assert found.statements == ()
    assert [each.reason for each in found.unusable] == [reason]


@pytest.mark.parametrize("export", [None, "x", [1, None], {"other": []}])
def test_something_else_holds_nothing(export):
    assert read_export(export, "ana", NOON).statements == ()
