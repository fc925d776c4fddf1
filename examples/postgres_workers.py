"""One Postgres, several workers: everybody's turns are kept, whichever worker serves them.

Run: python examples/postgres_workers.py postgresql://user:password@host/database
"""

import asyncio
import sys
from multiprocessing import get_context

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from memory_graph import Context, build_graph

WORKERS = 3
SAID = ["My cat Luna is 3.", "I live in Lisbon.", "I work as a nurse."]


async def serve(address: str, text: str) -> str:
    """Answer one message, as one worker does."""
    async with (
        AsyncPostgresStore.from_conn_string(address) as store,
        AsyncPostgresSaver.from_conn_string(address) as checkpointer,
    ):
        graph = build_graph(store=store, checkpointer=checkpointer)
        result = await graph.ainvoke(
            {"messages": [HumanMessage(text)]},
            {"configurable": {"thread_id": text}},
            context=Context(user_id="ana"),
        )
        return str(result["messages"][-1].text)


async def set_up(address: str) -> None:
    """Create the tables, once per deployment."""
    async with AsyncPostgresStore.from_conn_string(address) as store:
        await store.setup()
    async with AsyncPostgresSaver.from_conn_string(address) as checkpointer:
        await checkpointer.setup()


def work(address: str, text: str) -> None:
    """Run one worker in a process of its own."""
    print("worker:", asyncio.run(serve(address, text)))


def main(address: str) -> None:
    """Let three workers hear one thing each, then ask about all of it."""
    asyncio.run(set_up(address))
    spawn = get_context("spawn")
    workers = [spawn.Process(target=work, args=(address, text)) for text in SAID[:WORKERS]]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for question in ("How old is Luna?", "Where do I live?"):
        print(f"you: {question}\nbot: {asyncio.run(serve(address, question))}")


if __name__ == "__main__":
    main(sys.argv[1])
