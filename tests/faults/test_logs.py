"""Nothing a person said reaches a log, ids included; nothing of a caller breaks out of a line."""

import logging

import pytest
from langchain_core.messages import HumanMessage

from memory_graph.cli.output import Presenter
from memory_graph.context import Context
from memory_graph.curation.lookup import entries_about, find_memory
from memory_graph.graph import build_graph
from memory_graph.keys import logged_id
from memory_graph.store.labels import user_label
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

SAID = "I am allergic to peanuts. My cat Luna is 4. My password is Sunflower77."
WORDS = ("peanut", "luna", "allerg", "sunflower")


async def turn(store, text, thread="t"):
    return await build_graph(store=store).ainvoke(
        {"messages": [HumanMessage(text, id="m\n\x1b[2Jx")]},
        config={"configurable": {"thread_id": thread}},
        context=Context(user_id="ana"),
    )


async def test_no_word_of_a_person_is_logged(store, caplog):
    caplog.set_level(logging.DEBUG, logger="memory_graph")

    await turn(store, SAID)
    await turn(store, "I am not allergic to peanuts any more. Luna is 5.")

    fields = [vars(record) for record in caplog.records]
    logged = f"{caplog.text}{fields}".casefold()
    assert "memory.create" in logged
    assert [word for word in WORDS if word in logged] == []


async def test_a_memory_is_found_by_what_the_log_calls_it(store):
    await turn(store, SAID)
    memory = memory_of(Owner("ana"), store)
    [fact, *_] = await memory.facts.all()
    logged = logged_id(user_label("ana"), fact.id)

    assert (await find_memory(memory, logged)).id == fact.id
    assert (await entries_about(memory, logged))[0] == fact.id


async def test_nothing_of_a_caller_breaks_a_line(store, caplog):
    caplog.set_level(logging.DEBUG, logger="memory_graph")

    await turn(store, "Hello.", thread="t\r\nERROR root: \x1b[31mowned\u2028")

    values = [
        value for record in caplog.records for value in vars(record).get("fields", {}).values()
    ]
    for text in [*map(str, values), *(record.getMessage() for record in caplog.records)]:
        assert not set(text) & set("\r\n\x1b\u2028")


@pytest.mark.parametrize("as_json", [True, False])
def test_nothing_in_memory_steers_a_terminal(capsys, as_json):
    steering = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md\u202ee"
    show = Presenter(as_json=as_json)

    show.answer({"statement": steering}, steering)
    show.table("Facts", ("id",), [(steering,)])
    show.problem(steering)

    printed = capsys.readouterr()
    assert not set(printed.out + printed.err) & set("\x1b\x07\x9b\u202e")
