"""Every example runs as it is written."""

import runpy
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import build_graph

ROOT = Path(__file__).parents[1]
PRINTED = {
    "quickstart": ["Luna is 4", "I don't know that yet."],
    "react_agent": ["It is sunny in Lisbon.", "The agent was told: True"],
    "middleware": ["I will remember that it worked.", "The model was told: True"],
    "deep_agent": ["bot: Noted.", "The offsite is in Porto."],
    "supervisor": ["vegetarian restaurants", "The planner was told: True"],
    "postgres_workers": ["Your cat Luna is 3 years old.", "You live in Lisbon."],
    "mcp_client": ["add_pattern", "retry-once"],
}


@pytest.mark.parametrize("name", sorted(PRINTED.keys() - {"mcp_client"}))  # test_wheel runs that
def test_an_example_prints_what_it_promises(
    name: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    needs_postgres = name == "postgres_workers"
    arguments = [request.getfixturevalue("empty_postgres_url")] if needs_postgres else []
    monkeypatch.setattr("sys.argv", [name, *arguments])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for what an example starts itself

    runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")

    printed = capfd.readouterr().out
    assert [words for words in PRINTED[name] if words not in printed] == []


def test_a_question_about_an_unknown_brother_is_not_answered_with_the_user() -> None:
    graph = build_graph(store=InMemoryStore())
    for text in ("Hi, I am Ana and my cat Luna is 3.", "What is my brother called?"):
        result = graph.invoke(
            {"messages": [HumanMessage(text)]}, {"configurable": {"user_id": "ana"}}
        )

    assert "Ana" not in result["messages"][-1].text


def test_every_example_is_run() -> None:
    there = {path.stem for path in (ROOT / "examples").glob("*.py")}

    assert there == {*PRINTED, "auth"}  # auth runs on a server, in the integration tests
