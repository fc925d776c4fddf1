"""The whole graph, offline: it remembers over threads and says when it does not know.

Run: python examples/quickstart.py
"""

import asyncio

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import Context, build_graph


async def main() -> None:
    """Talk over two threads of one user."""
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    said = [
        ("monday", "Hi, I am Ana and my cat Luna is 3."),
        ("monday", "Luna turned 4 yesterday!"),
        ("tuesday", "How old is Luna?"),
        ("tuesday", "Which car do I drive?"),
    ]
    for thread, text in said:
        result = await graph.ainvoke(
            {"messages": [HumanMessage(text)]},
            {"configurable": {"thread_id": thread}},
            context=Context(user_id="ana"),
        )
        print(f"you: {text}\nbot: {result['messages'][-1].text}")


if __name__ == "__main__":
    asyncio.run(main())
