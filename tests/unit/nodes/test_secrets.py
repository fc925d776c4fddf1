"""Secrets through the whole graph: nothing that is stored, of any kind, holds one."""

import json
from pathlib import Path

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.graph import build_graph

CASES = Path(__file__).parents[3] / "evals" / "cases" / "secrets.jsonl"
LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
SECRETS = [case for case in LINES if any(len(each) > 4 for each in case["hidden"])][::6]


async def test_no_secret_reaches_the_store(now):
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    for number, case in enumerate(SECRETS):
        said = f"We decided to go with Postgres {number} and fixed the outage. {case['text']}"
        await graph.ainvoke(
            {"messages": [HumanMessage(said)]},
            context=Context(user_id=f"u{number}"),
            config={"configurable": {"thread_id": f"t{number}"}},
        )

    kept = json.dumps([item.value for item in store.search(("memories",), limit=5000)])
    assert "Postgres 1" in kept
    told = [each for case in SECRETS for each in case["hidden"] if len(each) > 4]
    assert [each for each in told if json.dumps(each)[1:-1] in kept] == []
