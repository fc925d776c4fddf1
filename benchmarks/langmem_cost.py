"""What does a turn cost beside LangMem, when no time is spent in a model?

`python -m benchmarks.langmem_cost [--people N]` (needs `pip install langmem`) lets the people of
`evals/cases/people/dev.json` talk to three agents in the same process: one without memory, one with
LangMem as its documents build it (a vector search before the reply, the store manager after it),
and ours. All use `InMemoryStore` and the same embedder. LangMem's model is scripted and answers at
once, with what the user said where they tell a fact; ours has no model and reads the facts itself.
Printed are milliseconds of processor time of all threads, without those of the first agent.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import mean
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from benchmarks.turn_cost import CONVERSATIONS, KINDS, WARM_UP, kind_of
from evals.suites.langmem_peer import indexed_store
from evals.suites.scripted_model import Script, ScriptedModel
from memory_graph import build_graph
from memory_graph.records import FactCandidate

SEARCHED = 5
Said = Mapping[str, Any]
Turn = Callable[[Said], Awaitable[object]]


def plain() -> Turn:
    """Return an agent that remembers nothing."""
    return _running(_agent(lambda _: {"messages": [AIMessage("I see.")]}))


def langmem() -> Turn:
    """Return an agent with LangMem's store manager."""
    from langmem import create_memory_store_manager  # noqa: PLC0415 — only to compare

    store, model, space = indexed_store(), ScriptedModel(), ("memories", "user")
    manager = create_memory_store_manager(model, namespace=space, store=store, enable_deletes=True)

    async def answer(state: MessagesState) -> dict[str, list[AIMessage]]:
        await store.asearch(space, query=str(state["messages"][-1].content), limit=SEARCHED)
        return {"messages": [AIMessage("I see.")]}

    async def remember(state: MessagesState) -> dict[str, list[AIMessage]]:
        await manager.ainvoke({"messages": state["messages"][-2:]})
        return {}

    turn = _running(_agent(answer, remember))

    async def follow(said: Said) -> object:
        text = said["say"]
        facts = [FactCandidate(statement=text[:500])] if said.get("fact") else []
        model.follow(Script(facts=facts, text=text))
        return await turn(said)

    return follow


def ours() -> Turn:
    """Return our graph, as it comes."""
    return _running(build_graph(store=InMemoryStore()))


def _agent(*nodes: Callable[..., Any]) -> object:
    builder = StateGraph(MessagesState).add_sequence([(f"n{n}", e) for n, e in enumerate(nodes)])
    return builder.add_edge(START, "n0").compile()


def _running(graph: Any) -> Turn:  # noqa: ANN401
    config = {"configurable": {"user_id": "user", "thread_id": "t"}}
    return lambda said: graph.ainvoke({"messages": [HumanMessage(said["say"])]}, config)


AGENTS = {"plain": plain, "langmem": langmem, "ours": ours}


async def play(people: Sequence[Said]) -> dict[str, dict[str, list[float]]]:
    """Return the milliseconds of every turn, by agent and by what the turn does."""
    times = {name: {kind: list[float]() for kind in KINDS} for name in AGENTS}
    for make in AGENTS.values():
        turn = make()
        for text in WARM_UP:
            await turn({"say": text, "fact": text})
    for person in people:
        for name, make in AGENTS.items():
            turn = make()
            for said in person["turns"]:
                started = time.process_time()
                await turn(said)
                took = (time.process_time() - started) * 1000
                times[name][kind_of(said)].append(took)
    return times


def main() -> None:
    """Let everybody talk and print what each agent costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=6)
    people = json.loads(CONVERSATIONS.read_text(encoding="utf-8"))[: parser.parse_args().people]
    times = asyncio.run(play(people))
    print(f"{'turn':8}{'turns':>8}{'plain':>10}{'langmem':>10}{'ours':>10}{'ours/langmem':>14}")
    for kind in (*KINDS, "all"):
        kinds = KINDS if kind == "all" else (kind,)
        each = {name: [t for k in kinds for t in known[k]] for name, known in times.items()}
        bare = mean(each["plain"])
        theirs, own = mean(each["langmem"]) - bare, mean(each["ours"]) - bare
        shown = f"{bare:10.1f}{theirs:10.1f}{own:10.1f}{own / theirs:14.2f}"
        print(f"{kind:8}{len(each['ours']):8}{shown}")


if __name__ == "__main__":
    main()
