"""No secret is kept, however it comes: told, by a tool, in a pattern, an import or a name."""

import json
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from memory_graph.context import Context
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.tools._calls import call_tool
from memory_graph.tools.facts import remember_fact
from memory_graph.tools.patterns import add_pattern
from memory_graph.tools.recording import add_episode
from memory_graph.transfer.jsonl import import_lines
from tests.examples import NOON, a_fact, an_episode
from tests.faults.conftest import Conversation, in_pairs, rows_of

CASES = Path(__file__).parents[2] / "evals" / "cases" / "secrets.jsonl"
LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
TOLD = [case for case in LINES if any(len(each) > 4 for each in case["hidden"])][::12][:20]


def hidden_in(rows: str) -> list[str]:
    told = [each for case in TOLD for each in case["hidden"] if len(each) > 4]
    return [each for each in told if json.dumps(each, ensure_ascii=False)[1:-1] in rows]


@in_pairs
async def test_no_secret_that_is_told_is_kept(surface, store):
    graph = surface(store, None)
    for number, case in enumerate(TOLD):
        text = f"We decided on Postgres {number} and fixed the outage. {case['text']}"
        await Conversation(graph, f"t{number}").say("ana", HumanMessage(text, name="pin 48213"))

    rows = await rows_of(store, "ana")
    assert "Postgres 1" in rows
    assert "48213" not in rows
    assert hidden_in(rows) == []


CALLS = [
    (remember_fact, {"statement": "It is hunter2.", "attribute": "password", "value": "hunter2"}),
    (remember_fact, {"statement": "The user's PIN for the card is 48213."}),
    (add_pattern, {"name": "log-in", "trigger": "locked out", "action": "use password hunter2"}),
    (add_episode, {"content": "The API key is sk-abcdefghijklmnop1234."}),
    (add_episode, {"content": "We logged in.", "metadata": {"password": "hunter2"}}),
]


@pytest.mark.parametrize(("tool", "args"), CALLS, ids=lambda each: getattr(each, "name", ""))
async def test_no_secret_that_a_tool_is_given_is_kept(store, tool, args):
    await call_tool(tool, args, store, Context(user_id="ana"))

    rows = await rows_of(store, "ana")
    assert not any(each in rows for each in ("hunter2", "48213", "sk-abcdef"))


async def test_no_secret_that_is_imported_is_kept(store):
    lines = [
        {"kind": "fact", **a_fact(statement="It is hunter2.").model_dump(mode="json")}
        | {"attribute": "password", "value": "hunter2"},
        {"kind": "episode", **an_episode(summary="The PIN is 48213.").model_dump(mode="json")},
    ]

    await import_lines(memory_of(Owner("ana"), store), map(json.dumps, lines), NOON)

    rows = await rows_of(store, "ana")
    assert "hunter2" not in rows
    assert "48213" not in rows
